package io.bulwark.appliance.cli;

import com.fasterxml.jackson.annotation.JsonInclude;
import io.bulwark.appliance.cluster.ClusterPlan;
import io.bulwark.appliance.cluster.ClusterShape;
import io.bulwark.appliance.cluster.DataDirectory;
import io.bulwark.appliance.protocols.ProtocolComparison;
import io.bulwark.appliance.transfer.LoadRun;
import io.bulwark.appliance.transfer.RateLimit;
import io.bulwark.appliance.transfer.RegisterReadRun;
import io.bulwark.appliance.transfer.ServerCost;
import io.bulwark.client.Bucket;
import io.bulwark.client.Bulwark;
import io.bulwark.client.VolumeSpec;
import io.bulwark.protocol.cluster.ProtectionPolicy;
import java.io.IOException;
import java.net.URI;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Locale;
import java.util.Optional;
import java.util.OptionalLong;
import java.util.concurrent.Callable;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import org.jspecify.annotations.Nullable;
import picocli.CommandLine.Command;
import picocli.CommandLine.ITypeConverter;
import picocli.CommandLine.Mixin;
import picocli.CommandLine.Option;
import picocli.CommandLine.Parameters;
import picocli.CommandLine.TypeConversionException;

/** {@code bench put|get|s3|read|locking|adapt|protocols}. */
@Command(
        name = "bench",
        description = {
            "Measure puts or gets in a temporary bucket, which is removed afterwards.",
            "`s3` measures puts, gets and lists of 1,000 keys through the SDK and an S3 gateway in turns.",
            "Beside an appliance on this machine it counts messages, syncs and wake-ups of the servers.",
            "`read` measures reads of a temporary register volume under pasis or masking: without and with an",
            "optimistic first round, and hashes in place of copies.",
            "`locking` measures small objects with everything ordered and with locks: operations, locks of few",
            "operations, two clients in one directory, small files, a synchronization.",
            "`adapt` runs a temporary appliance of 12 nodes under load, in which one lies, one is slow and one dies:",
            "when each was named and rebuilt, and n, b and latency over time. It takes some minutes.",
            "`protocols` compares registers under fp with benign erasure coding, benign replication and m+3f for",
            "f = 1 to --faults (default: 4), on nodes of its own: figures 4.4.4 to 4.4.9 of the thesis."
        })
final class BenchCommand implements Callable<Integer> {
    /** The operation to measure. */
    enum Measurement {
        PUT,
        GET,
        S3,
        READ,
        LOCKING,
        ADAPT,
        PROTOCOLS
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

    /** Blocks of the register volume that is read. */
    private static final long BLOCKS = 64;

    @Mixin
    private final ClusterAccess access = new ClusterAccess();

    @Mixin
    private final PolicyOptions policy = new PolicyOptions();

    @Parameters(paramLabel = "put|get|s3|read|locking|adapt|protocols")
    private Measurement what = Measurement.PUT;

    @Option(
            names = "--size",
            paramLabel = "BYTES",
            defaultValue = "1m",
            converter = Size.class,
            description = "Bytes per object (default: ${DEFAULT-VALUE}); for `read` see --block-size.")
    private int size;

    @Option(
            names = "--endpoint",
            paramLabel = "URL",
            description = "Of `s3`: a gateway (default: that of the appliance here).")
    private @Nullable String endpoint;

    @Option(
            names = "--threads",
            paramLabel = "N",
            defaultValue = "4",
            description = "Concurrent operations (default: ${DEFAULT-VALUE}).")
    private int threads;

    @Option(
            names = "--silence",
            description = "Of `locking`: pause a replica of this machine's appliance for the last measurements.")
    private boolean silence;

    @Option(
            names = "--seconds",
            paramLabel = "N",
            defaultValue = "10",
            description = {
                "Duration of a measurement; `locking` makes 52 of them, `protocols` 160 (default: ${DEFAULT-VALUE})."
            })
    private double seconds;

    @Option(
            names = "--files",
            paramLabel = "N",
            defaultValue = "10000",
            description = "Files of 2 KiB that `locking` synchronizes (default: ${DEFAULT-VALUE}).")
    private int files;

    @Option(
            names = "--plot",
            paramLabel = "PATH",
            description = "Write plots as SVG: of `adapt` to this file, of `protocols` to this directory.")
    private @Nullable Path plot;

    @Option(
            names = "--cap",
            paramLabel = "RATE",
            defaultValue = "8M",
            description = {
                "Of `protocols`: bytes per second of the capped link, each way, or off (default: ${DEFAULT-VALUE}).",
                "It needs root and iproute2; without them no link is capped."
            })
    private String cap = "8M";

    @Option(
            names = "--port-base",
            paramLabel = "PORT",
            defaultValue = TemporaryAppliance.PORT_BASE,
            description = "Of `adapt`: first port of the temporary appliance (default: ${DEFAULT-VALUE}).")
    private int portBase;

    @Override
    public Integer call() throws Exception {
        if (threads < 1 || threads > 1024 || files < 1 || files > 1_000_000 || !(seconds > 0 && seconds <= 86_400)) {
            throw new CommandFailure(
                    CommandFailure.USAGE, "--threads is 1 to 1024, --seconds above 0 to 86400, --files 1 to 1000000");
        }
        if (what == Measurement.PROTOCOLS) {
            return new ProtocolsBench(
                            access.global(),
                            new ProtocolComparison.Settings(
                                    policy.onlyFaults(ProtocolsBench.FAULTS_MAX), seconds, threads, capBytes()),
                            plot)
                    .run();
        }
        if (policy.given() != (what == Measurement.READ)) {
            throw new CommandFailure(
                    CommandFailure.USAGE,
                    "`bench read` takes a policy, such as --protocol masking; no other bench does");
        }
        if (what == Measurement.ADAPT) {
            return new AdaptBench(access.global(), threads, portBase, plot).run();
        }
        String name = "bench-" + ProcessHandle.current().pid() + "-" + System.currentTimeMillis();
        if (what == Measurement.READ) {
            return readRegisters(name);
        }
        if (what == Measurement.S3) {
            return new GatewayBench(access, gateway(), size, threads).run(name, seconds);
        }
        if (what == Measurement.LOCKING) {
            return new LockingBench(access, seconds, files, silence).run(name);
        }
        try (Bulwark client = access.connect()) {
            Bucket bucket = client.createBucket(name);
            LoadRun load = new LoadRun(bucket, size, threads, this::servers);
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

    private long capBytes() {
        try {
            return RateLimit.parse(cap).up().bytesPerSecond();
        } catch (IllegalArgumentException e) {
            throw new CommandFailure(CommandFailure.USAGE, "--cap: " + e.getMessage());
        }
    }

    private URI gateway() throws IOException {
        String url = endpoint;
        if (url == null) {
            DataDirectory data = DataDirectory.at(access.global().data());
            url = data.shape()
                    .map(shape -> S3Command.urlOf(new ClusterPlan(data, shape)))
                    .orElseThrow(() -> new CommandFailure(
                            CommandFailure.USAGE, "no appliance is here: --endpoint names a gateway"));
        }
        try {
            return URI.create(url);
        } catch (IllegalArgumentException e) {
            throw new CommandFailure(CommandFailure.USAGE, "--endpoint is no URL: " + e.getMessage());
        }
    }

    /** Returns the cost of the appliance of this machine so far, if its members share its process. */
    private Optional<ServerCost> servers() {
        DataDirectory data = DataDirectory.at(access.global().data());
        try {
            OptionalLong holder = data.holder();
            Optional<ClusterShape> shape = data.shape();
            if (holder.isEmpty() || shape.isEmpty()) {
                return Optional.empty();
            }
            ClusterPlan plan = new ClusterPlan(data, shape.get());
            return ProcessHandle.of(holder.getAsLong())
                    .flatMap(running -> ServerCost.now(running, plan.adminAddress(plan.consoleAddress())));
        } catch (IOException e) {
            return Optional.empty();
        }
    }

    private int readRegisters(String name) throws InterruptedException {
        ProtectionPolicy chosen = policy.policy();
        if (!chosen.protocol().isVersioned()) {
            throw new CommandFailure(
                    CommandFailure.USAGE, "reads under fp have no choice: give --protocol pasis or masking");
        }
        try (Bulwark client = access.connect()) {
            client.createVolume(VolumeSpec.registers(name, chosen, BLOCKS));
            List<RegisterReadRun.Result> results;
            try {
                RegisterReadRun load = new RegisterReadRun(client, name, threads);
                load.prepare();
                results = load.run(seconds / 4);
            } finally {
                client.deleteVolume(name);
            }
            access.global()
                    .print(
                            new ReadsView(
                                    chosen.text(),
                                    results.stream().map(ReadView::of).toList()),
                            table(chosen, results));
            return results.stream().allMatch(each -> each.failures().isEmpty()) ? 0 : CommandFailure.FAILED;
        }
    }

    private static String table(ProtectionPolicy policy, List<RegisterReadRun.Result> results) {
        List<List<String>> rows = new ArrayList<>();
        rows.add(List.of(
                "OPTIMISM", "HASHES", "READS/S", "NODES", "BYTES/READ", "SECOND ROUNDS", "P50 MS", "P99 MS", "FAILED"));
        for (RegisterReadRun.Result result : results) {
            rows.add(List.of(
                    result.optimistic() ? "yes" : "no",
                    result.hashing() ? "yes" : "no",
                    String.format(Locale.ROOT, "%.1f", result.statistics().reads() / result.seconds()),
                    String.format(Locale.ROOT, "%.2f", result.nodesPerRead()),
                    String.format(Locale.ROOT, "%.0f", result.bytesPerRead()),
                    Long.toString(result.statistics().secondRounds()),
                    String.format(Locale.ROOT, "%.2f", result.micros().getValueAtPercentile(50) / 1000.0),
                    String.format(Locale.ROOT, "%.2f", result.micros().getValueAtPercentile(99) / 1000.0),
                    Integer.toString(result.failures().size())));
        }
        return policy.text() + ", blocks of " + Text.bytes(policy.blockBytes()) + System.lineSeparator()
                + Text.table(rows).stripTrailing();
    }

    private void print(LoadRun.Result result) {
        result.failures().stream().limit(5).forEach(line -> System.err.println("bulwark: " + line));
        access.global()
                .print(
                        LoadView.of(EnumConverter.of(what), size, threads, result),
                        String.format(
                                Locale.ROOT,
                                "%s of %s, %d at once, %.1f s: %.1f MiB/s, %.1f ops/s, p50 %.2f ms, p99 %.2f ms,"
                                        + " client: %.2f ms of processor and %.0f KiB allocated each, %d failed%s",
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
                                result.failures().size(),
                                result.serversEach().map(BenchCommand::text).orElse("")));
    }

    private static String text(ServerCost each) {
        return String.format(
                Locale.ROOT,
                "%nservers, each: %.2f ms of processor, %.1f messages, %.2f syncs of promises, %.2f of stores,"
                        + " %.0f wake-ups",
                each.processorSeconds() * 1000,
                each.frames(),
                each.promiseSyncs(),
                each.storeSyncs(),
                each.wakeUps());
    }

    private record ReadsView(String policy, List<ReadView> reads) {}

    private record ReadView(
            boolean optimistic,
            boolean hashing,
            long operations,
            double seconds,
            double nodesPerRead,
            double bytesPerRead,
            long secondRounds,
            long p50Micros,
            long p99Micros,
            int failed) {
        static ReadView of(RegisterReadRun.Result result) {
            return new ReadView(
                    result.optimistic(),
                    result.hashing(),
                    result.statistics().reads(),
                    result.seconds(),
                    result.nodesPerRead(),
                    result.bytesPerRead(),
                    result.statistics().secondRounds(),
                    result.micros().getValueAtPercentile(50),
                    result.micros().getValueAtPercentile(99),
                    result.failures().size());
        }
    }

    private record LoadView(
            String operation,
            long sizeBytes,
            int threads,
            double seconds,
            long operations,
            double mebibytesPerSecond,
            double operationsPerSecond,
            long p50Micros,
            long p99Micros,
            double clientProcessorMillisPerOperation,
            double clientProcessorSecondsPerGibibyte,
            double clientAllocatedBytesPerOperation,

            @JsonInclude(JsonInclude.Include.NON_NULL) @Nullable
            ServerCost serversPerOperation,

            int failed) {
        static LoadView of(String operation, long sizeBytes, int threads, LoadRun.Result result) {
            return new LoadView(
                    operation,
                    sizeBytes,
                    threads,
                    result.seconds(),
                    result.operations(),
                    result.mebibytesPerSecond(),
                    result.operationsPerSecond(),
                    result.p50Micros(),
                    result.p99Micros(),
                    result.processorMillisPerOperation(),
                    result.processorSecondsPerGibibyte(),
                    result.allocatedBytesPerOperation(),
                    result.serversEach().orElse(null),
                    result.failures().size());
        }
    }
}
