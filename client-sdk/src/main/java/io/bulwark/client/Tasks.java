package io.bulwark.client;

import java.util.concurrent.CompletableFuture;
import java.util.function.Supplier;
import org.jspecify.annotations.Nullable;

/** Blocking operations on virtual threads, as futures whose cancelling interrupts them. */
final class Tasks {
    private Tasks() {}

    static <T> CompletableFuture<T> start(Supplier<T> operation) {
        Task<T> task = new Task<>();
        task.thread = Thread.ofVirtual().name("bulwark-async").unstarted(() -> task.run(operation));
        task.thread.start();
        return task;
    }

    private static final class Task<T> extends CompletableFuture<T> {
        private @Nullable Thread thread;

        void run(Supplier<T> operation) {
            try {
                complete(operation.get());
            } catch (Throwable e) {
                completeExceptionally(e);
            }
        }

        @Override
        public boolean cancel(boolean mayInterruptIfRunning) {
            boolean cancelled = super.cancel(mayInterruptIfRunning);
            if (cancelled && thread != null) {
                thread.interrupt();
            }
            return cancelled;
        }
    }
}
