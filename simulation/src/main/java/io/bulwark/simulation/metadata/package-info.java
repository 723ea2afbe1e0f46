/**
 * The replicated metadata in the simulator (PROTOCOLS sections 6 and 7): 3f+1 replicas run the production state machine over an
 * order in memory, late and restarted from snapshots, up to f of them lying to whoever asks.
 */
@NullMarked
package io.bulwark.simulation.metadata;

import org.jspecify.annotations.NullMarked;
