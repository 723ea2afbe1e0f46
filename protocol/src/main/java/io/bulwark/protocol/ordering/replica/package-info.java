/**
 * One replica of the ordering engine (proactive recovery paper, sections 4.2 to 4.6; docs/ordering): a state machine
 * of one thread, without I/O, that agrees with its peers on one batch for each sequence number and executes them in order.
 */
@NullMarked
package io.bulwark.protocol.ordering.replica;

import org.jspecify.annotations.NullMarked;
