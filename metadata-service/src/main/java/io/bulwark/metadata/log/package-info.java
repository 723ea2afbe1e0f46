/**
 * What a replica keeps on disk: the applied-command log, synced in groups before any answer leaves, snapshots of the
 * state, and the highest incarnation it has sealed (PROTOCOLS section 7, durable before send).
 */
@NullMarked
package io.bulwark.metadata.log;

import org.jspecify.annotations.NullMarked;
