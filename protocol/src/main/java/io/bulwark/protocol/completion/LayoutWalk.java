package io.bulwark.protocol.completion;

import io.bulwark.protocol.cluster.Volume;
import io.bulwark.protocol.id.BlockId;
import io.bulwark.protocol.metadata.Reply;
import io.bulwark.protocol.object.ObjectLayout;
import io.bulwark.protocol.object.PinLists;
import io.bulwark.protocol.wire.Bytes;
import java.util.OptionalLong;

/**
 * The extents of one object that belong to a node, with their pins, from the last level of pin lists down to the data: pin
 * lists are read on the way, and only one branch of them is kept.
 */
final class LayoutWalk {
    private static final long NONE = -1;

    private final Volume volume;
    private final Reply.Reference reference;
    private final ObjectLayout layout;
    private final int node;
    private final PinLists lists;
    private long next;
    private long listInUse = NONE;

    /** @param reference one with a layout */
    LayoutWalk(Volume volume, Reply.Reference reference, int node) {
        this.volume = volume;
        this.reference = reference;
        this.layout = reference.layout().orElseThrow();
        this.node = node;
        this.lists = new PinLists(layout);
        this.next = layout.volume() == volume.id() ? layout.extents() - 1 : NONE;
        skipOthers();
    }

    Volume volume() {
        return volume;
    }

    Reply.Reference reference() {
        return reference;
    }

    ObjectLayout layout() {
        return layout;
    }

    boolean done() {
        return next == NONE;
    }

    /** The pin list that must be read first. */
    OptionalLong missing() {
        return lists.missing(next);
    }

    Bytes pinOfList(long list) {
        return lists.pin(list).orElseThrow();
    }

    /** @throws io.bulwark.protocol.wire.MalformedException unless it is the list that the layout has there */
    void loaded(long list, Bytes content) {
        lists.loaded(list, content);
    }

    /** The next extent, nothing being missing. */
    ReferencedExtent take() {
        BlockId block = layout.block(next);
        ReferencedExtent taken = new ReferencedExtent(
                volume, reference.arrival(), block, lists.pin(next).orElseThrow(), layout.lengthOf(next));
        next--;
        skipOthers();
        return taken;
    }

    private boolean isOwn(BlockId block) {
        return volume.knows(block) && volume.group(block).slotOf(node) >= 0;
    }

    private void skipOthers() {
        while (next >= 0 && !isOwn(layout.block(next))) {
            next--;
        }
        if (next < 0) {
            next = NONE;
            return;
        }
        long list = layout.listOf(next);
        if (list != listInUse && listInUse >= 0) {
            lists.forget(listInUse);
        }
        listInUse = list;
    }
}
