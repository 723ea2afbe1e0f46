package io.bulwark.metadata.log;

import java.util.concurrent.BlockingQueue;

/** Waiting that an interrupt does not end. */
public final class Uninterruptible {
    private Uninterruptible() {}

    /** Adds an element once there is room. An interrupt meanwhile is there for the caller afterwards. */
    public static <T> void put(BlockingQueue<T> queue, T element) {
        boolean interrupted = false;
        while (true) {
            try {
                queue.put(element);
                break;
            } catch (InterruptedException e) {
                interrupted = true;
            }
        }
        if (interrupted) {
            Thread.currentThread().interrupt();
        }
    }
}
