package io.bulwark.metadata;

import io.bulwark.protocol.wire.Bytes;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.function.Supplier;
import org.jspecify.annotations.NullMarked;

/** Callers that each wait for an answer before they call again, over one client and its connections. */
@NullMarked
final class Callers {
    private Callers() {}

    /** Result of a measurement. */
    record Measured(double perSecond, double p50Micros, double p99Micros) {}

    /** Runs this many concurrent callers for half as long unmeasured, then measured. */
    static Measured measure(int callers, double seconds, Supplier<CompletableFuture<Bytes>> call)
            throws InterruptedException {
        AtomicBoolean measuring = new AtomicBoolean();
        AtomicBoolean ended = new AtomicBoolean();
        List<List<Long>> nanos = new ArrayList<>();
        List<Thread> threads = new ArrayList<>();
        for (int i = 0; i < callers; i++) {
            List<Long> own = new ArrayList<>();
            nanos.add(own);
            threads.add(Thread.ofVirtual().start(() -> {
                while (!ended.get()) {
                    long start = System.nanoTime();
                    boolean counts = measuring.get();
                    call.get().join();
                    if (counts && !ended.get()) {
                        own.add(System.nanoTime() - start);
                    }
                }
            }));
        }
        Thread.sleep((long) (500 * seconds));
        long from = System.nanoTime();
        measuring.set(true);
        Thread.sleep((long) (1000 * seconds));
        ended.set(true);
        double measured = (System.nanoTime() - from) / 1e9;
        for (Thread thread : threads) {
            thread.join();
        }
        long[] sorted = nanos.stream()
                .flatMap(List::stream)
                .mapToLong(Long::longValue)
                .sorted()
                .toArray();
        if (sorted.length == 0) {
            return new Measured(0, Double.NaN, Double.NaN);
        }
        return new Measured(
                sorted.length / measured, sorted[sorted.length / 2] / 1e3, sorted[(int) (sorted.length * 0.99)] / 1e3);
    }
}
