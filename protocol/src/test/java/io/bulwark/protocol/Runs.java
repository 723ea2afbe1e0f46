package io.bulwark.protocol;

/**
 * Number of seeds that a random test runs: {@code -Dbulwark.runs=N}, else its usual number, which {@code -Pnightly}
 * multiplies.
 */
public final class Runs {
    private Runs() {}

    public static int of(int usual) {
        return Integer.getInteger("bulwark.runs", usual * Integer.getInteger("bulwark.runs.factor", 1));
    }
}
