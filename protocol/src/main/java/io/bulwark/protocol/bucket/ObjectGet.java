package io.bulwark.protocol.bucket;

import io.bulwark.protocol.cluster.ProtectionPolicy;
import io.bulwark.protocol.cluster.Volume;
import io.bulwark.protocol.extent.ReadOutcome;
import io.bulwark.protocol.id.BlockId;
import io.bulwark.protocol.metadata.Query;
import io.bulwark.protocol.metadata.Reply;
import io.bulwark.protocol.object.Inode;
import io.bulwark.protocol.object.ObjectLayout;
import io.bulwark.protocol.object.PinLists;
import io.bulwark.protocol.wire.Bytes;
import io.bulwark.protocol.wire.MalformedException;
import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.Deque;
import java.util.List;
import java.util.Optional;
import java.util.OptionalLong;
import org.jspecify.annotations.Nullable;

/**
 * Gets a range of one version of an object (docs/protocols/extents.md, "a pinned read"), block by block in order, with some
 * blocks of read-ahead. It gets only the blocks that hold the range, and the pin lists above them. One block may always
 * be in flight, more only as {@link ReadAheadQuota} permits, so that a slow reader keeps nobody else from reading.
 */
public final class ObjectGet {
    private static final long NONE = -1;

    private final Volume volume;
    private final Inode inode;
    private final ReadAheadQuota room;
    private final PinLists pinLists;
    private final Deque<ReadAheadEntry> ahead = new ArrayDeque<>();
    private final long end;
    private long position;
    private long nextExtent;
    /** The last pin list of level 1, the only one of them that is kept. */
    private long heldList = NONE;

    private long wantedList;
    private long listToken = NONE;
    private @Nullable ExtentFailure freed;
    private long freedToken = NONE;
    private long lastToken;
    private @Nullable GetFailure failure;

    /** Number of bytes of blocks that may be read ahead. */
    public interface ReadAheadQuota {
        /** Takes so much, if it is there. */
        boolean take(int bytes);

        void giveBack(int bytes);
    }

    private static final class ReadAheadEntry {
        private final long token;
        private final BlockId block;
        private final int length;
        private final int reserved;
        private @Nullable ReadOutcome outcome;

        private ReadAheadEntry(long token, BlockId block, int length, int reserved) {
            this.token = token;
            this.block = block;
            this.length = length;
            this.reserved = reserved;
        }
    }

    /**
     * Begins to read.
     *
     * @param offset first byte wanted; behind the end nothing is read
     * @param length how many bytes at most
     */
    public ObjectGet(Volume volume, Inode inode, long offset, long length, ReadAheadQuota room) {
        this.volume = volume;
        this.inode = inode;
        this.room = room;
        this.pinLists = new PinLists(inode.layout());
        this.position = Math.min(offset, layout().length());
        this.end = position + Math.min(length, layout().length() - position);
        this.nextExtent = position / layout().blockBytes();
    }

    /**
     * The bytes of an extent, if a read came to them.
     *
     * @param length the true length that the layout gives the extent
     */
    public static Optional<Bytes> content(Volume volume, ReadOutcome outcome, int length) {
        ProtectionPolicy policy = volume.policy();
        return outcome instanceof ReadOutcome.Whole(Bytes content)
                        && content.length() == policy.m() * policy.fragmentBytes(length)
                ? Optional.of(content.slice(0, length))
                : Optional.empty();
    }

    /** Returns the number of bytes that {@link #next} has not given yet. */
    public long remaining() {
        return end - position;
    }

    /** Returns why no more bytes will come. */
    public Optional<GetFailure> failure() {
        return Optional.ofNullable(failure);
    }

    /** Begins to fetch as much as there is room for; to be called at the start and whenever bytes were taken. */
    public List<ObjectStep> readAhead() {
        List<ObjectStep> steps = new ArrayList<>();
        ReadAheadEntry head = ahead.peekFirst();
        if (head != null && head.outcome != null && failure == null && freed == null) {
            ReadOutcome outcome = head.outcome;
            if (content(volume, outcome, head.length).isEmpty()) {
                return explain(ExtentFailure.of(head.block, outcome));
            }
        }
        long last = (end - 1) / layout().blockBytes();
        while (failure == null
                && freed == null
                && listToken == NONE
                && position < end
                && nextExtent <= last
                && ahead.size() < ObjectPut.WINDOW_BLOCKS) {
            OptionalLong missing = pinLists.missing(nextExtent);
            if (missing.isPresent()) {
                fetchList(missing.getAsLong(), steps);
                return steps;
            }
            int length = layout().lengthOf(nextExtent);
            int reserved = ahead.isEmpty() ? 0 : length;
            if (reserved > 0 && !room.take(reserved)) {
                return steps;
            }
            BlockId block = layout().block(nextExtent);
            long token = ++lastToken;
            ahead.addLast(new ReadAheadEntry(token, block, length, reserved));
            Bytes pin = pinLists.pin(nextExtent).orElseThrow();
            steps.add(new ObjectStep.FetchExtent(token, block, pin, length));
            nextExtent++;
        }
        return steps;
    }

    public List<ObjectStep> onFetched(long token, ReadOutcome outcome) {
        if (token == listToken) {
            listToken = NONE;
            return onList(outcome);
        }
        ahead.stream().filter(each -> each.token == token).forEach(each -> each.outcome = outcome);
        return readAhead();
    }

    public List<ObjectStep> onReply(long token, Reply reply) {
        if (token == freedToken && freed != null && failure == null) {
            failure = reply instanceof Reply.InodeFound found
                    ? found.inode().isEmpty() ? new GetFailure.Changed(freed) : new GetFailure.NotFreed(freed)
                    : new GetFailure.Refused(reply);
            close();
        }
        return List.of();
    }

    /** The next bytes in order, if they have come; nothing at the end. */
    public Optional<Bytes> next() {
        ReadAheadEntry head = ahead.peekFirst();
        Optional<Bytes> block =
                head == null || head.outcome == null ? Optional.empty() : content(volume, head.outcome, head.length);
        if (head == null || block.isEmpty()) {
            return Optional.empty();
        }
        ahead.removeFirst();
        room.giveBack(head.reserved);
        int from = (int) (position % layout().blockBytes());
        int count = (int) Math.min(head.length - from, end - position);
        position += count;
        return Optional.of(block.get().slice(from, count));
    }

    /** Returns whether {@link #next} has given everything; never true after a failure. */
    public boolean isAtEnd() {
        return failure == null && position == end;
    }

    /** Gives up what is under way. */
    public void close() {
        ahead.forEach(each -> room.giveBack(each.reserved));
        ahead.clear();
        position = end;
    }

    private void fetchList(long list, List<ObjectStep> steps) {
        wantedList = list;
        listToken = ++lastToken;
        Bytes pin = pinLists.pin(list).orElseThrow();
        steps.add(new ObjectStep.FetchExtent(listToken, layout().block(list), pin, layout().lengthOf(list)));
    }

    private List<ObjectStep> onList(ReadOutcome outcome) {
        if (failure != null || freed != null || isAtEnd()) {
            return List.of();
        }
        Optional<Bytes> content = content(volume, outcome, layout().lengthOf(wantedList));
        if (content.isEmpty()) {
            return explain(ExtentFailure.of(layout().block(wantedList), outcome));
        }
        try {
            pinLists.loaded(wantedList, content.get());
        } catch (MalformedException e) {
            failure = new GetFailure.NoPinList("a pin list is invalid: its writer lied: " + e.getMessage());
            close();
            return List.of();
        }
        if (layout().levelOf(wantedList) == 1) {
            if (heldList != NONE) {
                pinLists.forget(heldList);
            }
            heldList = wantedList;
        }
        return readAhead();
    }

    /** "Freed" may mean that the version is gone, or that nodes lie: the metadata knows. */
    private List<ObjectStep> explain(ExtentFailure failed) {
        if (failed.reason() == ExtentFailure.Reason.FREED) {
            freed = failed;
            freedToken = ++lastToken;
            return List.of(new ObjectStep.Ask(freedToken, new Query.FindInode(inode.id())));
        }
        failure = new GetFailure.Extent(failed);
        close();
        return List.of();
    }

    private ObjectLayout layout() {
        return inode.layout();
    }
}
