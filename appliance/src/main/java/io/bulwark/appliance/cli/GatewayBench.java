package io.bulwark.appliance.cli;

import io.bulwark.appliance.transfer.GatewayRun;
import io.bulwark.appliance.transfer.LoadRun;
import io.bulwark.client.Bucket;
import io.bulwark.client.Bulwark;
import java.net.URI;
import java.util.ArrayList;
import java.util.List;
import java.util.Locale;
import org.HdrHistogram.Histogram;

/** {@code bench s3}: a table of operations through the SDK and through an S3 gateway. */
final class GatewayBench {
    private final ClusterAccess access;
    private final URI endpoint;
    private final int size;
    private final int threads;

    /** @param endpoint URL of a gateway */
    GatewayBench(ClusterAccess access, URI endpoint, int size, int threads) {
        this.access = access;
        this.endpoint = endpoint;
        this.size = size;
        this.threads = threads;
    }

    int run(String name, double seconds) throws InterruptedException {
        try (Bulwark client = access.connect()) {
            Bucket bucket = client.createBucket(name);
            try (GatewayRun run = new GatewayRun(client, name, endpoint, size, threads)) {
                List<GatewayRun.Result> results = run.run(seconds);
                run.failures().stream().limit(5).forEach(line -> System.err.println("bulwark: " + line));
                access.global()
                        .print(
                                new ComparisonView(
                                        size,
                                        threads,
                                        results.stream().map(RowView::of).toList()),
                                table(results));
                return run.failures().isEmpty() ? 0 : CommandFailure.FAILED;
            } finally {
                new LoadRun(bucket, size, threads).clear();
                client.deleteBucket(name);
            }
        }
    }

    private String table(List<GatewayRun.Result> results) {
        List<List<String>> rows = new ArrayList<>();
        rows.add(List.of("OPERATION", "SDK", "GATEWAY", "RATIO", "SDK P50, P99 MS", "GATEWAY P50, P99 MS"));
        for (GatewayRun.Result result : results) {
            boolean isList = result.operation().equals("list");
            rows.add(List.of(
                    isList ? "list of 1,000" : result.operation() + " " + Text.bytes(size),
                    rate(result.sdkPerSecond(), isList),
                    rate(result.gatewayPerSecond(), isList),
                    String.format(Locale.ROOT, "%.2f", result.ratio()),
                    latencies(result.sdkMicros()),
                    latencies(result.gatewayMicros())));
        }
        return threads + " at once, lists one by one" + System.lineSeparator()
                + Text.table(rows).stripTrailing();
    }

    private static String rate(double perSecond, boolean isList) {
        return isList
                ? String.format(Locale.ROOT, "%.1f/s", perSecond)
                : String.format(Locale.ROOT, "%.1f MiB/s", perSecond / (1 << 20));
    }

    private static String latencies(Histogram micros) {
        return String.format(
                Locale.ROOT,
                "%.1f, %.1f",
                micros.getValueAtPercentile(50) / 1000.0,
                micros.getValueAtPercentile(99) / 1000.0);
    }

    private record ComparisonView(long sizeBytes, int threads, List<RowView> operations) {}

    private record RowView(
            String operation,
            double sdkPerSecond,
            double gatewayPerSecond,
            double ratio,
            long gatewayP50Micros,
            long gatewayP99Micros) {
        static RowView of(GatewayRun.Result result) {
            return new RowView(
                    result.operation(),
                    result.sdkPerSecond(),
                    result.gatewayPerSecond(),
                    result.ratio(),
                    result.gatewayMicros().getValueAtPercentile(50),
                    result.gatewayMicros().getValueAtPercentile(99));
        }
    }
}
