package io.bulwark.appliance.cluster;

import io.bulwark.protocol.metadata.Query;
import io.bulwark.protocol.metadata.Reply;
import io.bulwark.protocol.wire.Bytes;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.TimeoutException;
import java.util.function.Function;
import org.jspecify.annotations.Nullable;

/**
 * Check whether a node is registered: the replicas answer, and the cluster map names it. The replicas are asked again
 * only once an answer is some seconds old, and never twice at a time.
 */
final class Registration {
    private static final long FRESH_NANOS = TimeUnit.SECONDS.toNanos(5);
    private static final long WAIT_MILLIS_MAX = 3_000;

    private final int node;
    private final Function<Bytes, CompletableFuture<Bytes>> queries;
    private @Nullable CompletableFuture<Bytes> asked;
    private boolean registered;
    private long knownNanos;
    private boolean known;

    /** @param queries asks the replicas */
    Registration(int node, Function<Bytes, CompletableFuture<Bytes>> queries) {
        this.node = node;
        this.queries = queries;
    }

    /** Empty, or why it cannot be found. */
    synchronized String problem() throws InterruptedException {
        if (!known || System.nanoTime() - knownNanos > FRESH_NANOS) {
            try {
                ask();
            } catch (ExecutionException | TimeoutException e) {
                known = false;
                return "the metadata replicas do not answer";
            }
        }
        return registered ? "" : "the cluster map does not name it";
    }

    private void ask() throws InterruptedException, ExecutionException, TimeoutException {
        CompletableFuture<Bytes> current = asked;
        if (current == null || current.isCompletedExceptionally()) {
            current = queries.apply(new Query.GetMap().encoded());
            asked = current;
        }
        Bytes answer = current.get(WAIT_MILLIS_MAX, TimeUnit.MILLISECONDS);
        asked = null;
        registered = Reply.decode(answer) instanceof Reply.Map reply
                && reply.map().nodes().stream().anyMatch(each -> each.node() == node);
        known = true;
        knownNanos = System.nanoTime();
    }
}
