package io.bulwark.protocol.effect;

import io.bulwark.protocol.wire.Bytes;
import java.util.List;

/** Result of a load from the store. */
public sealed interface Loaded {
    /** Nothing under this key. */
    record Missing(RecordKey key) implements Loaded {}

    /** The record as it was written, its checksum right. */
    record Found(RecordKey key, Bytes meta, Bytes fragment) implements Loaded {}

    /** The meta data is right, the fragment is lost: wrong checksum, unreadable, or the place on disk is gone. */
    record Damaged(RecordKey key, Bytes meta) implements Loaded {}

    /** The meta data of all records of one kind and block, in the order of their suffixes. */
    record Metas(RecordKind kind, List<Meta> records) implements Loaded {
        public Metas {
            records = List.copyOf(records);
        }
    }

    /** One record's key and meta data. */
    record Meta(RecordKey key, Bytes meta) {}
}
