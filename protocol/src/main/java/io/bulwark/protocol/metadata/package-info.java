/**
 * Replicated metadata as a deterministic state machine (docs/protocols/extents.md, docs/protocols/metadata.md): volumes and their placement
 * groups, sessions with their reply tables and ranges, buckets, names and versions, inodes, the facts that storage
 * nodes act on, and the record of evidence. It has no I/O, no clock and no randomness; commands, queries, replies and
 * snapshots are canonical bytes. It does not depend on the engine that orders its commands.
 */
@NullMarked
package io.bulwark.protocol.metadata;

import org.jspecify.annotations.NullMarked;
