package io.bulwark.storage.node;

import java.util.ArrayDeque;
import java.util.Deque;
import java.util.concurrent.CompletableFuture;
import java.util.function.Supplier;

/**
 * Bounds the memory of the operations by which nodes read whole blocks from their peers. The nodes of a process share one, since they
 * share its heap. Operations beyond the bound wait in order; one that needs more than all of it runs alone. Thread-safe.
 */
public final class OperationMemory {
    private static final int HEAP_PART = 8;

    private final long bytesMax;
    private final Deque<Waiting> waiting = new ArrayDeque<>();
    private long held;
    /** True while a thread starts operations, so that one that ends at once starts no other from within. */
    private boolean starting;

    private record Waiting(long bytes, Runnable start) {}

    OperationMemory(long bytesMax) {
        this.bytesMax = bytesMax;
    }

    /** Returns a bound of an eighth of the heap. */
    public static OperationMemory ofHeap() {
        return new OperationMemory(Runtime.getRuntime().maxMemory() / HEAP_PART);
    }

    /**
     * Starts an operation once there is room for it.
     *
     * @param bytes about as many as it holds until its result is there; with 0 it starts at once
     */
    <R> CompletableFuture<R> start(long bytes, Supplier<CompletableFuture<R>> operation) {
        if (bytes == 0) {
            return operation.get();
        }
        CompletableFuture<R> result = new CompletableFuture<>();
        Runnable start = () -> {
            var _ = started(operation).whenComplete((value, failure) -> {
                release(bytes);
                if (failure == null) {
                    result.complete(value);
                } else {
                    result.completeExceptionally(failure);
                }
            });
        };
        synchronized (this) {
            waiting.addLast(new Waiting(bytes, start));
        }
        startNext();
        return result;
    }

    private static <R> CompletableFuture<R> started(Supplier<CompletableFuture<R>> operation) {
        try {
            return operation.get();
        } catch (RuntimeException e) {
            return CompletableFuture.failedFuture(e);
        }
    }

    private void release(long bytes) {
        synchronized (this) {
            held -= bytes;
        }
        startNext();
    }

    private void startNext() {
        while (true) {
            Waiting next;
            synchronized (this) {
                next = waiting.peekFirst();
                if (starting || next == null || (held > 0 && held + next.bytes > bytesMax)) {
                    return;
                }
                waiting.removeFirst();
                held += next.bytes;
                starting = true;
            }
            try {
                next.start.run();
            } finally {
                synchronized (this) {
                    starting = false;
                }
            }
        }
    }
}
