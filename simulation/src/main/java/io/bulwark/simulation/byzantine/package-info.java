/**
 * Faulty parties: ways in which servers misbehave, mixed and switched over time, and the shared knowledge of the
 * faulty. {@link io.bulwark.simulation.byzantine.Lies} hides the messages of each protocol. (Thesis 4.2.1: up to f
 * servers and any number of clients are Byzantine, and they collude.)
 */
@NullMarked
package io.bulwark.simulation.byzantine;

import org.jspecify.annotations.NullMarked;
