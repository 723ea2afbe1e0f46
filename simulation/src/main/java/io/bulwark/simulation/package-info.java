/**
 * Clusters in memory, from a seed: {@code engine} runs them, {@code campaign} drives and judges them, {@code exhaustive} tries
 * every order of deliveries.
 */
@NullMarked
package io.bulwark.simulation;

import org.jspecify.annotations.NullMarked;
