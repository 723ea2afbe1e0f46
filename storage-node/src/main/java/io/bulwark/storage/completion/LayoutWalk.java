package io.bulwark.storage.completion;

import io.bulwark.client.driver.OperationDriver;
import io.bulwark.protocol.cluster.Volume;
import io.bulwark.protocol.extent.ExtentRead;
import io.bulwark.protocol.extent.ExtentTiming;
import io.bulwark.protocol.extent.ReadOutcome;
import io.bulwark.protocol.id.BlockId;
import io.bulwark.protocol.object.ObjectLayout;
import io.bulwark.protocol.object.PinLists;
import io.bulwark.protocol.wire.Bytes;
import io.bulwark.protocol.wire.MalformedException;
import java.util.OptionalLong;
import java.util.Set;
import java.util.concurrent.ExecutionException;

/**
 * The extents of one object that belong to a node, with their pins; pin lists are read on the way, from the last level down.
 */
final class LayoutWalk {
    private static final ExtentTiming TIMING = ExtentTiming.standard().withDeadlineMillis(15_000);

    /** Gets each extent. */
    interface Visitor {
        void visit(Referenced extent) throws InterruptedException;
    }

    private final OperationDriver operations;
    private final int node;

    LayoutWalk(OperationDriver operations, int node) {
        this.operations = operations;
        this.node = node;
    }

    /**
     * Visits the extents, those of pin lists first.
     *
     * @return false if a pin list could not be read now, or is not one
     */
    boolean walk(Volume volume, long inode, ObjectLayout layout, Visitor visitor) throws InterruptedException {
        if (layout.volume() != volume.id()) {
            return true;
        }
        PinLists lists = new PinLists(layout);
        long listInUse = -1;
        for (long extent = layout.extents() - 1; extent >= 0; extent--) {
            BlockId block = layout.block(extent);
            if (volume.group(block).slotOf(node) < 0) {
                continue;
            }
            long list = layout.listOf(extent);
            if (list != listInUse && listInUse >= 0) {
                lists.forget(listInUse);
            }
            listInUse = list;
            if (!load(volume, layout, lists, extent)) {
                return false;
            }
            Bytes pin = lists.pin(extent).orElseThrow();
            visitor.visit(new Referenced(volume, inode, block, pin));
        }
        return true;
    }

    private boolean load(Volume volume, ObjectLayout layout, PinLists lists, long extent) throws InterruptedException {
        OptionalLong missing = lists.missing(extent);
        while (missing.isPresent()) {
            long list = missing.getAsLong();
            Bytes pin = lists.pin(list).orElseThrow();
            ExtentRead read = new ExtentRead(volume, layout.block(list), pin, Set.of(), TIMING);
            try {
                ReadOutcome outcome = operations.submit(read).get();
                if (!(outcome instanceof ReadOutcome.Whole(Bytes content))
                        || content.length() < layout.lengthOf(list)) {
                    return false;
                }
                lists.loaded(list, content.slice(0, layout.lengthOf(list)));
            } catch (ExecutionException | MalformedException e) {
                return false;
            }
            missing = lists.missing(extent);
        }
        return true;
    }
}
