package io.bulwark.appliance.cluster;

import io.bulwark.protocol.metadata.Query;
import io.bulwark.protocol.metadata.Reply;
import io.bulwark.protocol.wire.Bytes;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicLong;
import java.util.function.Function;
import java.util.function.IntSupplier;
import java.util.function.LongSupplier;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Number of clients that may write to register volumes under PASIS, from the replicas' last answer. A call asks them
 * again when that answer is old. At least 1; 0 until the first answer: the number is unknown. Thread-safe.
 */
final class WriterCount implements IntSupplier {
    static final long AGE_NANOS = TimeUnit.SECONDS.toNanos(5);

    private static final Logger LOG = LoggerFactory.getLogger(WriterCount.class);

    private final Function<Bytes, CompletableFuture<Bytes>> queries;
    private final LongSupplier nanoTime;
    private final AtomicLong askedNanos;
    private volatile int writers;

    /** @param queries asks the replicas; need not have the question ordered, as it is asked again */
    WriterCount(Function<Bytes, CompletableFuture<Bytes>> queries, LongSupplier nanoTime) {
        this.queries = queries;
        this.nanoTime = nanoTime;
        this.askedNanos = new AtomicLong(nanoTime.getAsLong() - AGE_NANOS);
    }

    @Override
    public int getAsInt() {
        long now = nanoTime.getAsLong();
        long asked = askedNanos.get();
        if (now - asked >= AGE_NANOS && askedNanos.compareAndSet(asked, now)) {
            var _ = queries.apply(new Query.CountWriters().encoded())
                    .thenApply(Reply::decode)
                    .whenComplete(this::told);
        }
        return writers;
    }

    private void told(@Nullable Reply reply, @Nullable Throwable failure) {
        if (reply instanceof Reply.Writers now) {
            writers = Math.max(1, now.count());
        } else {
            LOG.debug("the number of writers stays {} (0: unknown): the replicas answered {}", writers, reply, failure);
        }
    }
}
