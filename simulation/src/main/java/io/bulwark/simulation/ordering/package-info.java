/**
 * The ordering engine in campaigns (proactive recovery paper, section 3: safety is linearizability, with any number of faulty
 * clients and f faulty replicas): 3f+1 production replicas with registers behind them, clients that use the production call,
 * replicas and clients that lie.
 */
@NullMarked
package io.bulwark.simulation.ordering;

import org.jspecify.annotations.NullMarked;
