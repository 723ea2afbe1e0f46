package io.bulwark.gateway.s3.call;

import io.bulwark.gateway.s3.request.ErrorCode;
import io.bulwark.protocol.id.PrincipalId;
import java.time.Duration;
import java.util.HashMap;
import java.util.Map;
import java.util.concurrent.locks.Condition;
import java.util.concurrent.locks.ReentrantLock;

/**
 * Bound on the memory of large documents in requests, each of which may take 15 MiB once it is read. A person has at most
 * half of the places, so that nobody who sends slowly keeps others out. Thread-safe.
 */
public final class LargeDocuments {
    /** Length from which on a document is large. A shorter one takes less than 1 MiB once it is read, and needs no place. */
    static final int BYTES_MIN = 64 << 10;

    private static final long HEAP_BYTES_EACH = 64 << 20;
    private static final int PLACES_MAX = 32;
    private static final Duration WAIT = Duration.ofSeconds(5);

    private final int places;
    private final Duration wait;
    private final ReentrantLock lock = new ReentrantLock();
    private final Condition left = lock.newCondition();
    private final Map<PrincipalId, Integer> taken = new HashMap<>();
    private int count;

    LargeDocuments(int places, Duration wait) {
        this.places = places;
        this.wait = wait;
    }

    /** Returns the bound for the heap of this process. */
    public static LargeDocuments ofHeap() {
        long fitting = Runtime.getRuntime().maxMemory() / HEAP_BYTES_EACH;
        return new LargeDocuments(Math.clamp(fitting, 2, PLACES_MAX), WAIT);
    }

    /**
     * Takes a place for a document of this person, which {@link #leave} gives back.
     *
     * @throws io.bulwark.gateway.s3.request.S3Exception if none gets free for some seconds
     */
    void enter(PrincipalId person) {
        long nanos = wait.toNanos();
        lock.lock();
        try {
            while (count == places || taken.getOrDefault(person, 0) >= Math.max(1, places / 2)) {
                if (nanos <= 0) {
                    throw ErrorCode.SLOW_DOWN.because("Too many large documents arrive at once. Please try again.");
                }
                nanos = left.awaitNanos(nanos);
            }
            count++;
            taken.merge(person, 1, Integer::sum);
        } catch (InterruptedException _) {
            Thread.currentThread().interrupt();
            throw ErrorCode.SERVICE_UNAVAILABLE.because("The gateway stops. Please try again.");
        } finally {
            lock.unlock();
        }
    }

    void leave(PrincipalId person) {
        lock.lock();
        try {
            count--;
            taken.computeIfPresent(person, (_, number) -> number == 1 ? null : number - 1);
            left.signalAll();
        } finally {
            lock.unlock();
        }
    }
}
