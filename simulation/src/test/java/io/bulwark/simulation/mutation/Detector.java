package io.bulwark.simulation.mutation;

/**
 * A test that must fail with a planted bug, and passes without.
 *
 * @param testClass below {@code io.bulwark}
 * @param runs how many seeds the test may try, where it tries several
 */
record Detector(String testClass, String method, int runs) {
    private static final int RUNS = 6;

    /** A simulation, or a test on the simulator. */
    static Detector simulation(String testClass, String method) {
        return new Detector("simulation." + testClass, method, RUNS);
    }

    /** A test of one class or one node. */
    static Detector protocol(String testClass, String method) {
        return new Detector("protocol." + testClass, method, RUNS);
    }

    Detector runs(int other) {
        return new Detector(testClass, method, other);
    }

    String className() {
        return "io.bulwark." + testClass;
    }

    @Override
    public String toString() {
        return testClass.substring(testClass.lastIndexOf('.') + 1) + "." + method;
    }
}
