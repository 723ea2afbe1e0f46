/**
 * The replicated metadata in the simulator (docs/protocols/metadata.md, docs/ordering). 3f+1 replicas run the production state machine
 * over an order in memory. They may be late or restarted from snapshots, and up to f of them lie to any client.
 */
@NullMarked
package io.bulwark.simulation.metadata;

import org.jspecify.annotations.NullMarked;
