package io.bulwark.appliance.transfer;

import io.bulwark.client.error.BulwarkException;
import java.util.ArrayList;
import java.util.List;
import java.util.Queue;
import java.util.concurrent.ConcurrentLinkedQueue;
import org.HdrHistogram.ConcurrentHistogram;
import org.HdrHistogram.Histogram;

/**
 * Measurements of callers, each of which begins an operation when its last one has ended. A caller stops at its first
 * failure.
 *
 * @param micros latencies of the operations that succeeded, in microseconds
 * @param failures messages of those that failed
 */
public record ClosedLoop(double seconds, Histogram micros, List<String> failures) {
    private static final long MICROS_MAX = 3_600_000_000L;

    /** One operation of a caller. */
    public interface Operation {
        void run(int caller, int round);
    }

    /** Returns a histogram for latencies that is empty. */
    public static Histogram noLatencies() {
        return new ConcurrentHistogram(MICROS_MAX, 3);
    }

    /** Runs the callers on virtual threads for so long. */
    public static ClosedLoop run(int callers, double seconds, Operation operation) throws InterruptedException {
        Histogram micros = noLatencies();
        Queue<String> failures = new ConcurrentLinkedQueue<>();
        long start = System.nanoTime();
        long end = start + (long) (seconds * 1e9);
        List<Thread> running = new ArrayList<>();
        for (int each = 0; each < callers; each++) {
            int caller = each;
            running.add(Thread.ofVirtual().start(() -> {
                for (int round = 0; System.nanoTime() < end; round++) {
                    long begun = System.nanoTime();
                    try {
                        operation.run(caller, round);
                    } catch (BulwarkException e) {
                        failures.add(String.valueOf(e.getMessage()));
                        return;
                    }
                    micros.recordValue(Math.min(MICROS_MAX, (System.nanoTime() - begun) / 1000));
                }
            }));
        }
        for (Thread thread : running) {
            thread.join();
        }
        return new ClosedLoop((System.nanoTime() - start) / 1e9, micros, List.copyOf(failures));
    }

    /** Returns the number of operations that succeeded. */
    public long operations() {
        return micros.getTotalCount();
    }
}
