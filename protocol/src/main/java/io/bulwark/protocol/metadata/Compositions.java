package io.bulwark.protocol.metadata;

import io.bulwark.protocol.metadata.Tables.SliceKey;
import io.bulwark.protocol.object.Composition;
import io.bulwark.protocol.object.Inode;
import io.bulwark.protocol.object.ObjectLayout;
import io.bulwark.protocol.object.OwnContent;
import io.bulwark.protocol.object.Slice;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;

/**
 * Slices of compositions (docs/protocols/metadata.md). Each is a link to an inode with extents of its own: a slice of a
 * composition becomes the slices that it is made of. Records hold a few slices each, and are found by offset.
 */
final class Compositions {
    static final int SLICES_PER_RECORD = 64;

    private final Tables tables;

    /** Slices and the sum of their lengths. */
    static final class SliceSequence {
        private final List<Slice> slices = new ArrayList<>();
        private long length;

        /** Appends a slice; together with one that it continues it is one. */
        void add(Slice slice) {
            addLength(slice.length());
            if (!slices.isEmpty()) {
                Slice last = slices.getLast();
                if (last.inode() == slice.inode() && last.offset() + last.length() == slice.offset()) {
                    slices.removeLast();
                    slices.add(new Slice(last.inode(), last.offset(), last.length() + slice.length()));
                    return;
                }
            }
            CommandRefusal.refuseUnless(
                    slices.size() < Composition.SLICES_MAX,
                    MetadataError.LIMIT_REACHED,
                    "an object has at most " + Composition.SLICES_MAX + " slices");
            slices.add(slice);
        }

        private void addLength(long added) {
            CommandRefusal.refuseUnless(
                    added <= ObjectLayout.LENGTH_MAX - length,
                    MetadataError.LIMIT_REACHED,
                    "an object has at most " + ObjectLayout.LENGTH_MAX + " bytes");
            length += added;
        }

        List<Slice> slices() {
            return slices;
        }

        long length() {
            return length;
        }
    }

    /** A slice and where it begins in the composition. */
    record Placed(long start, Slice slice) {}

    Compositions(Tables tables) {
        this.tables = tables;
    }

    /** Writes the slices of a new composition. */
    void put(long inode, List<Slice> slices) {
        long end = 0;
        for (int first = 0; first < slices.size(); first += SLICES_PER_RECORD) {
            List<Slice> some = slices.subList(first, Math.min(first + SLICES_PER_RECORD, slices.size()));
            end += lengthOf(some);
            tables.slices.put(new SliceKey(inode, end), List.copyOf(some));
        }
    }

    /** Removes some slices of a composition that nothing links to, and returns them; none if there are no more. */
    List<Slice> take(long inode) {
        Optional<Table.Entry<SliceKey, List<Slice>>> first =
                tables.slices.first(new SliceKey(inode, 0), new SliceKey(inode + 1, 0));
        first.ifPresent(record -> tables.slices.remove(record.key()));
        return first.map(Table.Entry::value).orElse(List.of());
    }

    /** The slices of a composition from the one with this byte on. */
    List<Placed> from(long inode, long offset, int limit) {
        List<Placed> page = new ArrayList<>();
        for (Table.Entry<SliceKey, List<Slice>> record :
                tables.slices.range(new SliceKey(inode, offset + 1), new SliceKey(inode + 1, 0))) {
            long start = record.key().end() - lengthOf(record.value());
            for (Slice slice : record.value()) {
                if (start + slice.length() > offset) {
                    if (page.size() == limit) {
                        return page;
                    }
                    page.add(new Placed(start, slice));
                }
                start += slice.length();
            }
        }
        return page;
    }

    /** Appends a part of an inode's content to a composition that is being made. */
    void append(Inode inode, long offset, long length, SliceSequence to) {
        if (length == 0) {
            return;
        }
        switch (inode.content()) {
            case OwnContent ignored -> to.add(new Slice(inode.id(), offset, length));
            case Composition ignored -> {
                long end = offset + length;
                for (Table.Entry<SliceKey, List<Slice>> record :
                        tables.slices.range(new SliceKey(inode.id(), offset + 1), new SliceKey(inode.id() + 1, 0))) {
                    long start = record.key().end() - lengthOf(record.value());
                    for (Slice slice : record.value()) {
                        long from = Math.max(offset, start);
                        long until = Math.min(end, start + slice.length());
                        if (from < until) {
                            to.add(new Slice(slice.inode(), slice.offset() + from - start, until - from));
                        }
                        start += slice.length();
                    }
                    if (start >= end) {
                        return;
                    }
                }
            }
        }
    }

    private static long lengthOf(List<Slice> slices) {
        long length = 0;
        for (Slice slice : slices) {
            length += slice.length();
        }
        return length;
    }
}
