package io.bulwark.appliance.cli;

import io.bulwark.appliance.adapt.Adaptation;
import io.bulwark.appliance.adapt.AdaptationPlot;
import io.bulwark.appliance.adapt.AdaptationRun;
import io.bulwark.appliance.cluster.ClusterShape;
import io.bulwark.appliance.cluster.Ordering;
import io.bulwark.appliance.up.EmbeddedMembers;
import io.bulwark.client.Bulwark;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Locale;
import java.util.OptionalDouble;
import java.util.function.ToDoubleFunction;
import org.jspecify.annotations.Nullable;

/** {@code bulwark bench adapt}: a table of what was found and done, and a plot of n, b and latency. */
final class AdaptBench {
    private static final int REPLICAS = 4;
    private static final int WINDOW_SECONDS = 4;
    private static final int PATIENCE_SECONDS = 240;
    /** Longer than the nodes wait for each other. */
    private static final long DELAY_MILLIS = 6_000;

    private final GlobalOptions global;
    private final int callers;
    private final int portBase;
    private final @Nullable Path plot;

    AdaptBench(GlobalOptions global, int callers, int portBase, @Nullable Path plot) {
        this.global = global;
        this.callers = callers;
        this.portBase = portBase;
        this.plot = plot;
    }

    int run() throws Exception {
        long seed = System.nanoTime();
        ClusterShape shape = new ClusterShape(AdaptationRun.NODES, REPLICAS, portBase, Ordering.DEFAULT, "sync");
        boolean good = TemporaryAppliance.run(
                "bulwark-adapt",
                shape,
                plan -> new EmbeddedMembers(plan).withDelay(DELAY_MILLIS),
                (_, clientProperties, appliance) -> {
                    try (Bulwark client = Bulwark.connect(clientProperties)) {
                        Adaptation course = new AdaptationRun(
                                        client,
                                        appliance::onRequest,
                                        new AdaptationRun.Settings(callers, WINDOW_SECONDS, PATIENCE_SECONDS, seed),
                                        global.json() ? _ -> {} : System.out::println)
                                .run();
                        if (plot != null) {
                            Files.writeString(plot, AdaptationPlot.svg(course), StandardCharsets.UTF_8);
                        }
                        global.print(new AdaptView(seed, course), text(course));
                        return course.failures().isEmpty();
                    }
                });
        return good ? 0 : CommandFailure.FAILED;
    }

    private record AdaptView(long seed, Adaptation course) {}

    private static String text(Adaptation course) {
        List<List<String>> rows = new ArrayList<>();
        rows.add(
                List.of("NODE", "FAULT", "NAMED AFTER", "EVIDENCE", "REBUILT AFTER", "b LOWERED AFTER", "P50, P99 MS"));
        rows.add(List.of(
                "",
                "none",
                "",
                "",
                "",
                "",
                latencies(course, 0, course.faults().getFirst().given())));
        for (Adaptation.Fault fault : course.faults()) {
            rows.add(List.of(
                    "node-" + fault.node(),
                    fault.kind(),
                    seconds(fault.named() - fault.given()),
                    fault.evidence(),
                    seconds(fault.removed() - fault.given()),
                    seconds(fault.lowered() - fault.given()),
                    latencies(course, fault.given(), fault.lowered())));
        }
        return Text.table(rows).stripTrailing() + System.lineSeparator() + course.operations()
                + " operations succeeded, " + course.failures().size() + " failed."
                + course.failures().stream()
                        .distinct()
                        .limit(3)
                        .reduce("", (all, failure) -> all + System.lineSeparator() + "  " + failure);
    }

    private static String seconds(double seconds) {
        return String.format(Locale.ROOT, "%.0f s", seconds);
    }

    private static String latencies(Adaptation course, double from, double to) {
        return String.format(
                Locale.ROOT,
                "%.0f, %.0f",
                mean(course, from, to, Adaptation.Point::p50Millis).orElse(0),
                mean(course, from, to, Adaptation.Point::p99Millis).orElse(0));
    }

    private static OptionalDouble mean(
            Adaptation course, double from, double to, ToDoubleFunction<Adaptation.Point> value) {
        return course.points().stream()
                .filter(point -> point.seconds() >= from && point.seconds() <= to)
                .mapToDouble(value)
                .filter(millis -> millis >= 0)
                .average();
    }
}
