package io.bulwark.protocol.fp;

import io.bulwark.protocol.effect.Loaded;
import io.bulwark.protocol.effect.Mutation;
import io.bulwark.protocol.effect.RecordKey;
import io.bulwark.protocol.effect.RecordKind;
import io.bulwark.protocol.id.BlockId;
import io.bulwark.protocol.wire.Bytes;
import java.util.List;
import java.util.TreeMap;
import org.jspecify.annotations.NullMarked;
import org.jspecify.annotations.Nullable;

/** Records that a node has stored. */
@NullMarked
final class LocalDisk {
    /** A record, without a fragment if that is damaged. */
    private record OnDisk(Bytes meta, @Nullable Bytes fragment) {}

    private final TreeMap<Bytes, OnDisk> records = new TreeMap<>();

    int size() {
        return records.size();
    }

    void put(RecordKey key, Bytes meta) {
        records.put(key.encoded(), new OnDisk(meta, Bytes.EMPTY));
    }

    void apply(Mutation mutation) {
        Bytes key = mutation.key().encoded();
        switch (mutation) {
            case Mutation.Put put -> records.put(key, new OnDisk(put.meta(), put.fragment()));
            case Mutation.UpdateMeta update ->
                records.computeIfPresent(key, (_, old) -> new OnDisk(update.meta(), old.fragment()));
            case Mutation.Delete _ -> records.remove(key);
        }
    }

    Loaded load(RecordKey key) {
        OnDisk record = records.get(key.encoded());
        if (record == null) {
            return new Loaded.Missing(key);
        }
        Bytes fragment = record.fragment();
        return fragment == null
                ? new Loaded.Damaged(key, record.meta())
                : new Loaded.Found(key, record.meta(), fragment);
    }

    List<Loaded.Meta> scan(RecordKind kind) {
        return records.entrySet().stream()
                .map(entry -> new Loaded.Meta(
                        RecordKey.decode(entry.getKey()), entry.getValue().meta()))
                .filter(meta -> meta.key().kind() == kind)
                .toList();
    }

    Loaded scan(RecordKind kind, BlockId from, BlockId to, int max) {
        List<Loaded.Meta> metas = scan(kind).stream()
                .filter(meta -> meta.key().block().compareTo(from) >= 0)
                .filter(meta -> meta.key().block().compareTo(to) <= 0)
                .limit(max)
                .toList();
        return new Loaded.Metas(kind, metas);
    }

    /** Returns the number of versions on the account of repairs, or on those of clients. */
    int charges(boolean ofRepairs) {
        return (int) scan(RecordKind.REGISTER).stream()
                .filter(record -> record.key().block().owner().equals(PrepareTag.REPAIR) == ofRepairs)
                .count();
    }

    boolean committed(Timestamp version) {
        return scan(RecordKind.REGISTER_VERSION).stream()
                .map(meta -> VersionRecord.decode(meta.meta()))
                .anyMatch(record -> record.committed() && record.version().equals(version));
    }

    /** Another fragment in the place of each, with a right checksum of the store. */
    void garble() {
        records.replaceAll((_, record) -> {
            Bytes fragment = record.fragment();
            return fragment == null || fragment.length() == 0
                    ? record
                    : new OnDisk(record.meta(), SampleMessages.filled(fragment.length(), 7));
        });
    }

    void damage(RecordKind kind) {
        records.replaceAll(
                (key, record) -> RecordKey.decode(key).kind() == kind ? new OnDisk(record.meta(), null) : record);
    }
}
