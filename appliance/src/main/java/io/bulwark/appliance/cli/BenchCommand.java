package io.bulwark.appliance.cli;

import io.bulwark.appliance.transfer.LoadRun;
import io.bulwark.client.Bucket;
import io.bulwark.client.Bulwark;
import java.util.LinkedHashMap;
import java.util.Locale;
import java.util.Map;
import java.util.concurrent.Callable;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import picocli.CommandLine.Command;
import picocli.CommandLine.ITypeConverter;
import picocli.CommandLine.Mixin;
import picocli.CommandLine.Option;
import picocli.CommandLine.Parameters;
import picocli.CommandLine.TypeConversionException;

/** {@code bench put|get}. */
@Command(name = "bench", description = "Measure puts or gets in a temporary bucket, which is removed afterwards.")
final class BenchCommand implements Callable<Integer> {
    /** The operation to measure. */
    enum Measurement {
        PUT,
        GET
    }

    /** {@code 4096}, {@code 64k}, {@code 1m}. */
    static final class Size implements ITypeConverter<Integer> {
        private static final Pattern FORM = Pattern.compile("([0-9]{1,9})([kKmM]?)(i?[bB])?");

        @Override
        public Integer convert(String text) {
            Matcher matcher = FORM.matcher(text);
            if (!matcher.matches()) {
                throw new TypeConversionException("'" + text + "' is not a size such as 4096, 64k or 1m");
            }
            int shift = switch (matcher.group(2).toLowerCase(Locale.ROOT)) {
                case "k" -> 10;
                case "m" -> 20;
                default -> 0;
            };
            long bytes = Long.parseLong(matcher.group(1)) << shift;
            if (bytes > 1 << 30) {
                throw new TypeConversionException("at most 1024m");
            }
            return (int) bytes;
        }
    }

    @Mixin
    private final ClusterAccess access = new ClusterAccess();

    @Parameters(paramLabel = "put|get")
    private Measurement what = Measurement.PUT;

    @Option(
            names = "--size",
            paramLabel = "BYTES",
            defaultValue = "1m",
            converter = Size.class,
            description = "Bytes per object (default: ${DEFAULT-VALUE}).")
    private int size;

    @Option(
            names = "--threads",
            paramLabel = "N",
            defaultValue = "4",
            description = "Concurrent operations (default: ${DEFAULT-VALUE}).")
    private int threads;

    @Option(
            names = "--seconds",
            paramLabel = "N",
            defaultValue = "10",
            description = "Duration of the measurement (default: ${DEFAULT-VALUE}).")
    private double seconds;

    @Override
    public Integer call() throws InterruptedException {
        if (threads < 1 || threads > 1024 || !(seconds > 0 && seconds <= 86_400)) {
            throw new CommandFailure(CommandFailure.USAGE, "--threads is 1 to 1024, --seconds above 0 to 86400");
        }
        try (Bulwark client = access.connect()) {
            String name = "bench-" + ProcessHandle.current().pid() + "-" + System.currentTimeMillis();
            Bucket bucket = client.createBucket(name);
            LoadRun load = new LoadRun(bucket, size, threads);
            try {
                LoadRun.Result result = what == Measurement.PUT ? load.put(seconds) : load.get(seconds);
                print(result);
                return result.failures().isEmpty() ? 0 : CommandFailure.FAILED;
            } finally {
                load.clear();
                client.deleteBucket(name);
            }
        }
    }

    private void print(LoadRun.Result result) {
        result.failures().stream().limit(5).forEach(line -> System.err.println("bulwark: " + line));
        Map<String, Object> json = new LinkedHashMap<>();
        json.put("operation", EnumConverter.of(what));
        json.put("sizeBytes", size);
        json.put("threads", threads);
        json.put("seconds", result.seconds());
        json.put("operations", result.operations());
        json.put("mebibytesPerSecond", result.mebibytesPerSecond());
        json.put("operationsPerSecond", result.operationsPerSecond());
        json.put("p50Micros", result.p50Micros());
        json.put("p99Micros", result.p99Micros());
        json.put("clientProcessorMillisPerOperation", result.processorMillisPerOperation());
        json.put("clientProcessorSecondsPerGibibyte", result.processorSecondsPerGibibyte());
        json.put("clientAllocatedBytesPerOperation", result.allocatedBytesPerOperation());
        json.put("failed", result.failures().size());
        access.global()
                .print(
                        json,
                        String.format(
                                Locale.ROOT,
                                "%s of %s, %d at once, %.1f s: %.1f MiB/s, %.1f ops/s, p50 %.2f ms, p99 %.2f ms,"
                                        + " client: %.2f ms of processor and %.0f KiB allocated each, %d failed",
                                EnumConverter.of(what),
                                Text.bytes(size),
                                threads,
                                result.seconds(),
                                result.mebibytesPerSecond(),
                                result.operationsPerSecond(),
                                result.p50Micros() / 1000.0,
                                result.p99Micros() / 1000.0,
                                result.processorMillisPerOperation(),
                                result.allocatedBytesPerOperation() / 1024,
                                result.failures().size()));
    }
}
