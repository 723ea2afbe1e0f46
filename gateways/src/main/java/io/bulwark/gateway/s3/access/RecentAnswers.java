package io.bulwark.gateway.s3.access;

import io.bulwark.client.error.LimitReachedException;
import io.bulwark.client.error.Subject;
import java.util.LinkedHashMap;
import java.util.Map;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionException;
import java.util.concurrent.Semaphore;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.locks.ReentrantLock;
import java.util.function.Function;
import java.util.function.LongSupplier;
import org.jspecify.annotations.Nullable;

/**
 * Answers that stay valid for a time from when they were asked for. Callers with one question at the same time share one
 * answer. Of the answers kept, the oldest go first. Questions under way are bounded: each costs an exchange with the
 * replicas, and strangers choose what is asked.
 */
final class RecentAnswers<K, V> {
    private final Function<K, V> ask;
    private final Bounds bounds;
    private final LongSupplier nanoClock;
    private final Semaphore asking;
    private final ReentrantLock lock = new ReentrantLock();
    private final Map<K, Answer<V>> answers = new LinkedHashMap<>();

    /**
     * Bounds of what is kept and asked.
     *
     * @param ageNanos time for which an answer is valid
     * @param waitMillis time that a question waits for others to end, before it fails
     */
    record Bounds(long ageNanos, int kept, int asking, long waitMillis) {}

    private record Answer<V>(CompletableFuture<V> value, long askedNanos) {}

    RecentAnswers(Function<K, V> ask, Bounds bounds, LongSupplier nanoClock) {
        this.ask = ask;
        this.bounds = bounds;
        this.nanoClock = nanoClock;
        this.asking = new Semaphore(bounds.asking());
    }

    /** Returns the answer, with what asking throws. */
    V get(K question) {
        CompletableFuture<V> own = new CompletableFuture<>();
        CompletableFuture<V> other = begin(question, own);
        if (other != null) {
            try {
                return other.join();
            } catch (CompletionException e) {
                if (e.getCause() instanceof RuntimeException failure) {
                    throw failure;
                }
                throw e;
            }
        }
        try {
            V value = asked(question);
            own.complete(value);
            return value;
        } catch (RuntimeException | Error e) {
            // A failure is no answer: the next caller asks again.
            remove(question, own);
            own.completeExceptionally(e);
            throw e;
        }
    }

    private @Nullable CompletableFuture<V> begin(K question, CompletableFuture<V> own) {
        lock.lock();
        try {
            long now = nanoClock.getAsLong();
            Answer<V> known = answers.get(question);
            if (known != null && now - known.askedNanos() < bounds.ageNanos()) {
                return known.value();
            }
            answers.remove(question);
            answers.put(question, new Answer<>(own, now));
            if (answers.size() > bounds.kept()) {
                answers.remove(answers.keySet().iterator().next());
            }
            return null;
        } finally {
            lock.unlock();
        }
    }

    private V asked(K question) {
        try {
            if (!asking.tryAcquire(bounds.waitMillis(), TimeUnit.MILLISECONDS)) {
                throw new LimitReachedException("too many requests ask for access keys at once", Subject.NONE);
            }
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
            throw new LimitReachedException("interrupted while other requests asked for access keys", Subject.NONE);
        }
        try {
            return ask.apply(question);
        } finally {
            asking.release();
        }
    }

    @SuppressWarnings("ReferenceEquality") // A later caller may have asked the same question again.
    private void remove(K question, CompletableFuture<V> own) {
        lock.lock();
        try {
            Answer<V> known = answers.get(question);
            if (known != null && known.value() == own) {
                answers.remove(question);
            }
        } finally {
            lock.unlock();
        }
    }
}
