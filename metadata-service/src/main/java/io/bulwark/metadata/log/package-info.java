/**
 * What a replica keeps on disk: of the engine after the proactive recovery paper the log of promises, in two places; of engines
 * with incarnations the applied-command log, synced in groups before any answer leaves, snapshots of the state, and the highest
 * incarnation it has sealed (PROTOCOLS section 7, durable before send and damage).
 */
@NullMarked
package io.bulwark.metadata.log;

import org.jspecify.annotations.NullMarked;
