package io.bulwark.appliance.protocols;

import io.bulwark.appliance.cluster.CodingWarmUp;
import io.bulwark.appliance.network.HostNetwork;
import io.bulwark.appliance.transfer.ClosedLoop;
import io.bulwark.appliance.transfer.ProcessCost;
import io.bulwark.client.error.Subject;
import io.bulwark.client.error.UnavailableException;
import io.bulwark.protocol.wire.Bytes;
import java.io.IOException;
import java.security.SecureRandom;
import java.util.ArrayList;
import java.util.EnumMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.SplittableRandom;
import java.util.function.Consumer;
import org.HdrHistogram.Histogram;

/**
 * Measures the protocols in turns on the same nodes: figures 4.4.4 to 4.4.9 of the thesis. The nodes are one process,
 * the client is this one. Where namespaces can be made, they are two hosts, and the client's link is capped in the
 * second half.
 */
public final class ProtocolComparison {
    private static final int ROUNDS = 3;
    private static final int SECRET_BYTES = 32;
    /** Blocks of each caller; no other touches them, so that no two operations meet. */
    private static final int BLOCKS_EACH = 16;

    private final Settings settings;
    private final Consumer<String> progress;

    /**
     * Extent of the comparison.
     *
     * @param faults the greatest f
     * @param seconds of each measurement, over all rounds
     * @param callers of the measurements of throughput
     * @param bytesPerSecond limit of the client's link in each direction; 0 for none
     */
    public record Settings(int faults, double seconds, int callers, long bytesPerSecond) {}

    /** One kind of measurement. */
    private record Cell(int faults, boolean capped, boolean isWrite, int callers) {}

    /** Sums of one protocol's rounds. */
    private static final class Sums {
        private final Histogram micros = ClosedLoop.noLatencies();
        private double seconds;
        private double sentBytes;
        private double receivedBytes;
        private double clientSeconds;
        private NodeProcess.Work work = new NodeProcess.Work(0, 0, 0);
    }

    /** @param progress receives lines for people */
    public ProtocolComparison(Settings settings, Consumer<String> progress) {
        this.settings = settings;
        this.progress = progress;
    }

    /**
     * Runs it.
     *
     * @throws IOException if the nodes cannot be started
     * @throws UnavailableException if an operation fails
     */
    public List<ProtocolMeasurement> run() throws IOException, InterruptedException {
        String missing = settings.bytesPerSecond == 0 ? "" : HostNetwork.missing();
        if (!missing.isEmpty()) {
            progress.accept("Links are not capped: " + missing);
        }
        if (settings.bytesPerSecond == 0 || !missing.isEmpty()) {
            return run(Optional.empty());
        }
        try (HostNetwork network = HostNetwork.open()) {
            return run(Optional.of(network));
        }
    }

    private List<ProtocolMeasurement> run(Optional<HostNetwork> network) throws IOException, InterruptedException {
        byte[] secret = new byte[SECRET_BYTES];
        new SecureRandom().nextBytes(secret);
        int count = ComparedProtocol.M_3F.slots(settings.faults);
        ComparisonKeys keys = new ComparisonKeys(Bytes.of(secret), count);
        Optional<HostNetwork.Host> host =
                network.isPresent() ? Optional.of(network.get().add("nodes")) : Optional.empty();
        List<ProtocolMeasurement> all = new ArrayList<>();
        try (NodeProcess nodes = new NodeProcess(host, secret, count);
                ComparisonClient client = new ComparisonClient(keys, nodes.addresses())) {
            warmUp(client);
            measure(client, nodes, false, all);
            if (network.isPresent()) {
                network.get().own().cap(settings.bytesPerSecond);
                measure(client, nodes, true, all);
            }
        }
        return all;
    }

    /** Writes all blocks, and has the compilers see everything before the first measurement. */
    private void warmUp(ComparisonClient client) throws InterruptedException {
        progress.accept("Warming up");
        CodingWarmUp.begin().join();
        Bytes content = content(0);
        for (int f = 1; f <= settings.faults; f++) {
            for (ComparedProtocol protocol : ComparedProtocol.values()) {
                for (int block = 0; block < settings.callers * BLOCKS_EACH; block++) {
                    client.write(protocol, f, block, content);
                }
            }
        }
        for (int f = 1; f <= settings.faults; f++) {
            for (ComparedProtocol protocol : ComparedProtocol.values()) {
                for (boolean isWrite : new boolean[] {true, false}) {
                    loop(client, protocol, new Cell(f, false, isWrite, settings.callers), settings.seconds);
                }
            }
        }
    }

    private void measure(ComparisonClient client, NodeProcess nodes, boolean capped, List<ProtocolMeasurement> all)
            throws IOException, InterruptedException {
        for (int f = 1; f <= settings.faults; f++) {
            for (boolean isWrite : new boolean[] {true, false}) {
                for (int callers : new int[] {settings.callers, 1}) {
                    Cell cell = new Cell(f, capped, isWrite, callers);
                    progress.accept((capped ? "Capped link" : "Link without a limit") + ", f = " + f + ", "
                            + (isWrite ? "writes" : "reads") + ", " + callers + " at once");
                    all.addAll(measure(client, nodes, cell));
                }
            }
        }
    }

    private List<ProtocolMeasurement> measure(ComparisonClient client, NodeProcess nodes, Cell cell)
            throws IOException, InterruptedException {
        Map<ComparedProtocol, Sums> sums = new EnumMap<>(ComparedProtocol.class);
        for (int round = 0; round < ROUNDS; round++) {
            for (ComparedProtocol protocol : ComparedProtocol.values()) {
                Sums sum = sums.computeIfAbsent(protocol, _ -> new Sums());
                NodeProcess.Work work = nodes.work();
                double sent = client.bytes("out");
                double received = client.bytes("in");
                double processor = ProcessCost.now().processorSeconds();
                ClosedLoop loop = loop(client, protocol, cell, settings.seconds / ROUNDS);
                sum.clientSeconds += ProcessCost.now().processorSeconds() - processor;
                sum.work = sum.work.plus(nodes.work().minus(work));
                sum.sentBytes += client.bytes("out") - sent;
                sum.receivedBytes += client.bytes("in") - received;
                sum.seconds += loop.seconds();
                sum.micros.add(loop.micros());
            }
        }
        return sums.entrySet().stream()
                .map(each -> result(each.getKey(), cell, each.getValue()))
                .toList();
    }

    private static ProtocolMeasurement result(ComparedProtocol protocol, Cell cell, Sums sum) {
        long operations = sum.micros.getTotalCount();
        int f = cell.faults;
        double perNode = 1e6 * operations * (cell.isWrite ? protocol.written(f) : protocol.asked(f));
        return new ProtocolMeasurement(
                protocol,
                f,
                cell.capped,
                cell.isWrite,
                cell.callers,
                operations,
                sum.seconds,
                sum.micros.getMean() / 1e3,
                sum.micros.getValueAtPercentile(50) / 1e3,
                sum.micros.getValueAtPercentile(99) / 1e3,
                sum.sentBytes / operations,
                sum.receivedBytes / operations,
                (sum.clientSeconds + sum.work.processorNanos() / 1e9)
                        / (sum.seconds * Runtime.getRuntime().availableProcessors()),
                sum.work.macNanos() / perNode,
                sum.work.storeNanos() / perNode,
                cell.callers == 1 ? CodingCost.of(protocol, f, cell.isWrite) : new CodingCost(0, 0, 0));
    }

    private static ClosedLoop loop(ComparisonClient client, ComparedProtocol protocol, Cell cell, double seconds)
            throws InterruptedException {
        Bytes content = content(cell.callers);
        ClosedLoop loop = ClosedLoop.run(cell.callers, seconds, (caller, round) -> {
            int block = caller * BLOCKS_EACH + round % BLOCKS_EACH;
            if (cell.isWrite) {
                client.write(protocol, cell.faults, block, content);
            } else {
                client.read(protocol, cell.faults, block);
            }
        });
        if (!loop.failures().isEmpty()) {
            throw new UnavailableException(loop.failures().getFirst(), Subject.NONE);
        }
        return loop;
    }

    private static Bytes content(int seed) {
        byte[] content = new byte[ComparedProtocol.BLOCK_BYTES];
        new SplittableRandom(seed).nextBytes(content);
        return Bytes.of(content);
    }
}
