package io.bulwark.protocol.state;

import io.bulwark.protocol.wire.Bytes;
import java.util.Map;
import java.util.NavigableMap;
import java.util.Optional;
import java.util.TreeMap;
import java.util.function.BiPredicate;

/** A state in memory: for replicas whose engine takes whole snapshots, and for tests. */
public final class TreeMapState implements KeyValueState {
    private final NavigableMap<Bytes, Bytes> entries;

    public TreeMapState() {
        entries = new TreeMap<>();
    }

    private TreeMapState(NavigableMap<Bytes, Bytes> entries) {
        this.entries = entries;
    }

    /** The number of keys. */
    public int size() {
        return entries.size();
    }

    /** The same entries, in a state of its own; linear in their number, keys and values are shared. */
    public TreeMapState copy() {
        return new TreeMapState(new TreeMap<>(entries));
    }

    @Override
    public Optional<Bytes> get(Bytes key) {
        return Optional.ofNullable(entries.get(key));
    }

    @Override
    public void put(Bytes key, Bytes value) {
        KeyValueState.check(key, value);
        entries.put(detachedCopy(key), detachedCopy(value));
    }

    @Override
    public void remove(Bytes key) {
        entries.remove(key);
    }

    @Override
    public void scan(Bytes from, Bytes to, BiPredicate<Bytes, Bytes> visitor) {
        if (from.compareTo(to) >= 0) {
            return;
        }
        for (Map.Entry<Bytes, Bytes> entry : entries.subMap(from, to).entrySet()) {
            if (!visitor.test(entry.getKey(), entry.getValue())) {
                return;
            }
        }
    }

    /** The bytes without the rest of the frame that they were read from, which they would keep in memory. */
    static Bytes detachedCopy(Bytes bytes) {
        return bytes.length() == bytes.array().length ? bytes : Bytes.of(bytes.toByteArray());
    }
}
