package io.bulwark.client.object;

import io.bulwark.client.error.CancelledException;
import io.bulwark.client.error.Subject;
import io.bulwark.client.object.StepResults.Answer;
import io.bulwark.protocol.bucket.ObjectPut;
import io.bulwark.protocol.bucket.ObjectStep;
import io.bulwark.protocol.bucket.PutOutcome;
import io.bulwark.protocol.cluster.Volume;
import io.bulwark.protocol.metadata.Reply;
import io.bulwark.protocol.wire.Bytes;
import java.io.IOException;
import java.io.InputStream;
import java.nio.ByteBuffer;
import java.nio.channels.ReadableByteChannel;
import java.util.Arrays;
import java.util.List;
import java.util.Objects;
import java.util.function.LongConsumer;
import java.util.function.Supplier;
import org.jspecify.annotations.Nullable;

/**
 * Writes one object: fills blocks and drives an {@link ObjectPut}. Blocks are read into fresh arrays that are given up to
 * the protocol, since it may go on sending them to slow nodes; how many there are is bounded by the window and by the
 * client's {@link ByteBudget}. To be used by one thread at a time.
 */
public final class ObjectWriter {
    private static final int BUFFER_FIRST_BYTES = 64 << 10;
    private static final int BUFFER_MIN_BYTES = 64;

    private final ObjectStore store;
    private final Volume volume;
    private final Target target;
    private final SessionPool.Lease lease;
    private final Deadline deadline;
    private final LongConsumer progress;
    private final ObjectPut put;
    private final StepResults answers = new StepResults();
    private final long expectedLength;
    private byte @Nullable [] buffer;
    private int used;
    private long length;
    private boolean ended;

    /**
     * Destination of the content.
     *
     * @param subject its name in failures
     * @param isObject whether it becomes an object of that name, and not a part of one
     * @param inlineLimit for content that stands in the metadata
     */
    public record Target(
            Subject subject, boolean isObject, ObjectPut.Destination destination, InlineLimit inlineLimit) {
        /** Makes the destination of content that nodes keep. */
        public Target(Subject subject, boolean isObject, ObjectPut.Destination destination) {
            this(subject, isObject, destination, InlineLimit.NONE);
        }
    }

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
        this.lease = store.lease(volume.id(), target.subject(), target.isObject(), deadline);
        this.put = new ObjectPut(
                volume,
                target.destination(),
                expectedLength,
                lease.blocks(),
                target.inlineLimit().of(volume));
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
            onFilled(part);
        }
    }

    /** Writes the remaining bytes of the stream. */
    public void write(InputStream source) throws IOException {
        while (true) {
            byte[] block = room(1);
            int part = source.read(block, used, block.length - used);
            if (part < 0) {
                return;
            }
            onFilled(part);
        }
    }

    /** Writes the remaining bytes of the channel. */
    public void write(ReadableByteChannel source) throws IOException {
        while (true) {
            byte[] block = room(1);
            int part = source.read(ByteBuffer.wrap(block, used, block.length - used));
            if (part < 0) {
                return;
            }
            onFilled(part);
        }
    }

    /**
     * Waits until everything is stored and makes the object visible.
     *
     * @throws RetryableException if the session was closed, or a placement group changed, before the object could become
     *     visible; it is not there
     */
    public Reply.Stored finish() {
        requireOpen();
        if (used > 0) {
            flush();
        }
        ended = true;
        return runGuarded(() -> {
            perform(put.finish());
            while (put.outcome().isEmpty()) {
                await();
            }
            if (put.isRefusedInline()) {
                target.inlineLimit().onRefused();
            }
            return result(put.outcome().get());
        });
    }

    /** Gives the object up, unless it was finished. What was stored of it is abandoned. */
    public void abort() {
        buffer = null;
        ended = true;
        perform(put.abort());
        answers.cancel();
    }

    /** Returns the number of bytes written so far. */
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

    private void onFilled(int count) {
        used += count;
        length += count;
        if (used == volume.policy().blockBytes()) {
            flush();
        }
    }

    private void flush() {
        Bytes content = Bytes.of(Objects.requireNonNull(buffer), 0, used);
        buffer = null;
        used = 0;
        runGuarded(() -> {
            while (!put.canTakeBlock()) {
                await();
            }
            perform(put.offer(content));
            return content;
        });
    }

    /** Runs a step; any failure aborts the object. */
    private <T> T runGuarded(Supplier<T> part) {
        try {
            return part.get();
        } catch (RuntimeException e) {
            if (e instanceof SessionLostException) {
                store.lost(lease);
            }
            abort();
            throw e;
        }
    }

    private void perform(List<ObjectStep> steps) {
        for (ObjectStep step : steps) {
            switch (step) {
                case ObjectStep.StoreExtent extent -> store(extent);
                case ObjectStep.Submit submit -> {
                    var reply = store.submit(lease, submit.command());
                    if (submit.token() != ObjectStep.NO_ANSWER) {
                        answers.expect(submit.token(), reply, Answer.Replied::new);
                    }
                }
                case ObjectStep.FetchExtent ignored ->
                    throw new IllegalStateException("putting an object takes no " + step);
                case ObjectStep.Ask ignored -> throw new IllegalStateException("putting an object takes no " + step);
            }
        }
    }

    private void store(ObjectStep.StoreExtent extent) {
        int held = extent.content().length();
        store.budget().acquire(held, deadline, target.subject());
        try {
            var outcome = store.extents().write(volume, extent.block(), extent.content());
            var unused =
                    outcome.whenComplete((ignored1, ignored2) -> store.budget().release(held));
            answers.expect(extent.token(), outcome, Answer.Stored::new);
        } catch (RuntimeException e) {
            store.budget().release(held);
            throw e;
        }
    }

    /** Takes the next answer. */
    private void await() {
        long before = put.storedBytes();
        switch (answers.next(deadline, target.subject())) {
            case Answer.Stored stored -> perform(put.onStored(stored.token(), stored.outcome()));
            case Answer.Replied replied -> perform(put.onReply(replied.token(), replied.reply()));
            case Answer.None none -> {
                perform(put.onSilence(none.token(), String.valueOf(none.why().getMessage())));
                throw Deadline.explained(none.why(), target.subject());
            }
            case Answer.Fetched fetched -> throw new IllegalStateException("nothing was fetched: " + fetched);
        }
        if (put.storedBytes() > before) {
            progress.accept(put.storedBytes());
        }
        if (put.outcome().isPresent() && !(put.outcome().get() instanceof PutOutcome.Stored)) {
            result(put.outcome().get());
        }
    }

    private Reply.Stored result(PutOutcome outcome) {
        if (outcome instanceof PutOutcome.Stored stored) {
            return stored.reply();
        }
        throw RefusalExceptions.of(outcome, target.subject());
    }

    private void requireOpen() {
        if (ended) {
            throw new CancelledException("the object was already finished, aborted or failed", target.subject());
        }
    }
}
