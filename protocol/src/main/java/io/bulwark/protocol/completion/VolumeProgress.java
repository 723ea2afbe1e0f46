package io.bulwark.protocol.completion;

import io.bulwark.protocol.cluster.Volume;
import io.bulwark.protocol.id.BlockId;
import io.bulwark.protocol.metadata.Reply;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.SortedMap;
import java.util.TreeMap;

/** How far a node has come with one volume, and what it could not do yet. */
final class VolumeProgress {
    /** With more than this unfinished, nothing new is learned. */
    private static final int UNFINISHED_MAX = 10_000;

    private final SortedMap<BlockId, Referenced> unfinished = new TreeMap<>();
    private final List<Map.Entry<Volume, Reply.Reference>> unreadable = new ArrayList<>();
    private long cursor;
    private boolean caughtUp;
    private long retriedMillis;

    VolumeProgress(long cursor) {
        this.cursor = cursor;
    }

    long cursor() {
        return cursor;
    }

    boolean caughtUp() {
        return caughtUp;
    }

    long unfinished() {
        return (long) unfinished.size() + unreadable.size();
    }

    boolean crowded() {
        return unfinished() >= UNFINISHED_MAX;
    }

    void advance(long inode, boolean atTheEnd) {
        cursor = Math.max(cursor, inode);
        caughtUp = atTheEnd;
    }

    /** Everything up to this inode is done. */
    long safeCursor() {
        long safe = cursor;
        for (Referenced extent : unfinished.values()) {
            safe = Math.min(safe, extent.inode() - 1);
        }
        for (Map.Entry<Volume, Reply.Reference> reference : unreadable) {
            safe = Math.min(safe, reference.getValue().inode() - 1);
        }
        return safe;
    }

    void done(Referenced extent) {
        unfinished.remove(extent.block());
    }

    void notDone(Referenced extent) {
        unfinished.put(extent.block(), extent);
    }

    /** A pin list of this object could not be read. */
    void unreadable(Volume volume, Reply.Reference reference) {
        unreadable.add(Map.entry(volume, reference));
    }

    boolean retryIsDue(long nowMillis, long retryMillis) {
        if (unfinished() == 0 || nowMillis - retriedMillis < retryMillis) {
            return false;
        }
        retriedMillis = nowMillis;
        return true;
    }

    List<Referenced> toRetry() {
        return List.copyOf(unfinished.values());
    }

    List<Map.Entry<Volume, Reply.Reference>> takeUnreadable() {
        List<Map.Entry<Volume, Reply.Reference>> taken = List.copyOf(unreadable);
        unreadable.clear();
        return taken;
    }
}
