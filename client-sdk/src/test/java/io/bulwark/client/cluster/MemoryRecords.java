package io.bulwark.client.cluster;

import io.bulwark.protocol.effect.Loaded;
import io.bulwark.protocol.effect.Mutation;
import io.bulwark.protocol.effect.RecordKey;
import io.bulwark.protocol.effect.RecordKind;
import io.bulwark.protocol.id.BlockId;
import io.bulwark.protocol.wire.Bytes;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.List;
import java.util.Map;
import java.util.NavigableMap;
import java.util.concurrent.ConcurrentSkipListMap;
import java.util.function.UnaryOperator;

/** A node's stored records in memory, with a way to damage them behind the node's back. */
final class MemoryRecords {
    private static final Comparator<RecordKey> ORDER = Comparator.comparing(RecordKey::kind)
            .thenComparing(RecordKey::block)
            .thenComparing(RecordKey::suffix);

    private record Value(Bytes meta, Bytes fragment) {}

    private final NavigableMap<RecordKey, Value> records = new ConcurrentSkipListMap<>(ORDER);

    void apply(List<Mutation> mutations) {
        for (Mutation mutation : mutations) {
            switch (mutation) {
                case Mutation.Put put -> records.put(put.key(), new Value(put.meta(), put.fragment()));
                case Mutation.UpdateMeta update ->
                    records.computeIfPresent(update.key(), (_, value) -> new Value(update.meta(), value.fragment()));
                case Mutation.Delete delete -> records.remove(delete.key());
            }
        }
    }

    Loaded load(RecordKey key) {
        Value value = records.get(key);
        return value == null ? new Loaded.Missing(key) : new Loaded.Found(key, value.meta(), value.fragment());
    }

    Loaded metas(RecordKind kind, BlockId from, BlockId to, int max) {
        List<Loaded.Meta> metas = new ArrayList<>();
        for (Map.Entry<RecordKey, Value> entry :
                records.tailMap(RecordKey.of(kind, from), true).entrySet()) {
            RecordKey key = entry.getKey();
            if (key.kind() != kind || key.block().compareTo(to) > 0 || metas.size() == max) {
                break;
            }
            metas.add(new Loaded.Meta(key, entry.getValue().meta()));
        }
        return new Loaded.Metas(kind, metas);
    }

    /** Replaces the fragments of one kind as a liar would, and returns how many there were. */
    int corrupt(RecordKind kind, UnaryOperator<Bytes> change) {
        int[] changed = new int[1];
        records.replaceAll((key, value) -> {
            if (key.kind() != kind || value.fragment().isEmpty()) {
                return value;
            }
            changed[0]++;
            return new Value(value.meta(), change.apply(value.fragment()));
        });
        return changed[0];
    }
}
