package io.bulwark.appliance.boot;

import java.io.IOException;

/**
 * Ends this process when its standard input ends. The parent of a member holds the other end of that pipe, and a killed
 * parent runs no hook. A member that outlived it would keep its port and its data from the next start.
 */
public final class ParentWatch {
    private static final int PARENT_GONE = 1;

    private ParentWatch() {}

    /** Watches from now on. */
    public static void begin() {
        Thread.ofPlatform().daemon().name("parent-watch").start(() -> {
            awaitEndOfInput();
            System.err.println("the parent process has ended");
            // As abruptly as the parent: nothing acknowledged is lost by it, and the next start waits for the port.
            Runtime.getRuntime().halt(PARENT_GONE);
        });
    }

    private static void awaitEndOfInput() {
        try {
            while (System.in.read() >= 0) {
                // Nothing is ever sent.
            }
        } catch (IOException e) {
            System.err.println("standard input: " + e.getMessage());
        }
    }
}
