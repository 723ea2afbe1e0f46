package io.bulwark.appliance.adapt;

import java.util.List;

/**
 * Course of an {@link AdaptationRun}.
 *
 * @param points one for each second
 * @param failures of the load's operations
 */
public record Adaptation(List<Point> points, List<Fault> faults, long operations, List<String> failures) {
    /**
     * State of the cluster at one time.
     *
     * @param nodes that hold slots: n of the system
     * @param faults that the volume tolerates: b
     * @param p50Millis median latency of the operations that ended in this second; less than 0 if none did
     */
    public record Point(double seconds, int nodes, int faults, int threatLevel, double p50Millis, double p99Millis) {}

    /**
     * Fault that was given, and the answers to it. All times are in seconds since the start.
     *
     * @param kind of the fault that was given
     * @param evidence who named the node, and why
     * @param given time at which the node became faulty; the volume tolerated more faults just before
     * @param named time at which its peers named it
     * @param removed time at which others had all of its slots, with all data
     * @param lowered time at which the volume tolerated as many as before
     */
    public record Fault(
            String kind, int node, String evidence, double given, double named, double removed, double lowered) {}

    public Adaptation {
        points = List.copyOf(points);
        faults = List.copyOf(faults);
        failures = List.copyOf(failures);
    }
}
