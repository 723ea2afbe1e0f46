package io.bulwark.protocol.metadata;

import io.bulwark.protocol.wire.Bytes;
import java.util.LinkedHashMap;
import java.util.Map;
import java.util.Optional;

/** The records of a table that the current command has in hand: one object for each key, written at its end if changed. */
final class RecordCache<K, V> {
    private final Table<K, V> table;
    private final Map<K, CachedRecord<V>> held = new LinkedHashMap<>();

    private record CachedRecord<V>(Bytes before, V value) {}

    RecordCache(Table<K, V> table) {
        this.table = table;
    }

    Optional<V> find(K key) {
        CachedRecord<V> known = held.get(key);
        if (known != null) {
            return Optional.of(known.value);
        }
        Optional<Bytes> encoded = table.encoded(key);
        return encoded.map(before -> {
            V value = table.decode(before);
            held.put(key, new CachedRecord<>(before, value));
            return value;
        });
    }

    V add(K key, V value) {
        held.put(key, new CachedRecord<>(Bytes.EMPTY, value));
        return value;
    }

    void remove(K key) {
        held.remove(key);
        table.remove(key);
    }

    /** Forgets what another command had in hand. */
    void begin() {
        held.clear();
    }

    void end() {
        held.forEach((key, record) -> {
            Bytes now = table.encode(record.value);
            if (!now.equals(record.before)) {
                table.putEncoded(key, now);
            }
        });
        held.clear();
    }
}
