package io.bulwark.storage.store;

import io.bulwark.protocol.wire.Bytes;
import java.util.HashMap;
import java.util.HashSet;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import java.util.function.LongSupplier;
import org.jspecify.annotations.Nullable;

/** One batch of index changes in the making; later steps of the same batch see its earlier changes. */
final class IndexUpdate {
    private final RecordIndex index;
    private final RecordIndex.Changes changes;
    private final LongSupplier numbers;
    private final Map<Bytes, Optional<IndexEntry>> overlay = new HashMap<>();
    private final Map<Integer, Long> liveDeltas = new HashMap<>();
    private final Set<Long> vacated = new HashSet<>();
    private long recordsDelta;
    private long bytesDelta;

    /** @param numbers gives each change its own, each greater than all before */
    IndexUpdate(RecordIndex index, RecordIndex.Changes changes, LongSupplier numbers) {
        this.index = index;
        this.changes = changes;
        this.numbers = numbers;
    }

    /** @param fragment the fragment if the entry says that it is inline */
    void put(Bytes key, IndexEntry placed, Bytes fragment) throws StoreException {
        IndexEntry entry = placed.changed(numbers.getAsLong());
        leave(key, current(key));
        if (entry.place() == IndexEntry.Place.SEGMENT) {
            changes.occupy(key, entry);
            live(entry, 1);
        } else if (entry.place() == IndexEntry.Place.INLINE && entry.length() > 0) {
            changes.putFragment(key, fragment);
        }
        changes.put(key, entry);
        overlay.put(key, Optional.of(entry));
        recordsDelta++;
        bytesDelta += entry.bytes();
    }

    void updateMeta(Bytes key, Bytes meta) throws StoreException {
        IndexEntry old = current(key);
        if (old != null) {
            IndexEntry entry = old.withMeta(meta).changed(numbers.getAsLong());
            changes.put(key, entry);
            overlay.put(key, Optional.of(entry));
            bytesDelta += entry.bytes() - old.bytes();
        }
    }

    void delete(Bytes key) throws StoreException {
        IndexEntry old = current(key);
        if (old != null) {
            leave(key, old);
            changes.delete(key);
            overlay.put(key, Optional.empty());
        }
    }

    /**
     * Switches a record to its copy, unless it was replaced or deleted since it was read.
     *
     * @param to the copy, or null if what was read is damaged and the fragment is lost
     */
    void move(Bytes key, IndexEntry from, @Nullable IndexEntry to) throws StoreException {
        IndexEntry old = current(key);
        if (old == null || !old.hasSamePlace(from)) {
            return;
        }
        changes.vacate(old.segment(), old.offset());
        vacated.add(placeOf(old.segment(), old.offset()));
        live(old, -1);
        IndexEntry entry;
        if (to == null) {
            entry = IndexEntry.lost(old.meta()).changed(numbers.getAsLong());
            bytesDelta += entry.bytes() - old.bytes();
        } else {
            entry = to.withMeta(old.meta()).changed(numbers.getAsLong());
            changes.occupy(key, entry);
            live(entry, 1);
        }
        changes.put(key, entry);
        overlay.put(key, Optional.of(entry));
    }

    /** Gives up a place that is gone from the disk; the record that points there has lost its fragment. */
    void lose(RecordIndex.LiveRecord place) throws StoreException {
        IndexEntry entry = current(place.key());
        if (entry != null
                && entry.place() == IndexEntry.Place.SEGMENT
                && entry.segment() == place.segment()
                && entry.offset() == place.offset()) {
            move(place.key(), entry, null);
        } else {
            changes.vacate(place.segment(), place.offset());
        }
    }

    /** Gives up a place that no entry points to, as its record's entry was damaged. */
    void reclaim(RecordIndex.LiveRecord place) throws StoreException {
        IndexEntry entry = current(place.key());
        boolean pointedTo = entry != null
                && entry.place() == IndexEntry.Place.SEGMENT
                && entry.segment() == place.segment()
                && entry.offset() == place.offset();
        if (!pointedTo && vacated.add(placeOf(place.segment(), place.offset())) && index.occupies(place)) {
            changes.vacate(place.segment(), place.offset());
            liveDeltas.merge(place.segment(), -(long) RecordHeader.footprint(place.length()), Long::sum);
        }
    }

    Map<Integer, Long> liveDeltas() {
        return liveDeltas;
    }

    long recordsDelta() {
        return recordsDelta;
    }

    long bytesDelta() {
        return bytesDelta;
    }

    /** The entry as of now; one that is damaged counts as a record whose fragment is lost. */
    private @Nullable IndexEntry current(Bytes key) throws StoreException {
        Optional<IndexEntry> changed = overlay.get(key);
        if (changed != null) {
            return changed.orElse(null);
        }
        byte[] value = index.get(key);
        if (value == null) {
            return null;
        }
        IndexEntry entry = IndexEntry.decode(key, value);
        return entry == null ? IndexEntry.lost(Bytes.EMPTY) : entry;
    }

    private void leave(Bytes key, @Nullable IndexEntry old) throws StoreException {
        if (old == null) {
            return;
        }
        switch (old.place()) {
            case SEGMENT -> {
                changes.vacate(old.segment(), old.offset());
                vacated.add(placeOf(old.segment(), old.offset()));
                live(old, -1);
            }
            case INLINE, LOST -> changes.deleteFragment(key);
        }
        recordsDelta--;
        bytesDelta -= old.bytes();
    }

    private void live(IndexEntry entry, int sign) {
        liveDeltas.merge(entry.segment(), (long) sign * RecordHeader.footprint(entry.length()), Long::sum);
    }

    private static long placeOf(int segment, int offset) {
        return (long) segment << 32 | offset;
    }
}
