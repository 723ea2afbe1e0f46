package io.bulwark.appliance.cli;

import io.bulwark.simulation.fault.FigureSix;
import java.util.ArrayList;
import java.util.List;
import java.util.Locale;

/** Output of {@code bulwark fault simulate}: figure 6 of Agile Store and times to detection. */
final class FaultSimulation {
    private static final int FAULTS = 11;
    private static final int RUNS = 100;

    private FaultSimulation() {}

    static void print(long seed, boolean json) {
        List<FigureSix.Row> rows = FigureSix.run(FAULTS, seed);
        List<FigureSix.Detection> detections =
                FigureSix.detections(List.of(0.25, 0.5, 1.0), List.of(0.0, 0.2, 0.4, 0.6), RUNS, seed);
        if (json) {
            GlobalOptions.printJson(new SimulationView(seed, rows, detections));
            return;
        }
        System.out.println("seed " + seed);
        System.out.println(Text.table(figure(rows)));
        System.out.println();
        System.out.println(Text.table(times(detections)));
    }

    private record SimulationView(long seed, List<FigureSix.Row> figure6, List<FigureSix.Detection> detections) {}

    private static List<List<String>> figure(List<FigureSix.Row> rows) {
        List<List<String>> table = new ArrayList<>();
        table.add(List.of("WINDOW", "FAULTS", "REMOVED", "STATIC n, b", "DYNAMIC n, b", "RECONFIGURABLE n, b"));
        for (FigureSix.Row row : rows) {
            table.add(List.of(
                    Integer.toString(row.window()),
                    Integer.toString(row.injected()),
                    Integer.toString(row.removed()),
                    row.isStaticOver() ? "over" : FigureSix.NODES + ", " + FigureSix.MOST_FAULTS,
                    row.dynamicB() > FigureSix.MOST_FAULTS ? "over" : FigureSix.NODES + ", " + row.dynamicB(),
                    row.n() + ", " + row.b()));
        }
        return table;
    }

    private static List<List<String>> times(List<FigureSix.Detection> detections) {
        List<List<String>> table = new ArrayList<>();
        table.add(List.of("STALE ANSWERS", "CONCURRENT WRITES", "WINDOWS TO DETECTION", "RUNS", "MISSED"));
        for (FigureSix.Detection each : detections) {
            table.add(List.of(
                    String.format(Locale.ROOT, "%.0f%%", 100 * each.share()),
                    String.format(Locale.ROOT, "%.0f%%", 100 * each.concurrent()),
                    String.format(Locale.ROOT, "%.1f", each.meanWindows()),
                    Integer.toString(each.runs()),
                    Integer.toString(each.missed())));
        }
        return table;
    }
}
