package io.bulwark.protocol.state;

import io.bulwark.protocol.wire.Bytes;
import java.util.Iterator;
import java.util.Map;
import java.util.NavigableMap;
import java.util.Optional;
import java.util.TreeMap;
import java.util.function.BiPredicate;

/** Changes over another state, which stays as it is, and whose own later changes show through where there are none here. */
public final class OverlayState implements KeyValueState {
    /** Memory that a change takes beside its key and value: objects for both and a place in the tree. */
    private static final int CHANGE_BYTES = 200;

    private final KeyValueState base;
    private long bytes;

    /** Values by key; removed keys have none. */
    private final NavigableMap<Bytes, Optional<Bytes>> changes = new TreeMap<>();

    public OverlayState(KeyValueState base) {
        this.base = base;
    }

    @Override
    public Optional<Bytes> get(Bytes key) {
        Optional<Bytes> changed = changes.get(key);
        return changed != null ? changed : base.get(key);
    }

    @Override
    public void put(Bytes key, Bytes value) {
        KeyValueState.check(key, value);
        change(TreeMapState.detachedCopy(key), Optional.of(TreeMapState.detachedCopy(value)));
    }

    @Override
    public void remove(Bytes key) {
        change(TreeMapState.detachedCopy(key), Optional.empty());
    }

    private void change(Bytes key, Optional<Bytes> value) {
        Optional<Bytes> before = changes.put(key, value);
        bytes += lengthOf(value) + (before == null ? CHANGE_BYTES + key.length() : -lengthOf(before));
    }

    private static long lengthOf(Optional<Bytes> value) {
        return value.map(Bytes::length).orElse(0);
    }

    /** Returns about how much memory the changes take. */
    public long bytes() {
        return bytes;
    }

    @Override
    public void scan(Bytes from, Bytes to, BiPredicate<Bytes, Bytes> visitor) {
        if (from.compareTo(to) >= 0) {
            return;
        }
        Merge merge = new Merge(changes.subMap(from, true, to, false), visitor);
        base.scan(from, to, (key, value) -> {
            if (!merge.showBelow(key)) {
                return false;
            }
            // What is changed here was shown, or is removed.
            return changes.containsKey(key) ? merge.show(key) : merge.show(key, value);
        });
        merge.showRest();
    }

    /** Shows changed entries in their places among those of the base, until the visitor has enough. */
    private static final class Merge {
        private final BiPredicate<Bytes, Bytes> visitor;
        private final Iterator<Map.Entry<Bytes, Optional<Bytes>>> changed;
        private Optional<Map.Entry<Bytes, Optional<Bytes>>> next = Optional.empty();
        private boolean over;

        private Merge(NavigableMap<Bytes, Optional<Bytes>> changes, BiPredicate<Bytes, Bytes> visitor) {
            this.visitor = visitor;
            changed = changes.entrySet().iterator();
            advance();
        }

        private void advance() {
            next = changed.hasNext() ? Optional.of(changed.next()) : Optional.empty();
        }

        private boolean showBelow(Bytes key) {
            while (!over && next.isPresent() && next.get().getKey().compareTo(key) < 0) {
                showNext();
            }
            return !over;
        }

        /** Shows what is changed at this key of the base. */
        private boolean show(Bytes key) {
            if (next.isPresent() && next.get().getKey().equals(key)) {
                showNext();
            }
            return !over;
        }

        private boolean show(Bytes key, Bytes value) {
            over = !visitor.test(key, value);
            return !over;
        }

        private void showRest() {
            while (!over && next.isPresent()) {
                showNext();
            }
        }

        private void showNext() {
            Map.Entry<Bytes, Optional<Bytes>> entry = next.orElseThrow();
            advance();
            over = entry.getValue().isPresent()
                    && !visitor.test(entry.getKey(), entry.getValue().get());
        }
    }
}
