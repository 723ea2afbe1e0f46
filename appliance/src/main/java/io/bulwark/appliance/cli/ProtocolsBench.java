package io.bulwark.appliance.cli;

import io.bulwark.appliance.protocols.ComparedProtocol;
import io.bulwark.appliance.protocols.ProtocolComparison;
import io.bulwark.appliance.protocols.ProtocolMeasurement;
import io.bulwark.client.text.Chart;
import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.Locale;
import java.util.function.ToDoubleFunction;
import java.util.stream.IntStream;
import org.jspecify.annotations.Nullable;

/** {@code bulwark bench protocols}: tables, and figures 4.4.4 to 4.4.9 of the thesis. */
final class ProtocolsBench {
    /** The bound on fingerprints would allow more; the thesis has 10. */
    static final int FAULTS_MAX = 4;

    private static final int CALLERS_MAX = 64;

    private final GlobalOptions global;
    private final ProtocolComparison.Settings settings;
    private final @Nullable Path plots;

    /** A table of the output: what was measured on one link. */
    private record Results(List<ProtocolMeasurement> all) {
        ProtocolMeasurement of(ComparedProtocol protocol, int faults, boolean isWrite, boolean alone) {
            return all.stream()
                    .filter(each -> each.protocol() == protocol
                            && each.faults() == faults
                            && each.isWrite() == isWrite
                            && (each.callers() == 1) == alone)
                    .findAny()
                    .orElseThrow();
        }

        int faults() {
            return all.stream().mapToInt(ProtocolMeasurement::faults).max().orElse(0);
        }
    }

    /** @param plots directory of the figures */
    ProtocolsBench(GlobalOptions global, ProtocolComparison.Settings settings, @Nullable Path plots) {
        if (settings.faults() < 1 || settings.faults() > FAULTS_MAX) {
            throw new CommandFailure(CommandFailure.USAGE, "--faults is 1 to " + FAULTS_MAX);
        }
        if (settings.callers() < 2 || settings.callers() > CALLERS_MAX) {
            throw new CommandFailure(CommandFailure.USAGE, "`protocols` takes --threads 2 to " + CALLERS_MAX);
        }
        this.global = global;
        this.settings = settings;
        this.plots = plots;
    }

    int run() throws IOException, InterruptedException {
        List<ProtocolMeasurement> all = new ProtocolComparison(settings, System.err::println).run();
        List<String> text = new ArrayList<>();
        for (boolean capped : new boolean[] {false, true}) {
            Results results = new Results(
                    all.stream().filter(each -> each.capped() == capped).toList());
            if (!results.all.isEmpty()) {
                text.add(
                        capped
                                ? "Client's link capped at " + Text.bytes(settings.bytesPerSecond())
                                        + " a second each way"
                                : "Link without a limit");
                text.add(measurements(results));
                text.add(ratios(results));
                text.add(breakdown(results));
                plot(results, capped);
            }
        }
        global.print(all, String.join(System.lineSeparator() + System.lineSeparator(), text));
        return 0;
    }

    private static String measurements(Results results) {
        List<List<String>> rows = new ArrayList<>();
        rows.add(List.of(
                "F",
                "PROTOCOL",
                "WRITE MIB/S",
                "CPU",
                "READ MIB/S",
                "CPU",
                "WRITE P50 MS",
                "READ P50 MS",
                "SENT KIB/WRITE",
                "RECEIVED KIB/READ"));
        for (int f = 1; f <= results.faults(); f++) {
            for (ComparedProtocol protocol : ComparedProtocol.values()) {
                ProtocolMeasurement writes = results.of(protocol, f, true, false);
                ProtocolMeasurement reads = results.of(protocol, f, false, false);
                rows.add(List.of(
                        Integer.toString(f),
                        protocol.text(),
                        Text.number("%.1f", writes.mebibytesPerSecond()),
                        percent(writes.processorShare()),
                        Text.number("%.1f", reads.mebibytesPerSecond()),
                        percent(reads.processorShare()),
                        Text.number("%.2f", results.of(protocol, f, true, true).p50Millis()),
                        Text.number("%.2f", results.of(protocol, f, false, true).p50Millis()),
                        Text.number("%.1f", writes.sentBytes() / 1024),
                        Text.number("%.1f", reads.receivedBytes() / 1024)));
            }
        }
        return Text.table(rows);
    }

    private static String ratios(Results results) {
        List<List<String>> rows = new ArrayList<>();
        rows.add(List.of("FP OF", "F", "WRITE MIB/S", "READ MIB/S", "WRITE P50", "READ P50"));
        for (ComparedProtocol other : ComparedProtocol.values()) {
            for (int f = 1; other != ComparedProtocol.FP && f <= results.faults(); f++) {
                rows.add(List.of(
                        other.text(),
                        Integer.toString(f),
                        ratio(results, other, f, true, false, ProtocolMeasurement::mebibytesPerSecond),
                        ratio(results, other, f, false, false, ProtocolMeasurement::mebibytesPerSecond),
                        ratio(results, other, f, true, true, ProtocolMeasurement::p50Millis),
                        ratio(results, other, f, false, true, ProtocolMeasurement::p50Millis)));
            }
        }
        return Text.table(rows);
    }

    private static String ratio(
            Results results,
            ComparedProtocol other,
            int f,
            boolean isWrite,
            boolean alone,
            ToDoubleFunction<ProtocolMeasurement> value) {
        return Text.number(
                "%.2f",
                value.applyAsDouble(results.of(ComparedProtocol.FP, f, isWrite, alone))
                        / value.applyAsDouble(results.of(other, f, isWrite, alone)));
    }

    /** Figures 4.4.7 and 4.4.9, with the share of a node's MACs and store. */
    private static String breakdown(Results results) {
        List<List<String>> rows = new ArrayList<>();
        int f = results.faults();
        rows.add(List.of("F=" + f + ", MS", "MEAN", "RPC", "ENCODE", "HASH", "FINGERPRINT", "MAC", "STORE"));
        for (boolean isWrite : new boolean[] {true, false}) {
            for (ComparedProtocol protocol : ComparedProtocol.values()) {
                ProtocolMeasurement each = results.of(protocol, f, isWrite, true);
                rows.add(List.of(
                        (isWrite ? "write " : "read ") + protocol.text(),
                        Text.number("%.2f", each.meanMillis()),
                        Text.number("%.2f", each.rpcMillis()),
                        Text.number("%.3f", each.coding().encodeMillis()),
                        Text.number("%.3f", each.coding().hashMillis()),
                        Text.number("%.3f", each.coding().fingerprintMillis()),
                        Text.number("%.3f", each.macMillis()),
                        Text.number("%.3f", each.storeMillis())));
            }
        }
        return Text.table(rows);
    }

    private void plot(Results results, boolean capped) throws IOException {
        Path directory = plots;
        if (directory == null) {
            return;
        }
        Files.createDirectories(directory);
        String link = capped ? ", capped link" : "";
        for (boolean isWrite : new boolean[] {true, false}) {
            String what = isWrite ? "Write" : "Read";
            String file = "protocols-" + what.toLowerCase(Locale.ROOT) + (capped ? "-capped" : "");
            draw(
                    directory.resolve(file + ".svg"),
                    new Chart(
                            what + " throughput" + link,
                            "faults tolerated",
                            "MiB/s",
                            lines(results, isWrite, false, ProtocolMeasurement::mebibytesPerSecond)));
            draw(
                    directory.resolve(file + "-latency.svg"),
                    new Chart(
                            what + " response time" + link,
                            "faults tolerated",
                            "ms",
                            lines(results, isWrite, true, ProtocolMeasurement::p50Millis)));
        }
    }

    private static List<Chart.Line> lines(
            Results results, boolean isWrite, boolean alone, ToDoubleFunction<ProtocolMeasurement> value) {
        return Arrays.stream(ComparedProtocol.values())
                .map(protocol -> new Chart.Line(
                        protocol.text(),
                        IntStream.rangeClosed(1, results.faults())
                                .mapToObj(f -> new Chart.Point(
                                        f, value.applyAsDouble(results.of(protocol, f, isWrite, alone))))
                                .toList()))
                .toList();
    }

    private static void draw(Path file, Chart chart) throws IOException {
        Files.writeString(file, chart.svg(), StandardCharsets.UTF_8);
    }

    private static String percent(double share) {
        return String.format(Locale.ROOT, "%.0f%%", 100 * share);
    }
}
