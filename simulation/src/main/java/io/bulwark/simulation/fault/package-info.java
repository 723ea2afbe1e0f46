/**
 * Fault detection at the level of its statistics (Agile Store, 3.3.1 and figure 6): nodes count the answers of others in
 * windows, some lie in what they answer or report, and the test of the replicated state machine decides.
 */
@NullMarked
package io.bulwark.simulation.fault;

import org.jspecify.annotations.NullMarked;
