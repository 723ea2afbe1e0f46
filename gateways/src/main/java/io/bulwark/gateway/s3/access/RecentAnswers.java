package io.bulwark.gateway.s3.access;

import io.bulwark.client.error.LimitReachedException;
import io.bulwark.client.error.Subject;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionException;
import java.util.concurrent.Semaphore;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.locks.ReentrantLock;
import java.util.function.Function;
import java.util.function.LongSupplier;
import java.util.function.Predicate;
import org.jspecify.annotations.Nullable;

/**
 * Answers that stay valid for a time from when they were asked for. Callers with one question at the same time share one
 * answer. Of the answers kept, the oldest go first. Questions under way are bounded: each costs an exchange with the
 * replicas, and strangers choose what is asked. Questions whose last answer was proof that no stranger made them up are
 * kept and asked apart, so that strangers do not hinder them.
 */
final class RecentAnswers<K, V> {
    private final Function<K, V> ask;
    private final Bounds bounds;
    private final LongSupplier nanoClock;
    private final Predicate<V> isProof;
    private final ReentrantLock lock = new ReentrantLock();
    private final Answers<K, V> ofStrangers;
    private final Answers<K, V> proven;

    /** Answers of one kind, the oldest first, and the permits to ask for more. */
    private record Answers<K, V>(Map<K, Answer<V>> kept, Semaphore asking) {
        private Answers(Bounds bounds) {
            this(new LinkedHashMap<>(), new Semaphore(bounds.asking()));
        }

        private void put(K question, Answer<V> answer, Bounds bounds) {
            kept.remove(question);
            kept.put(question, answer);
            if (kept.size() > bounds.kept()) {
                kept.remove(kept.keySet().iterator().next());
            }
        }
    }

    /** A question that is to be asked, or that somebody else has asked. */
    private record Begun<K, V>(Answers<K, V> kind, @Nullable CompletableFuture<V> other) {}

    /**
     * Bounds of what is kept and asked.
     *
     * @param ageNanos time for which an answer is valid
     * @param waitMillis time that a question waits for others to end, before it fails
     */
    record Bounds(long ageNanos, int kept, int asking, long waitMillis) {}

    private record Answer<V>(CompletableFuture<V> value, long askedNanos) {}

    RecentAnswers(Function<K, V> ask, Bounds bounds, LongSupplier nanoClock) {
        this(ask, _ -> false, bounds, nanoClock);
    }

    /**
     * Creates one.
     *
     * @param isProof whether an answer shows that its question is none that a stranger made up
     * @param bounds of each of both kinds
     */
    RecentAnswers(Function<K, V> ask, Predicate<V> isProof, Bounds bounds, LongSupplier nanoClock) {
        this.ask = ask;
        this.isProof = isProof;
        this.bounds = bounds;
        this.nanoClock = nanoClock;
        this.ofStrangers = new Answers<>(bounds);
        this.proven = new Answers<>(bounds);
    }

    /** Returns the answer, with what asking throws. */
    V get(K question) {
        CompletableFuture<V> own = new CompletableFuture<>();
        Begun<K, V> begun = begin(question, own);
        CompletableFuture<V> other = begun.other();
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
            V value = asked(question, begun.kind().asking());
            own.complete(value);
            settle(question, own, begun.kind(), isProof.test(value) ? proven : ofStrangers);
            return value;
        } catch (RuntimeException | Error e) {
            // A failure is no answer: the next caller asks again.
            remove(question, own);
            own.completeExceptionally(e);
            throw e;
        }
    }

    private Begun<K, V> begin(K question, CompletableFuture<V> own) {
        lock.lock();
        try {
            long now = nanoClock.getAsLong();
            Answers<K, V> kind = proven.kept().containsKey(question) ? proven : ofStrangers;
            Answer<V> known = kind.kept().get(question);
            if (known != null && now - known.askedNanos() < bounds.ageNanos()) {
                return new Begun<>(kind, known.value());
            }
            kind.put(question, new Answer<>(own, now), bounds);
            return new Begun<>(kind, null);
        } finally {
            lock.unlock();
        }
    }

    /** Moves an answer to those of its kind, if it is still the one that was asked for. */
    @SuppressWarnings("ReferenceEquality")
    private void settle(K question, CompletableFuture<V> own, Answers<K, V> from, Answers<K, V> to) {
        lock.lock();
        try {
            Answer<V> known = from.kept().get(question);
            if (from != to && known != null && known.value() == own) {
                from.kept().remove(question);
                to.put(question, known, bounds);
            }
        } finally {
            lock.unlock();
        }
    }

    private V asked(K question, Semaphore asking) {
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
            for (Answers<K, V> kind : List.of(ofStrangers, proven)) {
                Answer<V> known = kind.kept().get(question);
                if (known != null && known.value() == own) {
                    kind.kept().remove(question);
                }
            }
        } finally {
            lock.unlock();
        }
    }
}
