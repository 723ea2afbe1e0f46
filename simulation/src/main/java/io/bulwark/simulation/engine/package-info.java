/**
 * Deterministic clusters: servers and client operations of any protocol under a virtual clock. The network delays,
 * reorders, loses and repeats messages, and disks keep only durable data. One seed determines everything; each run has
 * a trace digest, by which two runs are compared.
 */
@NullMarked
package io.bulwark.simulation.engine;

import org.jspecify.annotations.NullMarked;
