package io.bulwark.client.object;

import io.bulwark.client.error.CancelledException;
import io.bulwark.client.error.Subject;
import io.bulwark.protocol.cluster.Volume;
import io.bulwark.protocol.metadata.Command;
import io.bulwark.protocol.metadata.Condition;
import io.bulwark.protocol.metadata.EpochClaim;
import io.bulwark.protocol.metadata.Reply;
import io.bulwark.protocol.object.ObjectAttributes;
import io.bulwark.protocol.object.ObjectLayout;
import io.bulwark.protocol.object.PinList;
import io.bulwark.protocol.wire.Bytes;
import java.io.IOException;
import java.io.InputStream;
import java.nio.ByteBuffer;
import java.nio.channels.ReadableByteChannel;
import java.util.ArrayDeque;
import java.util.Arrays;
import java.util.Deque;
import java.util.List;
import java.util.Objects;
import java.util.concurrent.CompletableFuture;
import java.util.function.LongConsumer;
import org.jspecify.annotations.Nullable;

/**
 * Writes one object: fills blocks, stores them as extents, several at a time, then the pin lists, then makes the object
 * visible in one command. Blocks are read into fresh arrays that are given up to the protocol, since it may go on sending
 * them to slow nodes; how many there are is bounded by the window and by the client's {@link ByteBudget}. To be used by
 * one thread at a time.
 */
public final class ObjectWriter {
    private static final int BUFFER_FIRST_BYTES = 64 << 10;
    private static final int BUFFER_MIN_BYTES = 64;

    private final ObjectStore store;
    private final Volume volume;
    private final Target target;
    private final Sessions.Lease lease;
    private final Deadline deadline;
    private final LongConsumer progress;
    private final BlockPlan plan;
    private final PinCollector pins = new PinCollector();
    private final Deque<InFlight> inFlight = new ArrayDeque<>();
    private final long expectedLength;
    private byte @Nullable [] buffer;
    private int used;
    private long length;
    private long doneBytes;
    private boolean ended;

    /** Where the object goes. */
    public record Target(String bucket, String key, Condition condition, ObjectAttributes attributes) {
        Subject subject() {
            return Subject.key(bucket, key);
        }
    }

    private record InFlight(CompletableFuture<Bytes> pin, long extent, int bytes) {}

    /**
     * Begins an object.
     *
     * @param volume that of the bucket
     * @param expectedLength in bytes, or -1 if not known; a wrong one costs a few ids
     * @param progress is told how many bytes are stored so far
     */
    public ObjectWriter(
            ObjectStore store,
            Volume volume,
            Target target,
            long expectedLength,
            Deadline deadline,
            LongConsumer progress) {
        this.store = store;
        this.volume = volume;
        this.target = target;
        this.deadline = deadline;
        this.progress = progress;
        this.expectedLength = expectedLength;
        this.lease = store.sessions().lease(volume.id(), deadline, target.subject());
        this.plan = new BlockPlan(lease, volume.policy().blockBytes(), deadline, target.subject());
    }

    /** Takes the bytes; the array may be used again. */
    public void write(byte[] source, int offset, int count) {
        int at = offset;
        int left = count;
        while (left > 0) {
            byte[] block = room(left);
            int part = Math.min(left, block.length - used);
            System.arraycopy(source, at, block, used, part);
            at += part;
            left -= part;
            filled(part);
        }
    }

    /** Takes what the stream has left. */
    public void write(InputStream source) throws IOException {
        while (true) {
            byte[] block = room(1);
            int part = source.read(block, used, block.length - used);
            if (part < 0) {
                return;
            }
            filled(part);
        }
    }

    /** Takes what the channel has left. */
    public void write(ReadableByteChannel source) throws IOException {
        while (true) {
            byte[] block = room(1);
            int part = source.read(ByteBuffer.wrap(block, used, block.length - used));
            if (part < 0) {
                return;
            }
            filled(part);
        }
    }

    /**
     * Waits until everything is stored and makes the object visible.
     *
     * @throws SessionLostException if the session was closed meanwhile; the object is not there
     */
    public Reply.ObjectStored finish() {
        requireOpen();
        if (used > 0) {
            flush();
        }
        awaitAll();
        ObjectLayout layout = layout();
        plan.giveBackUnused();
        Command put = new Command.PutObject(
                target.bucket(),
                target.key(),
                target.condition(),
                layout,
                target.attributes(),
                length == 0 ? List.of() : EpochClaim.of(volume),
                plan.pending());
        ended = true;
        // If this waits in vain the ranges stay as they are: the command may still be executed.
        Reply reply = deadline.await(lease.session().submit(put), target.subject());
        try {
            return Refusals.expect(Reply.ObjectStored.class, reply, target.subject());
        } catch (SessionLostException e) {
            store.sessions().lost(lease);
            throw e;
        } catch (RuntimeException e) {
            plan.abandon();
            throw e;
        }
    }

    /** Gives the object up, unless it was finished. What was stored of it is abandoned. */
    public void abort() {
        if (ended) {
            return;
        }
        ended = true;
        buffer = null;
        for (InFlight write : inFlight) {
            write.pin.cancel(false);
        }
        inFlight.clear();
        plan.abandon();
    }

    /** What was written so far, in bytes. */
    public long length() {
        return length;
    }

    private byte[] room(int wanted) {
        requireOpen();
        int blockBytes = volume.policy().blockBytes();
        byte[] block = buffer;
        if (block == null) {
            long expected =
                    expectedLength < 0 ? BUFFER_FIRST_BYTES : Math.max(expectedLength - length, BUFFER_MIN_BYTES);
            block = new byte[(int) Math.min(blockBytes, Math.max(expected, wanted))];
        } else if (used == block.length) {
            block = Arrays.copyOf(block, (int) Math.min(blockBytes, Math.max(used * 2L, (long) used + wanted)));
        }
        buffer = block;
        return block;
    }

    private void filled(int count) {
        used += count;
        length += count;
        if (used == volume.policy().blockBytes()) {
            flush();
        }
    }

    private void flush() {
        byte[] block = Objects.requireNonNull(buffer);
        if (plan.isEmpty() && expectedLength > 0) {
            plan.expect(ObjectLayout.extents(volume.policy().blockBytes(), expectedLength));
        }
        Bytes content = Bytes.of(block, 0, used);
        buffer = null;
        used = 0;
        send(content);
    }

    private void send(Bytes content) {
        int held = content.length();
        while (inFlight.size() >= ObjectStore.WINDOW_BLOCKS) {
            awaitOldest();
        }
        try {
            store.budget().acquire(held, deadline, target.subject());
        } catch (RuntimeException e) {
            throw failed(e);
        }
        try {
            var pin = store.extents().write(volume, plan.next(), content);
            var _ = pin.whenComplete((_, _) -> store.budget().release(held));
            inFlight.add(new InFlight(pin, pins.next(), held));
        } catch (RuntimeException e) {
            store.budget().release(held);
            throw failed(e);
        }
    }

    private void awaitAll() {
        while (!inFlight.isEmpty()) {
            awaitOldest();
        }
    }

    private void awaitOldest() {
        InFlight oldest = inFlight.removeFirst();
        Bytes pin;
        try {
            pin = deadline.await(oldest.pin, target.subject());
        } catch (RuntimeException e) {
            oldest.pin.cancel(false);
            throw failed(e);
        }
        pins.set(oldest.extent, pin);
        doneBytes = Math.min(length, doneBytes + oldest.bytes);
        progress.accept(doneBytes);
    }

    /** Stores the pin lists, level by level, and gives the layout that begins with them. */
    private ObjectLayout layout() {
        int blockBytes = volume.policy().blockBytes();
        Bytes below = pins.all();
        for (int level = 1; below.length() > ObjectLayout.PINS_MAX * ObjectLayout.PIN_BYTES; level++) {
            pins.clear();
            for (PinList list : PinList.of(blockBytes, level, below)) {
                send(list.encoded());
            }
            awaitAll();
            below = pins.all();
        }
        return new ObjectLayout(volume.id(), blockBytes, length, plan.used(), below);
    }

    private RuntimeException failed(RuntimeException e) {
        RuntimeException shown = e instanceof ExtentFailure failure ? Refusals.of(failure, target.subject()) : e;
        if (shown instanceof SessionLostException) {
            store.sessions().lost(lease);
        }
        abort();
        return shown;
    }

    private void requireOpen() {
        if (ended) {
            throw new CancelledException("the object was finished, given up, or failed before", target.subject());
        }
    }
}
