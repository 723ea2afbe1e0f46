package io.bulwark.client.locking;

import io.bulwark.client.object.Metadata;
import io.bulwark.protocol.id.PrincipalId;
import io.bulwark.protocol.locking.Subtree;
import io.bulwark.protocol.metadata.Command;
import io.bulwark.protocol.metadata.MetadataError;
import io.bulwark.protocol.metadata.Query;
import io.bulwark.protocol.metadata.Reply;
import java.util.Optional;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.TimeUnit;
import java.util.function.Supplier;
import org.jspecify.annotations.Nullable;

/**
 * Metadata whose users meet no locks of others. A refused command has opened the round that closes the log in its way; it
 * is given again, as another command, until the log is closed. For a refused query this opens the round. A round ends by
 * itself, so that the refusal reaches the user only after {@link #PATIENCE_MILLIS}.
 */
public final class LockRefusals implements Metadata {
    static final long PATIENCE_MILLIS = 30_000;
    private static final long DELAY_FIRST_MILLIS = 4;
    private static final long DELAY_MAX_MILLIS = 250;

    private final Metadata inner;
    private @Nullable CompletableFuture<Session> asking;

    public LockRefusals(Metadata inner) {
        this.inner = inner;
    }

    @Override
    public CompletableFuture<Reply> query(Query query) {
        return again(() -> inner.query(query).thenCompose(reply -> {
            Optional<Subtree> part = LockableNames.of(plain(query));
            return isLocked(reply) && part.isPresent()
                    ? openRound(part.get(), personOf(query)).thenApply(ignored -> reply)
                    : CompletableFuture.completedFuture(reply);
        }));
    }

    static Query plain(Query query) {
        return query instanceof Query.OnBehalf(PrincipalId ignored, Query of) ? of : query;
    }

    static Optional<PrincipalId> personOf(Query query) {
        return query instanceof Query.OnBehalf(PrincipalId person, Query ignored)
                ? Optional.of(person)
                : Optional.empty();
    }

    static boolean isLocked(Reply reply) {
        return reply instanceof Reply.Failed failed && failed.error() == MetadataError.LOCKED;
    }

    /** A session that was closed is replaced for the next round. */
    private CompletableFuture<Reply> openRound(Subtree part, Optional<PrincipalId> person) {
        return session()
                .thenCompose(open -> open.submit(new Command.OpenRound(part), person)
                        .whenComplete((reply, failure) -> {
                            if (failure != null || reply instanceof Reply.Failed) {
                                forget(open);
                            }
                        }));
    }

    private synchronized CompletableFuture<Session> session() {
        CompletableFuture<Session> known = asking;
        if (known == null || known.isCompletedExceptionally()) {
            known = inner.open(0);
            asking = known;
        }
        return known;
    }

    private synchronized void forget(Session closed) {
        CompletableFuture<Session> known = asking;
        if (known != null
                && known.isDone()
                && !known.isCompletedExceptionally()
                && known.join().number() == closed.number()) {
            asking = null;
        }
    }

    @Override
    public CompletableFuture<Session> open(int volume) {
        return inner.open(volume).thenApply(PatientSession::new);
    }

    private record PatientSession(Session inner) implements Session {
        @Override
        public long number() {
            return inner.number();
        }

        @Override
        public long ttlMillis() {
            return inner.ttlMillis();
        }

        @Override
        public CompletableFuture<Reply> submit(Command command, Optional<PrincipalId> onBehalfOf) {
            // A refused LOCK says that others are at work there: its sender has other ways.
            return command instanceof Command.OfLocking
                    ? inner.submit(command, onBehalfOf)
                    : again(() -> inner.submit(command, onBehalfOf));
        }
    }

    /** Goes on after a delay, on a thread of its own: an application may block those that all share. */
    static <T> CompletableFuture<T> later(long delayMillis, Supplier<CompletableFuture<T>> next) {
        return new CompletableFuture<Boolean>()
                .completeOnTimeout(true, delayMillis, TimeUnit.MILLISECONDS)
                .thenComposeAsync(ignored -> next.get(), Thread::startVirtualThread);
    }

    private static CompletableFuture<Reply> again(Supplier<CompletableFuture<Reply>> request) {
        return again(request, DELAY_FIRST_MILLIS, System.nanoTime() + TimeUnit.MILLISECONDS.toNanos(PATIENCE_MILLIS));
    }

    private static CompletableFuture<Reply> again(
            Supplier<CompletableFuture<Reply>> request, long delayMillis, long endNanos) {
        return request.get().thenCompose(reply -> {
            if (!isLocked(reply) || System.nanoTime() - endNanos >= 0) {
                return CompletableFuture.completedFuture(reply);
            }
            long next = Math.min(2 * delayMillis, DELAY_MAX_MILLIS);
            return later(delayMillis, () -> again(request, next, endNanos));
        });
    }
}
