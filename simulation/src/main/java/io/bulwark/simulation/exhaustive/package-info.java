/**
 * Every order of deliveries of a tiny world, on the production classes. The world has a few nodes, one block, a few
 * operations, a liar with a small menu, a crash, ticks as explicit choices. Each step concerns one party only, and its
 * past inputs determine a party. Each party thus becomes an automaton, made step by step by running the real class from
 * its start, and the explorer searches their product. Orders that differ only in steps of different parties lead to the
 * same state and are followed once.
 */
@NullMarked
package io.bulwark.simulation.exhaustive;

import org.jspecify.annotations.NullMarked;
