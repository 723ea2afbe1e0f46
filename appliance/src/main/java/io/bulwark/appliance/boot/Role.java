package io.bulwark.appliance.boot;

import java.util.concurrent.CountDownLatch;

/** Keeps a role's process until it is told to end (SIGTERM, SIGINT), then closes what runs in it. */
final class Role {
    private Role() {}

    /**
     * Waits for the end.
     *
     * @return the exit code
     */
    static int until(String name, AutoCloseable running) throws InterruptedException {
        System.out.println(name + " is up");
        CountDownLatch closed = new CountDownLatch(1);
        Runtime.getRuntime().addShutdownHook(Thread.ofPlatform().unstarted(() -> {
            try {
                running.close();
                System.out.println(name + " is down");
            } catch (Exception e) {
                System.err.println(name + ": closing failed: " + e);
            } finally {
                closed.countDown();
            }
        }));
        closed.await();
        return 0;
    }
}
