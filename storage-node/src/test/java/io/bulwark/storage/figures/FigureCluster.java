package io.bulwark.storage.figures;

import io.bulwark.client.driver.EvidenceListener;
import io.bulwark.client.driver.OperationDriver;
import io.bulwark.client.driver.PeerLinks;
import io.bulwark.protocol.cluster.PlacementGroup;
import io.bulwark.protocol.cluster.ProtectionPolicy;
import io.bulwark.protocol.cluster.RevocationWatch;
import io.bulwark.protocol.cluster.Verification;
import io.bulwark.protocol.cluster.Volume;
import io.bulwark.protocol.cluster.VolumeKind;
import io.bulwark.protocol.control.NodeControlMessage.VersionsReport;
import io.bulwark.protocol.id.BlockId;
import io.bulwark.protocol.id.PrincipalId;
import io.bulwark.protocol.kernel.Timeouts;
import io.bulwark.protocol.metadata.GenesisKeys;
import io.bulwark.protocol.pasis.PasisCodec;
import io.bulwark.protocol.pasis.PasisGroup;
import io.bulwark.protocol.pasis.PasisLimits;
import io.bulwark.protocol.pasis.PasisRead;
import io.bulwark.protocol.pasis.PasisReadOutcome;
import io.bulwark.protocol.pasis.PasisWrite;
import io.bulwark.protocol.pasis.PasisWriteOutcome;
import io.bulwark.protocol.pasis.PoisonousWrite;
import io.bulwark.protocol.pasis.ReadPlan;
import io.bulwark.protocol.pasis.ReadReport;
import io.bulwark.protocol.wire.Bytes;
import io.bulwark.protocol.wire.MessageCodecs;
import io.bulwark.storage.background.Background;
import io.bulwark.storage.background.BackgroundPace;
import io.bulwark.storage.background.HistoryPool;
import io.bulwark.storage.background.LazyVerification;
import io.bulwark.storage.background.VerificationPace;
import io.bulwark.storage.figures.CappedLinks.Network;
import io.bulwark.storage.node.AllGranted;
import io.bulwark.storage.node.HostedProtocol;
import io.bulwark.storage.node.NodeConfig;
import io.bulwark.storage.node.NodeParts;
import io.bulwark.storage.node.StorageNode;
import io.bulwark.storage.store.Durability;
import io.bulwark.storage.store.StoreConfig;
import io.bulwark.storage.store.WriteBack;
import io.bulwark.transport.Transport;
import io.bulwark.transport.TransportSettings;
import io.micrometer.core.instrument.MeterRegistry;
import io.micrometer.core.instrument.simple.SimpleMeterRegistry;
import java.io.IOException;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ConcurrentHashMap;
import java.util.function.ToLongFunction;
import java.util.random.RandomGenerator;
import java.util.stream.IntStream;
import java.util.stream.Stream;
import org.jspecify.annotations.Nullable;

/**
 * Nodes over loopback, their stores without syncs, with one volume for each policy wanted, and clients. A policy's
 * volume is on the first n nodes. Everything outside {@link Setup} is as in the product, with these exceptions. The
 * write-back cache holds everything; there is one shard and no scrubbing. Unverified versions of one client, and the
 * rate of verifications that one sender may cause, are unbounded.
 */
final class FigureCluster implements AutoCloseable {
    private static final Path MEMORY = Path.of(System.getProperty("bulwark.bench.memory", "/dev/shm"));
    private static final long SESSION = 1;
    /** Working set and history pool fit in the cache, as in the paper (5.1): no disk is measured. */
    private static final long WRITE_BACK_MILLIS = 600_000;

    private static final long WRITE_BACK_BYTES = 256 << 20;
    private static final Timeouts TIMES = new Timeouts(1_000, 2_000, 1_000, 60_000);
    private static final MessageCodecs CODECS = new MessageCodecs(new PasisCodec());

    private final Setup setup;
    private final List<Volume> volumes = new ArrayList<>();
    private final List<PrincipalId> principals = new ArrayList<>();
    private final Map<Integer, InetSocketAddress> addresses = new ConcurrentHashMap<>();
    private final List<StorageNode> nodes = new ArrayList<>();
    private final List<LazyVerification> verifications = new ArrayList<>();
    private final List<Client> clients = new ArrayList<>();
    private final @Nullable CappedLinks capped;
    private volatile Set<Integer> liars = Set.of();

    /**
     * Setup of a measurement.
     *
     * @param policies a volume each, all with blocks of one size
     * @param blocks of each volume
     */
    record Setup(List<ProtectionPolicy> policies, int blocks, int clients, Versions versions, Network network) {
        int blockBytes() {
            return policies.getFirst().blockBytes();
        }

        int nodes() {
            return policies.stream().mapToInt(ProtectionPolicy::n).max().orElseThrow();
        }

        /** Returns the policy that verifies so. */
        ProtectionPolicy policy(Verification verification) {
            return policies.stream()
                    .filter(policy -> policy.verification() == verification)
                    .findFirst()
                    .orElseThrow();
        }

        private long charged() {
            int fragmentBytes = policies.getFirst().fragmentBytes(blockBytes());
            return versions.poolBytes / fragmentBytes * PasisLimits.charge(fragmentBytes);
        }
    }

    /**
     * Versions that nodes have not verified yet.
     *
     * @param cooperative whether nodes tell each other which versions they have verified
     * @param poolBytes each node's history pool, in bytes of fragments
     * @param possiblePerBlock possible versions of one client in one block
     */
    record Versions(boolean cooperative, long poolBytes, int possiblePerBlock) {}

    /** A block and the course of its read. */
    record Read(Bytes content, ReadReport report) {}

    /** A measurement on one cluster. */
    interface Measuring<T> {
        T on(FigureCluster cluster) throws Exception;
    }

    private record Client(PrincipalId id, Transport transport, PeerLinks links, OperationDriver driver) {}

    FigureCluster(Setup setup, Path directory) throws IOException {
        this.setup = setup;
        this.capped = setup.network.equals(Network.LOOPBACK) ? null : new CappedLinks(setup.network);
        List<Integer> holders = IntStream.range(0, setup.nodes()).boxed().toList();
        for (ProtectionPolicy policy : setup.policies) {
            volumes.add(new Volume(
                    volumes.size() + 1,
                    "figure-" + volumes.size(),
                    VolumeKind.REGISTER,
                    policy,
                    setup.blocks,
                    List.of(new PlacementGroup(1, holders.subList(0, policy.n())))));
        }
        holders.forEach(node -> principals.add(PrincipalId.node(node)));
        IntStream.range(0, setup.clients).mapToObj(PrincipalId::client).forEach(principals::add);
        try {
            for (int node : holders) {
                start(node, directory.resolve("node-" + node));
            }
            for (int client = 0; client < setup.clients; client++) {
                clients.add(connect(PrincipalId.client(client)));
            }
        } catch (IOException | RuntimeException e) {
            close();
            throw e;
        }
    }

    Setup setup() {
        return setup;
    }

    /** Runs a measurement on a cluster of its own, whose stores are in memory and are deleted afterwards. */
    static <T> T measure(Setup setup, Measuring<T> measuring) throws Exception {
        Path directory = Files.createTempDirectory(MEMORY.toAbsolutePath(), "figures");
        try (FigureCluster cluster = new FigureCluster(setup, directory)) {
            return measuring.on(cluster);
        } finally {
            try (Stream<Path> all = Files.walk(directory)) {
                for (Path path : all.sorted(Comparator.reverseOrder()).toList()) {
                    Files.delete(path);
                }
            }
        }
    }

    /** From now on these nodes, and no others, answer reads of masking volumes with a version that nobody has written. */
    void setLiars(Set<Integer> nodes) {
        liars = Set.copyOf(nodes);
    }

    /** One of a policy's blocks. */
    PasisGroup group(ProtectionPolicy policy, long block) {
        Volume volume = volumes.get(setup.policies.indexOf(policy));
        return PasisGroup.of(volume, BlockId.register(volume.id(), block));
    }

    /** Fails with IllegalStateException if the write does. */
    CompletableFuture<?> write(int client, PasisGroup group, Bytes content) {
        Client writer = clients.get(client);
        return writer.driver
                .submit(() -> new PasisWrite(group, writer.id, SESSION, content, TIMES), 4L * content.length())
                .thenAccept(outcome -> {
                    if (!(outcome instanceof PasisWriteOutcome.Written)) {
                        throw new IllegalStateException(group.block() + ": " + outcome);
                    }
                });
    }

    /** Reads without a guess. Fails with IllegalStateException if the read does. */
    CompletableFuture<?> read(int client, PasisGroup group) {
        return read(client, group, ReadPlan.full(group));
    }

    /** Reads by a plan. Fails with IllegalStateException if the read does. */
    CompletableFuture<Read> read(int client, PasisGroup group, ReadPlan plan) {
        Client reader = clients.get(client);
        PasisRead read = PasisRead.withWriteBack(group, reader.id, SESSION, TIMES, plan);
        return reader.driver.submit(read, setup.blockBytes()).thenApply(outcome -> {
            if (!(outcome instanceof PasisReadOutcome.Value value)) {
                throw new IllegalStateException(group.block() + ": " + outcome);
            }
            return new Read(value.block(), read.report());
        });
    }

    /** Returns how many nodes have accepted a poisonous write at this logical time. */
    CompletableFuture<Integer> poison(int client, PasisGroup group, long time, RandomGenerator random) {
        Client liar = clients.get(client);
        return liar.driver.submit(new PoisonousWrite(group, liar.id, SESSION, time, random));
    }

    Bytes content(RandomGenerator random) {
        byte[] content = new byte[setup.blockBytes()];
        random.nextBytes(content);
        return Bytes.of(content);
    }

    /** Returns the sum over all nodes for one policy's volume. */
    long sum(ProtectionPolicy policy, ToLongFunction<VersionsReport> value) {
        int volume = setup.policies.indexOf(policy) + 1;
        return verifications.stream()
                .flatMap(each -> each.report().stream())
                .filter(report -> report.volume() == volume)
                .mapToLong(value)
                .sum();
    }

    /** Waits until no node holds unverified versions of a policy's volume; false if some still do after so long. */
    boolean settles(ProtectionPolicy policy, long timeoutMillis) throws InterruptedException {
        long end = System.nanoTime() + timeoutMillis * 1_000_000;
        while (sum(policy, VersionsReport::unverified) > 0) {
            if (System.nanoTime() > end) {
                return false;
            }
            Thread.sleep(10);
        }
        return true;
    }

    @Override
    public void close() {
        for (Client client : clients) {
            client.driver.close();
            client.links.close();
            client.transport.close();
        }
        nodes.forEach(StorageNode::close);
        if (capped != null) {
            capped.close();
        }
    }

    private void start(int node, Path directory) throws IOException {
        PrincipalId self = PrincipalId.node(node);
        MeterRegistry meters = new SimpleMeterRegistry();
        Background background = new Background(
                BackgroundPace.of(0, BackgroundPace.REBUILD_BYTES_PER_SECOND), VerificationPace.standard(), meters);
        LazyVerification verification = new LazyVerification(background, pool(), meters);
        NodeConfig config = new NodeConfig(
                node,
                GenesisKeys.NONE.cluster(),
                new InetSocketAddress(InetAddress.getLoopbackAddress(), 0),
                StoreConfig.standard(directory)
                        .withDurability(Durability.NONE)
                        .withLimits(Long.MAX_VALUE, 2 * WRITE_BACK_BYTES)
                        .withWriteBack(WriteBack.versions(WRITE_BACK_MILLIS, WRITE_BACK_BYTES)),
                TransportSettings.defaults(),
                1,
                NodeConfig.REQUEST_BYTES_MIN);
        StorageNode started = StorageNode.start(
                config,
                new NodeParts(
                        AllGranted.keys(self, principals),
                        CODECS,
                        List.of(hosted(self, verification)),
                        new AllGranted(id -> volumes.stream()
                                .filter(volume -> volume.id() == id)
                                .findAny()),
                        number -> Optional.ofNullable(addresses.get(number))
                                .map(address -> way(self, PrincipalId.node(number), address)),
                        List.of(background, verification),
                        meters));
        nodes.add(started);
        verifications.add(verification);
        addresses.put(node, started.address());
    }

    private HostedProtocol hosted(PrincipalId self, LazyVerification verification) {
        HostedProtocol honest = HostedProtocol.versioned(
                self, limits(), FigureCluster::notKnown, verification::watch, () -> RevocationWatch.NONE);
        return new HostedProtocol(
                honest.handles(),
                honest.blockOf(),
                honest.foreground(),
                honest.heldBytes(),
                shard -> new LyingServer(
                        honest.server().apply(shard), setup.blockBytes(), () -> liars.contains(self.number())));
    }

    private HistoryPool pool() {
        return HistoryPool.fixed(setup.charged(), FigureCluster::notKnown);
    }

    /** Returns an unknown number of clients: the pool then limits all of them together, and no single one. */
    private static int notKnown() {
        return 0;
    }

    private PasisLimits limits() {
        return new PasisLimits(
                setup.versions.possiblePerBlock,
                1 << 20,
                setup.charged(),
                setup.charged(),
                setup.versions.cooperative,
                1_000_000,
                4,
                8_192,
                256,
                3_600_000,
                200,
                10_000);
    }

    private Client connect(PrincipalId id) {
        Transport transport = Transport.open(TransportSettings.defaults(), AllGranted.keys(id, principals), CODECS);
        PeerLinks links = new PeerLinks(transport);
        OperationDriver driver =
                new OperationDriver(links, EvidenceListener.NONE, OperationDriver.Limits.standard(), 1);
        links.deliverTo(driver);
        addresses.forEach((number, address) -> {
            PrincipalId node = PrincipalId.node(number);
            links.connect(node, way(id, node, address));
        });
        return new Client(id, transport, links, driver);
    }

    private InetSocketAddress way(PrincipalId from, PrincipalId to, InetSocketAddress address) {
        return capped == null ? address : capped.relay(from, to, address);
    }
}
