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
    private final Deque<Runnable> waiting = new ArrayDeque<>();
    private final Deque<Long> wanted = new ArrayDeque<>();
    private long held;

    OperationMemory(long bytesMax) {
        this.bytesMax = bytesMax;
    }

    /** An eighth of the heap. */
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
        Runnable run = () -> {
            var _ = operation.get().whenComplete((value, failure) -> {
                release(bytes);
                if (failure == null) {
                    result.complete(value);
                } else {
                    result.completeExceptionally(failure);
                }
            });
        };
        synchronized (this) {
            wanted.addLast(bytes);
            waiting.addLast(run);
        }
        startNext();
        return result;
    }

    private void release(long bytes) {
        synchronized (this) {
            held -= bytes;
        }
        startNext();
    }

    private void startNext() {
        while (true) {
            Runnable next;
            synchronized (this) {
                Long bytes = wanted.peekFirst();
                if (bytes == null || (held > 0 && held + bytes > bytesMax)) {
                    return;
                }
                wanted.removeFirst();
                held += bytes;
                next = waiting.removeFirst();
            }
            next.run();
        }
    }
}
