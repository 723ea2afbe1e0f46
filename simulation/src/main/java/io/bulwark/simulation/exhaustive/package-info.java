/**
 * Every order of deliveries of a tiny world, on the production classes: a few nodes, one block, a few operations, a liar with a small
 * menu, a crash, ticks as explicit choices. Each step concerns one party only, and a party is determined by the inputs that it
 * has had; so each party becomes an automaton, made step by step by running the real class from its start, and the world
 * is explored as their product. Orders that differ only in steps of different parties lead to the same state and are
 * followed once.
 */
@NullMarked
package io.bulwark.simulation.exhaustive;

import org.jspecify.annotations.NullMarked;
