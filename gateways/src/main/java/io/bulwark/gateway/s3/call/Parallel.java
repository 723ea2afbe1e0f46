package io.bulwark.gateway.s3.call;

import io.bulwark.gateway.s3.request.ErrorCode;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.Future;
import java.util.concurrent.Semaphore;
import java.util.function.Function;

/** Calls of the SDK at the same time, of which a request makes many. */
public final class Parallel {
    private static final int CALLS_MAX = 32;

    private Parallel() {}

    /** Returns the results in the order of the inputs. A failure of one ends the whole. */
    public static <T, R> List<R> map(List<T> inputs, Function<T, R> function) {
        Semaphore slots = new Semaphore(CALLS_MAX);
        List<Future<R>> tasks = new ArrayList<>();
        List<R> results = new ArrayList<>();
        try (ExecutorService threads = Executors.newVirtualThreadPerTaskExecutor()) {
            for (T input : inputs) {
                tasks.add(threads.submit(() -> {
                    slots.acquire();
                    try {
                        return function.apply(input);
                    } finally {
                        slots.release();
                    }
                }));
            }
            for (Future<R> task : tasks) {
                results.add(task.get());
            }
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
            throw ErrorCode.SERVICE_UNAVAILABLE.because("The gateway is closing.");
        } catch (ExecutionException e) {
            throw e.getCause() instanceof RuntimeException known ? known : new IllegalStateException(e.getCause());
        }
        return results;
    }
}
