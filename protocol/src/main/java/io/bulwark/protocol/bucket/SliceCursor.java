package io.bulwark.protocol.bucket;

import io.bulwark.protocol.id.BlockId;
import io.bulwark.protocol.object.ObjectLayout;
import io.bulwark.protocol.object.PinLists;
import io.bulwark.protocol.wire.Bytes;
import java.util.OptionalLong;

/** Walks the extents that hold a range of one inode, in order, with their pins. */
final class SliceCursor {
    private static final long NONE = -1;

    private final long inode;
    private final ObjectLayout layout;
    private final PinLists pinLists;
    private final long end;
    private long position;
    /** The last pin list of level 1, the only one of them that is kept. */
    private long heldList = NONE;

    /**
     * An extent to fetch.
     *
     * @param length its true length
     * @param from the first of its bytes that is wanted
     * @param count how many of them are
     */
    record Extent(long inode, BlockId block, Bytes pin, int length, int from, int count) {}

    /**
     * Begins with the first byte wanted.
     *
     * @param end the one behind the last
     */
    SliceCursor(long inode, ObjectLayout layout, long position, long end) {
        this.inode = inode;
        this.layout = layout;
        this.pinLists = new PinLists(layout);
        this.position = position;
        this.end = end;
    }

    boolean isDone() {
        return position >= end;
    }

    /** Returns the pin list to be fetched before the next extent. */
    OptionalLong missing() {
        return pinLists.missing(position / layout.blockBytes());
    }

    /** Returns a pin list as an extent to fetch. */
    Extent list(long list) {
        int length = layout.lengthOf(list);
        return new Extent(inode, layout.block(list), pinLists.pin(list).orElseThrow(), length, 0, length);
    }

    /**
     * Takes the content of a pin list.
     *
     * @throws io.bulwark.protocol.wire.MalformedException if it is none
     */
    void loaded(long list, Bytes content) {
        pinLists.loaded(list, content);
        if (layout.levelOf(list) == 1) {
            if (heldList != NONE) {
                pinLists.forget(heldList);
            }
            heldList = list;
        }
    }

    /** Returns the length of the next extent. */
    int nextLength() {
        return layout.lengthOf(position / layout.blockBytes());
    }

    /** Takes the next extent, no pin list being missing. */
    Extent take() {
        long index = position / layout.blockBytes();
        int length = layout.lengthOf(index);
        int from = (int) (position % layout.blockBytes());
        int count = (int) Math.min(length - from, end - position);
        position += count;
        return new Extent(inode, layout.block(index), pinLists.pin(index).orElseThrow(), length, from, count);
    }
}
