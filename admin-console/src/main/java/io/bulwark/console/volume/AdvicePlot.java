package io.bulwark.console.volume;

import io.bulwark.protocol.cluster.AvailabilityTarget;
import io.bulwark.protocol.cluster.ClassAdvice;
import io.bulwark.protocol.cluster.PolicyAdvice;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Locale;
import java.util.Map;

/**
 * Plot of the probability that a block cannot be read after its write, from 1 down to 1e-12, over the availability of a
 * node from 0.5 to 0.99. The policies are those chosen for one availability.
 *
 * @param curves by policy, as points of an SVG polyline in a field of {@link #WIDTH} by {@link #HEIGHT}
 */
record AdvicePlot(List<Curve> curves) {
    static final int WIDTH = 480;
    static final int HEIGHT = 240;
    private static final int DECADES = 12;
    private static final int STEPS = 49;

    record Curve(String policy, String points) {}

    static AdvicePlot of(int nodes, int faults, double availability, double target) {
        Map<String, StringBuilder> curves = new LinkedHashMap<>();
        for (PolicyAdvice chosen : ClassAdvice.of(nodes, faults, new AvailabilityTarget(availability, target))
                .choices()) {
            StringBuilder points = new StringBuilder();
            for (int step = 0; step <= STEPS; step++) {
                AvailabilityTarget at = new AvailabilityTarget(0.5 + step / 100.0, target);
                double unreadable = PolicyAdvice.of(chosen.policy(), at).afterWrite();
                double decades = Math.min(DECADES, Math.max(0, -Math.log10(Math.max(unreadable, 1e-300))));
                points.append(String.format(
                        Locale.ROOT, "%.1f,%.1f ", (double) WIDTH * step / STEPS, HEIGHT * decades / DECADES));
            }
            curves.put(chosen.policy().text(), points);
        }
        List<Curve> all = new ArrayList<>();
        curves.forEach(
                (policy, points) -> all.add(new Curve(policy, points.toString().trim())));
        return new AdvicePlot(List.copyOf(all));
    }
}
