package io.bulwark.client.object;

import io.bulwark.client.error.Subject;
import io.bulwark.client.error.UnavailableException;
import io.bulwark.client.object.StepResults.Answer;
import io.bulwark.protocol.bucket.ObjectGet;
import io.bulwark.protocol.bucket.ObjectStep;
import io.bulwark.protocol.bucket.ObjectVersion;
import io.bulwark.protocol.cluster.Volume;
import io.bulwark.protocol.id.BlockId;
import io.bulwark.protocol.id.BlockRange;
import io.bulwark.protocol.wire.Bytes;
import java.util.List;
import java.util.Optional;
import org.jspecify.annotations.Nullable;

/**
 * Reads a range of one version of an object: drives an {@link ObjectGet}, which reads ahead as far as the client's
 * {@link ByteBudget} allows. To be used by one thread at a time.
 */
public final class ObjectReader implements AutoCloseable {
    private final ObjectStore store;
    private Volume volume;
    private final Subject subject;
    private final Deadline deadline;
    private final ObjectGet get;
    private final StepResults answers = new StepResults();
    private @Nullable RuntimeException failure;

    /**
     * Begins to read.
     *
     * @param offset first byte wanted; behind the end nothing is read
     * @param length how many bytes at most
     */
    public ObjectReader(
            ObjectStore store,
            Volume volume,
            ObjectVersion object,
            Subject subject,
            long offset,
            long length,
            Deadline deadline) {
        this.store = store;
        this.volume = volume;
        this.subject = subject;
        this.deadline = deadline;
        this.get = new ObjectGet(volume, object, offset, length, store.budget());
    }

    /** Returns the number of bytes that remain. */
    public long remaining() {
        return get.remaining();
    }

    /** Returns the blocks of the object, as far as the read has come to know them. */
    public List<BlockRange> blocks() {
        return get.blocks();
    }

    /** The next bytes in order; empty at the end, never after a failure: that is thrown again and again. */
    public Bytes next() {
        if (failure != null) {
            throw failure;
        }
        try {
            perform(get.readAhead());
            while (!get.isAtEnd()) {
                deadline.requireLeft(subject);
                if (get.failure().isPresent()) {
                    throw RefusalExceptions.of(get.failure().get(), subject);
                }
                Optional<Bytes> part = get.next();
                if (part.isPresent()) {
                    perform(get.readAhead());
                    return part.get();
                }
                await();
            }
            return Bytes.EMPTY;
        } catch (RuntimeException e) {
            failure = e;
            close();
            throw e;
        }
    }

    /** Gives up what is under way. */
    @Override
    public void close() {
        get.close();
        answers.cancel();
    }

    private void perform(List<ObjectStep> steps) {
        for (ObjectStep step : steps) {
            switch (step) {
                case ObjectStep.FetchExtent fetch -> {
                    requireKnown(fetch.block());
                    answers.expect(
                            fetch.token(),
                            store.extents().read(volume, fetch.block(), fetch.pin(), fetch.length()),
                            Answer.Fetched::new);
                }
                case ObjectStep.Ask ask ->
                    answers.expect(ask.token(), store.metadata().query(ask.query()), Answer.Replied::new);
                case ObjectStep.StoreExtent ignored ->
                    throw new IllegalStateException("getting an object takes no " + step);
                case ObjectStep.Submit ignored -> throw new IllegalStateException("getting an object takes no " + step);
            }
        }
    }

    /** The policy of the volume may have been changed since this client saw the map. */
    private void requireKnown(BlockId block) {
        if (!volume.knows(block)) {
            volume = deadline.await(store.extents().later(volume), subject);
            get.follow(volume);
        }
        if (!volume.knows(block)) {
            throw new UnavailableException("the replicas name no nodes for block " + block, subject);
        }
    }

    private void await() {
        switch (answers.next(deadline, subject)) {
            case Answer.Fetched fetched -> perform(get.onFetched(fetched.token(), fetched.outcome()));
            case Answer.Replied replied -> perform(get.onReply(replied.token(), replied.reply()));
            case Answer.None none -> throw Deadline.explained(none.why(), subject);
            case Answer.Stored stored -> throw new IllegalStateException("nothing was stored: " + stored);
        }
    }
}
