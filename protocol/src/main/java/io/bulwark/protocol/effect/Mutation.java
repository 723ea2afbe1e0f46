package io.bulwark.protocol.effect;

import io.bulwark.protocol.wire.Bytes;

/** One change of the stored records; those of one {@link Effect.Store} become durable together or not at all. */
public sealed interface Mutation {
    /** A record's meta data is at most this long; fragments may be as long as a block. */
    int META_BYTES_MAX = 64 << 10;

    RecordKey key();

    /** Writes a record, replacing what was there. */
    record Put(RecordKey key, Bytes meta, Bytes fragment) implements Mutation {}

    /** Replaces the meta data of a record and leaves its fragment where it is. */
    record UpdateMeta(RecordKey key, Bytes meta) implements Mutation {}

    /** Removes a record, if it is there. */
    record Delete(RecordKey key) implements Mutation {}
}
