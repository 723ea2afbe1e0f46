package io.bulwark.example;

/** Checks that fail a run whatever the flags of the JVM are. */
final class Checks {
    private Checks() {}

    static void that(boolean holds, String promise) {
        if (!holds) {
            throw new IllegalStateException("not so: " + promise);
        }
    }
}
