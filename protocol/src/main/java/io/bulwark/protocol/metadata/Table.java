package io.bulwark.protocol.metadata;

import io.bulwark.protocol.state.KeyValueState;
import io.bulwark.protocol.wire.Bytes;
import io.bulwark.protocol.wire.MalformedException;
import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.Iterator;
import java.util.List;
import java.util.NoSuchElementException;
import java.util.Optional;

/**
 * The records of one type. Their keys in the state begin with a byte of their own; behind it they ascend as the fields of
 * the key do, from the first on. A key that a range begins or ends with need not be there.
 */
final class Table<K, V> {
    private static final int CHUNK_MAX = 64;

    private final KeyValueState state;
    private final int prefix;
    private final FieldFormat<K> keys;
    private final FieldFormat<V> values;

    record Entry<K, V>(K key, V value) {}

    Table(KeyValueState state, int prefix, FieldFormat<K> keys, FieldFormat<V> values) {
        this.state = state;
        this.prefix = prefix;
        this.keys = keys;
        this.values = values;
    }

    Optional<V> get(K key) {
        return encoded(key).map(values::decode);
    }

    boolean contains(K key) {
        return encoded(key).isPresent();
    }

    /** Returns the record of this key as it is stored. */
    Optional<Bytes> encoded(K key) {
        return state.get(keys.encode(prefix, key));
    }

    void put(K key, V value) {
        putEncoded(key, values.encode(value));
    }

    void putEncoded(K key, Bytes value) {
        state.put(keys.encode(prefix, key), value);
    }

    void remove(K key) {
        state.remove(keys.encode(prefix, key));
    }

    V decode(Bytes value) {
        return values.decode(value);
    }

    Bytes encode(V value) {
        return values.encode(value);
    }

    /** The first record from a key on, below another. */
    Optional<Entry<K, V>> first(K from, K to) {
        return first(keys.encode(prefix, from), keys.encode(prefix, to));
    }

    Optional<Entry<K, V>> first() {
        return first(Bytes.of((byte) prefix), behind());
    }

    private Optional<Entry<K, V>> first(Bytes from, Bytes to) {
        List<Entry<K, V>> found = new ArrayList<>(1);
        state.scan(from, to, (key, value) -> {
            found.add(entry(key, value));
            return false;
        });
        return found.isEmpty() ? Optional.empty() : Optional.of(found.getFirst());
    }

    private Entry<K, V> entry(Bytes key, Bytes value) {
        return new Entry<>(keys.decode(key.slice(1, key.length() - 1)), values.decode(value));
    }

    /** All from a key on, below another. Records met while changes are made may be as they were shortly before. */
    Iterable<Entry<K, V>> range(K from, K to) {
        return () -> new RecordIterator(keys.encode(prefix, from), keys.encode(prefix, to), 2);
    }

    Iterable<Entry<K, V>> from(K from) {
        return () -> new RecordIterator(keys.encode(prefix, from), behind(), 2);
    }

    Iterable<Entry<K, V>> all() {
        return () -> new RecordIterator(Bytes.of((byte) prefix), behind(), 2);
    }

    /** Returns the entries of a range, as they are now. */
    List<Entry<K, V>> list(K from, K to) {
        List<Entry<K, V>> list = new ArrayList<>();
        range(from, to).forEach(list::add);
        return list;
    }

    /**
     * Checks that a key of this table and its value are what would be written.
     *
     * @throws MalformedException if not
     */
    void check(Bytes key, Bytes value) {
        K decoded = keys.decode(key.slice(1, key.length() - 1));
        if (!keys.encode(prefix, decoded).equals(key)
                || !values.encode(values.decode(value)).equals(value)) {
            throw new MalformedException("not canonical in table " + prefix);
        }
    }

    private Bytes behind() {
        return Bytes.of((byte) (prefix + 1));
    }

    /** Fetches records in growing portions. */
    private final class RecordIterator implements Iterator<Entry<K, V>> {
        private final ArrayDeque<Entry<K, V>> ready = new ArrayDeque<>();
        private final Bytes to;
        private Bytes from;
        private int chunk;
        private boolean over;

        private RecordIterator(Bytes from, Bytes to, int chunk) {
            this.from = from;
            this.to = to;
            this.chunk = chunk;
        }

        @Override
        public boolean hasNext() {
            if (ready.isEmpty() && !over) {
                over = true;
                state.scan(from, to, (key, value) -> {
                    ready.add(entry(key, value));
                    over = ready.size() < chunk;
                    if (!over) {
                        from = successor(key);
                    }
                    return over;
                });
                chunk = Math.min(2 * chunk, CHUNK_MAX);
            }
            return !ready.isEmpty();
        }

        @Override
        public Entry<K, V> next() {
            if (!hasNext()) {
                throw new NoSuchElementException();
            }
            return ready.remove();
        }

        private static Bytes successor(Bytes key) {
            byte[] next = new byte[key.length() + 1];
            key.copyTo(0, next, 0, key.length());
            return Bytes.of(next);
        }
    }
}
