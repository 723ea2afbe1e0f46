package io.bulwark.protocol.bucket;

import io.bulwark.protocol.cluster.ProtectionPolicy;
import io.bulwark.protocol.cluster.Volume;
import io.bulwark.protocol.extent.ReadOutcome;
import io.bulwark.protocol.id.BlockId;
import io.bulwark.protocol.id.BlockRange;
import io.bulwark.protocol.metadata.MetadataError;
import io.bulwark.protocol.metadata.Query;
import io.bulwark.protocol.metadata.Reply;
import io.bulwark.protocol.object.InlineContent;
import io.bulwark.protocol.object.ObjectContent;
import io.bulwark.protocol.object.ObjectLayout;
import io.bulwark.protocol.object.OwnContent;
import io.bulwark.protocol.object.Slice;
import io.bulwark.protocol.wire.Bytes;
import io.bulwark.protocol.wire.MalformedException;
import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.Deque;
import java.util.EnumSet;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Optional;
import java.util.OptionalLong;
import java.util.Set;
import org.jspecify.annotations.Nullable;

/**
 * Gets a range of one version of an object (docs/protocols/extents.md, "a pinned read"), block by block in order, with some
 * blocks of read-ahead. It gets only the blocks that hold the range, and the pin lists above them. One block may always
 * be in flight, more only as {@link ReadAheadQuota} permits, so that a slow reader keeps nobody else from reading. The
 * slices of a composition come in pages as the read proceeds. Inline bytes are there already.
 */
public final class ObjectGet {
    private static final long NONE = -1;

    /** These errors say that a version that was found before is no longer there. */
    private static final Set<MetadataError> GONE =
            EnumSet.of(MetadataError.NO_SUCH_BUCKET, MetadataError.NO_SUCH_OBJECT, MetadataError.NO_SUCH_VERSION);

    private Volume volume;
    private final ObjectVersion object;
    private final ReadAheadQuota room;
    private final Deque<ReadAheadEntry> ahead = new ArrayDeque<>();
    /** Slices with blocks to fetch, or with inline bytes. */
    private final Deque<Part> slices = new ArrayDeque<>();

    private final Set<BlockRange> blocks = new LinkedHashSet<>();
    private final long end;
    private long position;
    /** Bytes before this one belong to known slices. */
    private long known;

    private long wantedList;
    private long listToken = NONE;
    private long pageToken = NONE;
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

    /** Wanted range of one inode. */
    private sealed interface Part {
        record OnNodes(SliceCursor cursor) implements Part {}

        record Inline(Bytes bytes) implements Part {}
    }

    /** Bytes to give in order: they are there, or come with an extent. */
    private sealed interface ReadAheadEntry {
        record Ready(Bytes bytes) implements ReadAheadEntry {}

        final class Fetched implements ReadAheadEntry {
            private final long token;
            private final SliceCursor.Extent extent;
            private final int reserved;
            private @Nullable ReadOutcome outcome;

            private Fetched(long token, SliceCursor.Extent extent, int reserved) {
                this.token = token;
                this.extent = extent;
                this.reserved = reserved;
            }
        }
    }

    /**
     * Begins to read.
     *
     * @param offset first byte wanted; behind the end nothing is read
     * @param length how many bytes at most
     */
    public ObjectGet(Volume volume, ObjectVersion object, long offset, long length, ReadAheadQuota room) {
        this.volume = volume;
        this.object = object;
        this.room = room;
        ObjectContent content = object.inode().content();
        this.position = Math.min(offset, content.length());
        this.end = position + Math.min(length, content.length() - position);
        this.known = position;
        if (content instanceof OwnContent own) {
            begin(object.inode().id(), own, position, end);
            known = end;
        }
    }

    private void begin(long inode, OwnContent content, long from, long until) {
        switch (content) {
            case ObjectLayout layout -> slices.addLast(new Part.OnNodes(new SliceCursor(inode, layout, from, until)));
            case InlineContent inline -> {
                if (from < until) {
                    slices.addLast(new Part.Inline(inline.bytes().slice((int) from, (int) (until - from))));
                }
            }
        }
        blocks.addAll(content.ranges());
    }

    /** Goes on with a later map. Whoever fetches an extent whose group the map lacks gives one that has it first. */
    public void follow(Volume later) {
        volume = later;
    }

    /**
     * The bytes of an extent, if a read came to them.
     *
     * @param length the true length that the layout gives the extent
     */
    public static Optional<Bytes> content(Volume volume, BlockId block, ReadOutcome outcome, int length) {
        ProtectionPolicy policy = volume.policyOf(block);
        return outcome instanceof ReadOutcome.Whole(Bytes content) && content.length() == policy.paddedBytes(length)
                ? Optional.of(content.slice(0, length))
                : Optional.empty();
    }

    /** Returns the number of bytes that {@link #next} has not given yet. */
    public long remaining() {
        return end - position;
    }

    /** Returns the blocks of the object, as far as the read has come to know them. */
    public List<BlockRange> blocks() {
        return List.copyOf(blocks);
    }

    /** Returns why no more bytes will come. */
    public Optional<GetFailure> failure() {
        return Optional.ofNullable(failure);
    }

    /** Begins to fetch as much as there is room for; to be called at the start and whenever bytes were taken. */
    public List<ObjectStep> readAhead() {
        List<ObjectStep> steps = new ArrayList<>();
        if (ahead.peekFirst() instanceof ReadAheadEntry.Fetched head
                && head.outcome != null
                && failure == null
                && freed == null) {
            ReadOutcome outcome = head.outcome;
            if (content(head.extent, outcome).isEmpty()) {
                return explain(head.extent, outcome);
            }
        }
        while (failure == null
                && freed == null
                && listToken == NONE
                && pageToken == NONE
                && position < end
                && ahead.size() < ObjectPut.WINDOW_BLOCKS) {
            Part part = slices.peekFirst();
            if (part == null) {
                askForSlices(steps);
                return steps;
            }
            if (part instanceof Part.Inline(Bytes bytes)) {
                slices.removeFirst();
                ahead.addLast(new ReadAheadEntry.Ready(bytes));
                continue;
            }
            SliceCursor cursor = ((Part.OnNodes) part).cursor;
            if (cursor.isDone()) {
                slices.removeFirst();
                continue;
            }
            OptionalLong missing = cursor.missing();
            if (missing.isPresent()) {
                wantedList = missing.getAsLong();
                listToken = ++lastToken;
                steps.add(fetch(listToken, cursor.list(wantedList)));
                return steps;
            }
            int reserved = ahead.isEmpty() ? 0 : cursor.nextLength();
            if (reserved > 0 && !room.take(reserved)) {
                return steps;
            }
            var entry = new ReadAheadEntry.Fetched(++lastToken, cursor.take(), reserved);
            ahead.addLast(entry);
            steps.add(fetch(entry.token, entry.extent));
        }
        return steps;
    }

    private Optional<Bytes> content(SliceCursor.Extent extent, ReadOutcome outcome) {
        return content(volume, extent.block(), outcome, extent.length());
    }

    private static ObjectStep fetch(long token, SliceCursor.Extent extent) {
        return new ObjectStep.FetchExtent(token, extent.block(), extent.pin(), extent.length());
    }

    private void askForSlices(List<ObjectStep> steps) {
        if (known < end) {
            pageToken = ++lastToken;
            steps.add(new ObjectStep.Ask(
                    pageToken,
                    new Query.FindSlices(object.bucket(), object.key(), object.version(), known, Query.PAGE_MAX)));
        }
    }

    public List<ObjectStep> onFetched(long token, ReadOutcome outcome) {
        if (token == listToken) {
            listToken = NONE;
            return slices.peekFirst() instanceof Part.OnNodes(SliceCursor cursor) ? onList(cursor, outcome) : List.of();
        }
        for (ReadAheadEntry entry : ahead) {
            if (entry instanceof ReadAheadEntry.Fetched fetched && fetched.token == token) {
                fetched.outcome = outcome;
            }
        }
        return readAhead();
    }

    public List<ObjectStep> onReply(long token, Reply reply) {
        if (token == pageToken && failure == null) {
            pageToken = NONE;
            return onPage(reply);
        }
        if (token == freedToken && freed != null && failure == null) {
            return onExplained(freed, reply);
        }
        return List.of();
    }

    private List<ObjectStep> onExplained(ExtentFailure failed, Reply reply) {
        if (reply instanceof Reply.InodeFound found && found.exists() && !found.names()) {
            return beginAgain();
        }
        failure = reply instanceof Reply.InodeFound found
                ? found.exists() ? new GetFailure.NotFreed(failed) : new GetFailure.Changed(failed)
                : new GetFailure.Refused(reply);
        close();
        return List.of();
    }

    /** The inode was refilled: the same bytes stand in other extents now. Reads what is left from there. */
    private List<ObjectStep> beginAgain() {
        freed = null;
        freedToken = NONE;
        listToken = NONE;
        ahead.forEach(this::giveBack);
        ahead.clear();
        slices.clear();
        known = position;
        return readAhead();
    }

    /** Takes a page of slices. It must begin with the first byte that belongs to no known slice, and have no gaps. */
    private List<ObjectStep> onPage(Reply reply) {
        if (freed != null || isAtEnd()) {
            return List.of();
        }
        if (!(reply instanceof Reply.SliceList page) || page.slices().isEmpty()) {
            return refuse(reply);
        }
        for (Reply.SliceEntry entry : page.slices()) {
            if (known == end) {
                break;
            }
            Slice slice = entry.slice();
            OwnContent content = entry.content();
            long skipped = known - entry.start();
            boolean fits = skipped >= 0
                    && skipped < slice.length()
                    && (skipped == 0 || entry.equals(page.slices().getFirst()))
                    && content.volume() == volume.id()
                    && slice.offset() + slice.length() <= content.length();
            if (!fits) {
                return refuse(reply);
            }
            long count = Math.min(slice.length() - skipped, end - known);
            long from = slice.offset() + skipped;
            begin(slice.inode(), content, from, from + count);
            known += count;
        }
        return readAhead();
    }

    private List<ObjectStep> refuse(Reply reply) {
        boolean gone = reply instanceof Reply.Failed failed && GONE.contains(failed.error());
        failure = gone ? new GetFailure.Gone() : new GetFailure.Refused(reply);
        close();
        return List.of();
    }

    /** The next bytes in order, if they have come; nothing at the end. */
    public Optional<Bytes> next() {
        Optional<Bytes> bytes = switch (ahead.peekFirst()) {
            case null -> Optional.empty();
            case ReadAheadEntry.Ready ready -> Optional.of(ready.bytes);
            case ReadAheadEntry.Fetched fetched ->
                Optional.ofNullable(fetched.outcome)
                        .flatMap(outcome -> content(fetched.extent, outcome))
                        .map(block -> block.slice(fetched.extent.from(), fetched.extent.count()));
        };
        bytes.ifPresent(next -> {
            giveBack(ahead.removeFirst());
            position += next.length();
        });
        return bytes;
    }

    private void giveBack(ReadAheadEntry entry) {
        if (entry instanceof ReadAheadEntry.Fetched fetched) {
            room.giveBack(fetched.reserved);
        }
    }

    /** Returns whether {@link #next} has given everything; never true after a failure. */
    public boolean isAtEnd() {
        return failure == null && position == end;
    }

    /** Gives up what is under way. */
    public void close() {
        ahead.forEach(this::giveBack);
        ahead.clear();
        position = end;
    }

    private List<ObjectStep> onList(SliceCursor cursor, ReadOutcome outcome) {
        if (failure != null || freed != null || isAtEnd()) {
            return List.of();
        }
        SliceCursor.Extent list = cursor.list(wantedList);
        Optional<Bytes> content = content(list, outcome);
        if (content.isEmpty()) {
            return explain(list, outcome);
        }
        try {
            cursor.loaded(wantedList, content.get());
        } catch (MalformedException e) {
            failure = new GetFailure.NoPinList("a pin list is invalid: its writer lied: " + e.getMessage());
            close();
            return List.of();
        }
        return readAhead();
    }

    /** "Freed" may mean that the version is gone, or that nodes lie: the metadata knows. */
    private List<ObjectStep> explain(SliceCursor.Extent extent, ReadOutcome outcome) {
        ExtentFailure failed = ExtentFailure.of(extent.block(), outcome);
        if (failed.reason() == ExtentFailure.Reason.FREED) {
            freed = failed;
            freedToken = ++lastToken;
            return List.of(new ObjectStep.Ask(freedToken, new Query.FindInode(extent.inode(), extent.block())));
        }
        failure = new GetFailure.Extent(failed);
        close();
        return List.of();
    }
}
