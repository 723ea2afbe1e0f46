package io.bulwark.protocol.mutation;

/**
 * A test that must fail with a planted bug, and passes without.
 *
 * @param testClass below {@code io.bulwark}
 * @param runs how many seeds the test may try, where it tries several
 */
public record Detector(String testClass, String method, int runs) {
    private static final int RUNS = 6;

    /** A simulation, or a test on the simulator. */
    public static Detector simulation(String testClass, String method) {
        return new Detector("simulation." + testClass, method, RUNS);
    }

    /** A test of one class or one node. */
    public static Detector protocol(String testClass, String method) {
        return new Detector("protocol." + testClass, method, RUNS);
    }

    /** A test of one class of a storage node. */
    public static Detector storage(String testClass, String method) {
        return new Detector("storage." + testClass, method, RUNS);
    }

    /** A test of one class of a metadata replica, or of a group of them. */
    public static Detector metadata(String testClass, String method) {
        return new Detector("metadata." + testClass, method, RUNS);
    }

    /** A test of one class of the appliance. */
    public static Detector appliance(String testClass, String method) {
        return new Detector("appliance." + testClass, method, RUNS);
    }

    public Detector runs(int other) {
        return new Detector(testClass, method, other);
    }

    public String className() {
        return "io.bulwark." + testClass;
    }

    @Override
    public String toString() {
        return testClass.substring(testClass.lastIndexOf('.') + 1) + "." + method;
    }
}
