package io.bulwark.client.bulk;

import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.Future;
import java.util.concurrent.Semaphore;

/** Many independent tasks, a limited number of them at a time. */
public final class ParallelWork {
    private ParallelWork() {}

    /**
     * Runs all tasks on virtual threads; returns when all have ended.
     *
     * @throws IllegalStateException if a task threw an exception
     */
    public static void run(List<? extends Runnable> work, int atOnce) throws InterruptedException {
        Semaphore slots = new Semaphore(atOnce);
        try (ExecutorService threads = Executors.newVirtualThreadPerTaskExecutor()) {
            List<Future<?>> running = new ArrayList<>();
            for (Runnable task : work) {
                slots.acquire();
                running.add(threads.submit(() -> {
                    try {
                        task.run();
                    } finally {
                        slots.release();
                    }
                }));
            }
            for (Future<?> future : running) {
                try {
                    future.get();
                } catch (ExecutionException e) {
                    throw new IllegalStateException(e.getCause());
                }
            }
        }
    }
}
