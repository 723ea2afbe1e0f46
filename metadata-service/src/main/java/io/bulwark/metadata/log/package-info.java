/**
 * The durable files of a replica. Under the engine after the proactive recovery paper this is the log of promises, in
 * two places. Engines with incarnations have the applied-command log, synced in groups before any answer leaves, and
 * snapshots of the state. They also keep the highest incarnation that the replica has sealed (docs/ordering,
 * durable before send and damage).
 */
@NullMarked
package io.bulwark.metadata.log;

import org.jspecify.annotations.NullMarked;
