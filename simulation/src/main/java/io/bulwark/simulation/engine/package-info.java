/**
 * Deterministic clusters: servers and client operations of any protocol under a virtual clock, a network that delays,
 * reorders, loses and repeats, and disks that keep only what became durable. Everything follows from one seed; a run has a
 * trace digest by which two runs are compared.
 */
@NullMarked
package io.bulwark.simulation.engine;

import org.jspecify.annotations.NullMarked;
