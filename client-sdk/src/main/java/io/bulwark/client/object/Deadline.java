package io.bulwark.client.object;

import io.bulwark.client.error.BulwarkException;
import io.bulwark.client.error.CancelledException;
import io.bulwark.client.error.DeadlineExceededException;
import io.bulwark.client.error.Subject;
import io.bulwark.client.error.UnavailableException;
import java.time.Duration;
import java.util.Objects;
import java.util.concurrent.BlockingQueue;
import java.util.concurrent.CancellationException;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionException;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.TimeoutException;

/** Time until which an operation may take; turns every way of waiting in vain into a typed exception. */
public final class Deadline {
    private final Duration limit;
    private final long startNanos;

    private Deadline(Duration limit) {
        this.limit = limit;
        this.startNanos = System.nanoTime();
    }

    /** Returns the deadline after this time; zero for no limit. */
    public static Deadline in(Duration limit) {
        return new Deadline(limit);
    }

    /** Returns the remaining time, 0 if the deadline has passed. */
    long remainingNanos() {
        if (limit.isZero()) {
            return Long.MAX_VALUE;
        }
        long used = System.nanoTime() - startNanos;
        return Math.max(0, limit.compareTo(Duration.ofDays(365)) > 0 ? Long.MAX_VALUE : limit.toNanos() - used);
    }

    /** Fails if the deadline has passed. */
    void requireLeft(Subject subject) {
        if (remainingNanos() == 0) {
            throw exceeded(subject);
        }
    }

    /** Waits for the outcome. */
    public <T> T await(CompletableFuture<T> future, Subject subject) {
        try {
            return future.get(remainingNanos(), TimeUnit.NANOSECONDS);
        } catch (TimeoutException e) {
            throw exceeded(subject);
        } catch (InterruptedException e) {
            throw interrupted(subject, e);
        } catch (CancellationException e) {
            throw new CancelledException("the operation was cancelled", subject, e);
        } catch (ExecutionException e) {
            throw explained(Objects.requireNonNullElse(e.getCause(), e), subject);
        }
    }

    /** Waits for the next of a queue. */
    <T> T take(BlockingQueue<T> queue, Subject subject) {
        try {
            T next = queue.poll(remainingNanos(), TimeUnit.NANOSECONDS);
            if (next == null) {
                throw exceeded(subject);
            }
            return next;
        } catch (InterruptedException e) {
            throw interrupted(subject, e);
        }
    }

    /** Returns the exception for the user when a future fails with {@code cause}. */
    static RuntimeException explained(Throwable cause, Subject subject) {
        return switch (cause) {
            case BulwarkException known -> known;
            case RetryableException known -> known;
            case CompletionException wrapped when wrapped.getCause() != null -> explained(wrapped.getCause(), subject);
            case CancellationException cancelled ->
                new CancelledException("the operation was cancelled", subject, cancelled);
            case IllegalStateException closed ->
                new CancelledException(String.valueOf(closed.getMessage()), subject, closed);
            default ->
                new UnavailableException(
                        Objects.requireNonNullElse(cause.getMessage(), cause.toString()), subject, cause);
        };
    }

    DeadlineExceededException exceeded(Subject subject) {
        return new DeadlineExceededException("not done within " + limit.toMillis() + " ms", subject);
    }

    static CancelledException interrupted(Subject subject, InterruptedException e) {
        Thread.currentThread().interrupt();
        return new CancelledException("the waiting thread was interrupted", subject, e);
    }
}
