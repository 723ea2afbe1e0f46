package io.bulwark.metadata;

import io.bulwark.client.metadata.MetadataClient;
import io.bulwark.metadata.bft.ReplicaRestarter;
import io.bulwark.metadata.bftsmart.BftSmartEngines;
import io.bulwark.protocol.id.PrincipalId;
import io.bulwark.protocol.ordering.OrderingCodec;
import io.bulwark.protocol.ordering.driver.StartReason;
import io.bulwark.protocol.wire.Bytes;
import io.bulwark.protocol.wire.MessageCodecs;
import io.bulwark.transport.Credentials;
import io.bulwark.transport.Transport;
import io.bulwark.transport.TransportSettings;
import java.io.IOException;
import java.net.InetSocketAddress;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.List;
import java.util.Locale;
import java.util.concurrent.CompletableFuture;
import java.util.stream.Stream;
import org.jspecify.annotations.NullMarked;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.Test;

/**
 * Table 1 and figure 5 of the proactive recovery paper. It compares our own engine, BFT-SMaRt, and one server without
 * replication, over the same transport, in one JVM. Each cell is measured right after the one it is compared with. Run
 * on demand with {@code -Dtest=OrderingTablesBenchmark#withoutSyncs}; docs/benchmarks.md has the commands.
 *
 * <p>{@code bulwark.bench.seconds} sets the time for each cell, {@code bulwark.bench.memory} a directory in memory,
 * where a sync costs nothing, {@code bulwark.bench.disk} one on the disk in question.
 */
@NullMarked
class OrderingTablesBenchmark {
    private static final double SECONDS = Double.parseDouble(System.getProperty("bulwark.bench.seconds", "2"));
    private static final Path MEMORY = Path.of(System.getProperty("bulwark.bench.memory", "/dev/shm"));
    private static final Path DISK = Path.of(System.getProperty("bulwark.bench.disk", "target"));
    private static final int[] CALLERS = {1, 4, 16, 32, 64};
    private static final int WARM_CALLERS = 16;

    /** Kibibytes of argument and result. */
    private record Size(int argument, int result) {
        Bytes operation() {
            return SizesMachine.operation(argument << 10, result << 10);
        }

        @Override
        public String toString() {
            return argument + "/" + result;
        }
    }

    private static final List<Size> SIZES = List.of(new Size(0, 0), new Size(0, 4), new Size(4, 0));

    @Test
    void withoutSyncs() throws Exception {
        tables(MEMORY, false);
    }

    @Test
    void withSyncs() throws Exception {
        tables(DISK, true);
    }

    @Test
    void oneReplicaDead() throws Exception {
        System.out.println(
                "| Engine | callers | all, op/s | one dead, op/s | ratio | all, p50 us | one dead, p50 us |");
        System.out.println("|---|---|---|---|---|---|---|");
        for (ReplicaGroup.Starter engine : List.of(bft(), bftSmart())) {
            Path directory = Files.createTempDirectory(MEMORY, "ordering");
            try (ReplicaGroup group = new ReplicaGroup(directory, engine, ReplicaConfig.SNAPSHOT_BATCHES_STANDARD)) {
                group.startAll();
                Bytes operation = SIZES.getFirst().operation();
                var _ = Callers.measure(
                        WARM_CALLERS, 2 * SECONDS, () -> group.client().submit(operation));
                int victim = group.replica(0).status().leader() == 3 ? 2 : 3;
                List<Callers.Measured> all = new ArrayList<>();
                for (int callers : List.of(1, 32)) {
                    all.add(Callers.measure(
                            callers, SECONDS, () -> group.client().submit(operation)));
                }
                group.stop(victim);
                int row = 0;
                for (int callers : List.of(1, 32)) {
                    Callers.Measured with = all.get(row++);
                    Callers.Measured without = Callers.measure(
                            callers, SECONDS, () -> group.client().submit(operation));
                    System.out.println(String.format(
                            Locale.ROOT,
                            "| %s | %d | %.0f | %.0f | %.2f | %.0f | %.0f |",
                            engine.toString(),
                            callers,
                            with.perSecond(),
                            without.perSecond(),
                            without.perSecond() / with.perSecond(),
                            with.p50Micros(),
                            without.p50Micros()));
                }
            } finally {
                delete(directory);
            }
        }
    }

    private static ReplicaGroup.Starter bft() {
        return new Named(
                "bft",
                (config, credentials, _) -> new ReplicaGroup.Started(
                        ReplicaRestarter.start(config, credentials, _ -> new SizesMachine(), StartReason.NORMAL),
                        List::of));
    }

    private static ReplicaGroup.Starter bftSmart() {
        return new Named(
                "bft-smart",
                (config, credentials, _) -> new ReplicaGroup.Started(
                        MetadataReplica.start(config, credentials, new SizesMachine(), BftSmartEngines.standard()),
                        List::of));
    }

    private record Named(String name, ReplicaGroup.Starter starter) implements ReplicaGroup.Starter {
        @Override
        public ReplicaGroup.Started start(ReplicaConfig config, Credentials credentials, StartReason start)
                throws IOException {
            return starter.start(config, credentials, start);
        }

        @Override
        public String toString() {
            return name;
        }
    }

    private static void tables(Path place, boolean logged) throws Exception {
        Path directory = Files.createTempDirectory(place.toAbsolutePath(), "ordering");
        InetSocketAddress address = ReplicaGroup.freeAddresses(1).getFirst();
        @Nullable Path log = logged ? directory.resolve("unreplicated") : null;
        try (ReplicaGroup ours =
                        new ReplicaGroup(directory.resolve("bft"), bft(), ReplicaConfig.SNAPSHOT_BATCHES_STANDARD);
                ReplicaGroup other = new ReplicaGroup(
                        directory.resolve("bft-smart"), bftSmart(), ReplicaConfig.SNAPSHOT_BATCHES_STANDARD);
                UnreplicatedServer _ = UnreplicatedServer.start(address, new SizesMachine(), log);
                Transport transport = Transport.open(
                        TransportSettings.defaults(),
                        ReplicaGroup.keys(PrincipalId.client(7)),
                        new MessageCodecs(new OrderingCodec()));
                MetadataClient single = MetadataClient.connect(transport, List.of(address))) {
            ours.startAll();
            other.startAll();
            List<MetadataClient> clients = List.of(single, ours.client(), other.client());
            for (MetadataClient client : clients) {
                var _ = Callers.measure(
                        WARM_CALLERS,
                        3 * SECONDS,
                        () -> client.submit(SIZES.getFirst().operation()));
            }
            System.out.println(String.format(
                    Locale.ROOT,
                    "%s, %.1f s a cell",
                    logged ? "With syncs, in " + directory : "Without syncs",
                    SECONDS));
            table(clients);
            if (!logged) {
                readOnly(clients);
            }
        } finally {
            delete(directory);
        }
    }

    private static void table(List<MetadataClient> clients) throws InterruptedException {
        System.out.println("| KiB | callers | single, op/s | bft, op/s | bft-smart, op/s | bft of bft-smart |"
                + " single, p50 us | bft, p50 us | latency, bft of single | bft-smart, p50 us | bft, p99 us |");
        System.out.println("|---|---|---|---|---|---|---|---|---|---|---|");
        for (Size size : SIZES) {
            Bytes operation = size.operation();
            for (int callers : CALLERS) {
                List<Callers.Measured> row = measured(callers, clients, client -> client.submit(operation));
                Callers.Measured single = row.get(0);
                Callers.Measured ours = row.get(1);
                Callers.Measured other = row.get(2);
                System.out.println(String.format(
                        Locale.ROOT,
                        "| %s | %d | %.0f | %.0f | %.0f | %.2f | %.0f | %.0f | %.2f | %.0f | %.0f |",
                        size,
                        callers,
                        single.perSecond(),
                        ours.perSecond(),
                        other.perSecond(),
                        ours.perSecond() / other.perSecond(),
                        single.p50Micros(),
                        ours.p50Micros(),
                        ours.p50Micros() / single.p50Micros(),
                        other.p50Micros(),
                        ours.p99Micros()));
            }
        }
    }

    private static void readOnly(List<MetadataClient> clients) throws InterruptedException {
        System.out.println(
                "| read-only, KiB | callers | single, p50 us | bft, p50 us | latency, bft of single | bft-smart, p50"
                        + " us |");
        System.out.println("|---|---|---|---|---|---|");
        for (Size size : SIZES) {
            Bytes operation = size.operation();
            List<Callers.Measured> row = measured(1, clients, client -> client.query(operation));
            System.out.println(String.format(
                    Locale.ROOT,
                    "| %s | 1 | %.0f | %.0f | %.2f | %.0f |",
                    size,
                    row.get(0).p50Micros(),
                    row.get(1).p50Micros(),
                    row.get(1).p50Micros() / row.get(0).p50Micros(),
                    row.get(2).p50Micros()));
        }
    }

    private interface Calling {
        CompletableFuture<Bytes> call(MetadataClient client);
    }

    private static List<Callers.Measured> measured(int callers, List<MetadataClient> clients, Calling calling)
            throws InterruptedException {
        List<Callers.Measured> row = new ArrayList<>();
        for (MetadataClient client : clients) {
            row.add(Callers.measure(callers, SECONDS, () -> calling.call(client)));
        }
        return row;
    }

    static void delete(Path directory) throws IOException {
        try (Stream<Path> files = Files.walk(directory)) {
            for (Path file : files.sorted(Comparator.reverseOrder()).toList()) {
                Files.delete(file);
            }
        }
    }
}
