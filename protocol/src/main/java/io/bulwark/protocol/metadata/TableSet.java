package io.bulwark.protocol.metadata;

import io.bulwark.protocol.state.KeyValueState;
import java.util.Map;
import java.util.TreeMap;

/** Tables of one {@link KeyValueState}, by the number that their keys begin with. */
class TableSet {
    final KeyValueState state;
    final Map<Integer, Table<?, ?>> byPrefix = new TreeMap<>();

    TableSet(KeyValueState state) {
        this.state = state;
    }

    final <K, V> Table<K, V> table(int prefix, FieldFormat<K> keys, FieldFormat<V> values) {
        Table<K, V> table = new Table<>(state, prefix, keys, values);
        byPrefix.put(prefix, table);
        return table;
    }
}
