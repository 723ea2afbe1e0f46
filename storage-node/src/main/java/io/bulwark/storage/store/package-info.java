/**
 * The durable home of a node's records: small data in RocksDB, fragments once into append-only segment files that the
 * index points to, as BlueStore keeps objects. Every fragment is checked against its key, its write and its checksum
 * when it is read; what does not match is reported as damaged, never served (docs/protocols/access.md, verdicts).
 */
@NullMarked
package io.bulwark.storage.store;

import org.jspecify.annotations.NullMarked;
