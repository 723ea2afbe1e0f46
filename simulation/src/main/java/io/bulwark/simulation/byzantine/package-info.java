/**
 * Faulty parties: ways in which servers misbehave, mixed and switched over time, and what the faulty know together. What is
 * particular to a protocol's messages stands behind {@link io.bulwark.simulation.byzantine.Lies}. (Thesis 4.2.1: up to f
 * servers and any number of clients are Byzantine, and they collude.)
 */
@NullMarked
package io.bulwark.simulation.byzantine;

import org.jspecify.annotations.NullMarked;
