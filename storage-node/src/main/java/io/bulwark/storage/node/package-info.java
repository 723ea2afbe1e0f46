/**
 * A storage node in production: takes requests from {@code transport}, hands them to the single-threaded servers of the
 * protocols, one set per shard, and carries out what these ask for: answers, stores, loads, questions to the replicas,
 * operations among the peers, evidence (docs/protocols/extents.md). The simulator drives the same servers its own way.
 */
@NullMarked
package io.bulwark.storage.node;

import org.jspecify.annotations.NullMarked;
