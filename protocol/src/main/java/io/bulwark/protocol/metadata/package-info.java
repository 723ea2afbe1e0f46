/**
 * The replicated metadata as a deterministic state machine (PROTOCOLS sections 4 and 6): volumes and their placement
 * groups, sessions with their reply tables and ranges, buckets, names and versions, inodes, the facts that storage nodes
 * act on, and the record of evidence. No I/O, no clock, no randomness; commands, queries, replies and snapshots are
 * canonical bytes. It knows nothing of the engine that orders its commands.
 */
@NullMarked
package io.bulwark.protocol.metadata;

import org.jspecify.annotations.NullMarked;
