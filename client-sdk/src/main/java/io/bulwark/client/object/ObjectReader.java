package io.bulwark.client.object;

import io.bulwark.client.error.ChangedWhileReadingException;
import io.bulwark.client.error.IncompleteObjectException;
import io.bulwark.client.error.Subject;
import io.bulwark.client.error.UnavailableException;
import io.bulwark.protocol.cluster.Volume;
import io.bulwark.protocol.metadata.Query;
import io.bulwark.protocol.metadata.Reply;
import io.bulwark.protocol.object.Inode;
import io.bulwark.protocol.object.ObjectLayout;
import io.bulwark.protocol.object.PinLists;
import io.bulwark.protocol.wire.Bytes;
import io.bulwark.protocol.wire.MalformedException;
import java.util.ArrayDeque;
import java.util.Deque;
import java.util.OptionalLong;
import java.util.concurrent.CompletableFuture;
import org.jspecify.annotations.Nullable;

/**
 * Reads a range of one version of an object, block by block in order, some blocks ahead: only the blocks that hold the
 * range, and the pin lists above them. One block may always be under way, more as far as the client's {@link ByteBudget}
 * allows, so that a reader that is slow to consume keeps nobody else from reading. To be used by one thread at a time.
 */
public final class ObjectReader implements AutoCloseable {
    private final ObjectStore store;
    private final Volume volume;
    private final Inode inode;
    private final Subject subject;
    private final Deadline deadline;
    private final PinLists pinLists;
    private final Deque<Ahead> ahead = new ArrayDeque<>();
    private final long end;
    private long position;
    private long nextExtent;
    private @Nullable Long heldList;

    private record Ahead(CompletableFuture<Bytes> content, int reserved) {}

    /**
     * Begins to read.
     *
     * @param offset first byte wanted; behind the end nothing is read
     * @param length how many bytes at most
     */
    public ObjectReader(
            ObjectStore store,
            Volume volume,
            Inode inode,
            Subject subject,
            long offset,
            long length,
            Deadline deadline) {
        this.store = store;
        this.volume = volume;
        this.inode = inode;
        this.subject = subject;
        this.deadline = deadline;
        this.pinLists = new PinLists(inode.layout());
        this.position = Math.min(offset, layout().length());
        this.end = position + Math.min(length, layout().length() - position);
        this.nextExtent = position / layout().blockBytes();
    }

    /** How many bytes are still to come. */
    public long remaining() {
        return end - position;
    }

    /** The next bytes in order; empty at the end. */
    public Bytes next() {
        if (position == end) {
            return Bytes.EMPTY;
        }
        readAhead();
        Ahead head = ahead.removeFirst();
        Bytes block;
        try {
            block = deadline.await(head.content, subject);
        } catch (ExtentFailure failure) {
            close();
            throw explained(failure);
        } catch (RuntimeException e) {
            close();
            throw e;
        } finally {
            store.budget().release(head.reserved);
        }
        int from = (int) (position % layout().blockBytes());
        int count = (int) Math.min(block.length() - from, end - position);
        position += count;
        readAhead();
        return block.slice(from, count);
    }

    /** Gives up what is under way. */
    @Override
    public void close() {
        while (!ahead.isEmpty()) {
            Ahead head = ahead.removeFirst();
            head.content.cancel(false);
            store.budget().release(head.reserved);
        }
        position = end;
    }

    private void readAhead() {
        long last = (end - 1) / layout().blockBytes();
        while (position < end && nextExtent <= last && ahead.size() < ObjectStore.WINDOW_BLOCKS) {
            int length = layout().lengthOf(nextExtent);
            int reserved = 0;
            if (!ahead.isEmpty()) {
                if (!store.budget().tryAcquire(length)) {
                    return;
                }
                reserved = length;
            }
            try {
                CompletableFuture<Bytes> content =
                        store.extents().read(volume, layout().block(nextExtent), pin(nextExtent), length);
                ahead.addLast(new Ahead(content, reserved));
            } catch (RuntimeException e) {
                store.budget().release(reserved);
                close();
                throw e instanceof ExtentFailure failure ? explained(failure) : e;
            }
            nextExtent++;
        }
    }

    /** Reads pin lists until the pin of the extent is known; keeps the last list of the lowest level only. */
    private Bytes pin(long extent) {
        for (OptionalLong missing = pinLists.missing(extent); missing.isPresent(); missing = pinLists.missing(extent)) {
            long list = missing.getAsLong();
            int length = layout().lengthOf(list);
            Bytes pin = pinLists.pin(list).orElseThrow();
            Bytes content = deadline.await(store.extents().read(volume, layout().block(list), pin, length), subject);
            try {
                pinLists.loaded(list, content);
            } catch (MalformedException e) {
                throw new IncompleteObjectException("a pin list is not one: its writer lied", subject, e);
            }
            if (layout().levelOf(list) == 1) {
                if (heldList != null) {
                    pinLists.forget(heldList);
                }
                heldList = list;
            }
        }
        return pinLists.pin(extent).orElseThrow();
    }

    /** "Freed" may mean that the version is gone, or that nodes lie: the metadata knows. */
    private RuntimeException explained(ExtentFailure failure) {
        if (failure.reason() != ExtentFailure.Reason.FREED) {
            return Refusals.of(failure, subject);
        }
        Reply reply = deadline.await(store.metadata().query(new Query.FindInode(inode.id())), subject);
        return Refusals.expect(Reply.InodeFound.class, reply, subject).inode().isEmpty()
                ? new ChangedWhileReadingException("this version was deleted meanwhile", subject, failure)
                : new UnavailableException("nodes say that a block was freed which was not", subject, failure);
    }

    private ObjectLayout layout() {
        return inode.layout();
    }
}
