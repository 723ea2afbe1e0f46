package io.bulwark.appliance.protocols;

import com.sun.management.OperatingSystemMXBean;
import io.bulwark.appliance.cluster.CodingWarmUp;
import io.bulwark.protocol.cluster.Fact;
import io.bulwark.protocol.cluster.Question;
import io.bulwark.protocol.cluster.RevocationWatch;
import io.bulwark.protocol.cluster.SessionState;
import io.bulwark.protocol.fp.FpCodec;
import io.bulwark.protocol.fp.FpLimits;
import io.bulwark.protocol.id.PrincipalId;
import io.bulwark.protocol.mac.TagKeys;
import io.bulwark.protocol.metadata.GenesisKeys;
import io.bulwark.protocol.pasis.PasisCodec;
import io.bulwark.protocol.pasis.PasisLimits;
import io.bulwark.protocol.pasis.VerificationWatch;
import io.bulwark.protocol.wire.Bytes;
import io.bulwark.protocol.wire.MessageCodecs;
import io.bulwark.storage.node.HostedProtocol;
import io.bulwark.storage.node.NodeConfig;
import io.bulwark.storage.node.NodeParts;
import io.bulwark.storage.node.ProcessShare;
import io.bulwark.storage.node.StorageNode;
import io.bulwark.storage.store.Durability;
import io.bulwark.storage.store.StoreConfig;
import io.bulwark.transport.TransportSettings;
import io.bulwark.transport.file.Directories;
import io.micrometer.core.instrument.simple.SimpleMeterRegistry;
import java.io.BufferedReader;
import java.io.IOException;
import java.io.InputStreamReader;
import java.lang.management.ManagementFactory;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.HexFormat;
import java.util.List;
import java.util.Optional;
import java.util.concurrent.CompletableFuture;
import java.util.stream.Collectors;

/**
 * Nodes of the benchmark, all in this process. They have the transport and the store of the product, and no metadata:
 * everything is granted to the one client. As in the thesis (4.4.2) no disk is measured: writes are not synced, and the
 * stores are in memory where the system has a file system for that.
 */
public final class ComparisonNodes implements AutoCloseable {
    /** Question on the standard input, answered with the work so far. */
    static final String WORK = "work";

    private static final Path MEMORY = Path.of("/dev/shm");
    private static final int SEGMENT_BYTES = 16 << 20;
    private static final long POOL_BYTES = 64L << 20;

    private final Path directory;
    private final NodeWork work = new NodeWork();
    private final ProcessShare shared = ProcessShare.create();
    private final List<StorageNode> nodes = new ArrayList<>();

    private ComparisonNodes(Path directory) {
        this.directory = directory;
    }

    /**
     * Serves until the standard input ends. Reads the secret first, then writes the ports of the nodes, and the work of all nodes whenever it is
     * asked for.
     *
     * @param host address on which they listen
     */
    public static void serve(String host, int count) throws IOException {
        BufferedReader in = new BufferedReader(new InputStreamReader(System.in, StandardCharsets.UTF_8));
        String secret = in.readLine();
        if (secret == null) {
            return;
        }
        CodingWarmUp.begin().join();
        ComparisonKeys keys = new ComparisonKeys(Bytes.of(HexFormat.of().parseHex(secret)), count);
        try (ComparisonNodes running = start(host, count, keys)) {
            System.out.println(running.addresses().stream()
                    .map(address -> Integer.toString(address.getPort()))
                    .collect(Collectors.joining(" ")));
            OperatingSystemMXBean system = ManagementFactory.getPlatformMXBean(OperatingSystemMXBean.class);
            for (String line = in.readLine(); WORK.equals(line); line = in.readLine()) {
                System.out.println(
                        running.work.macNanos() + " " + running.work.storeNanos() + " " + system.getProcessCpuTime());
            }
        }
    }

    /** Starts so many nodes; returns when they listen. */
    static ComparisonNodes start(String host, int count, ComparisonKeys keys) throws IOException {
        ComparisonNodes started = new ComparisonNodes(directory());
        try {
            for (int node = 0; node < count; node++) {
                started.start(node, host, keys);
            }
            return started;
        } catch (IOException | RuntimeException e) {
            started.close();
            throw e;
        }
    }

    /** Returns the addresses of the nodes, in the order of their numbers. */
    List<InetSocketAddress> addresses() {
        return nodes.stream().map(StorageNode::address).toList();
    }

    private static Path directory() throws IOException {
        String name = "bulwark-protocols";
        return Files.isWritable(MEMORY) ? Files.createTempDirectory(MEMORY, name) : Files.createTempDirectory(name);
    }

    private void start(int number, String host, ComparisonKeys keys) throws IOException {
        PrincipalId self = PrincipalId.node(number);
        TagKeys tags = work.measured(keys.pairwise(self));
        NodeConfig config = new NodeConfig(
                number,
                GenesisKeys.NONE.cluster(),
                new InetSocketAddress(InetAddress.getByName(host), 0),
                StoreConfig.standard(directory.resolve("node-" + number))
                        .withDurability(Durability.NONE)
                        .withSegmentBytes(SEGMENT_BYTES),
                TransportSettings.defaults(),
                1,
                NodeConfig.REQUEST_BYTES_MIN);
        List<HostedProtocol> protocols = List.of(
                HostedProtocol.registers(config, tags, FpLimits.standard(), () -> RevocationWatch.NONE),
                HostedProtocol.versioned(
                        self,
                        PasisLimits.standard(POOL_BYTES, POOL_BYTES),
                        () -> 1,
                        _ -> VerificationWatch.NONE,
                        () -> RevocationWatch.NONE),
                BenignServer.hosted());
        nodes.add(StorageNode.start(
                config,
                new NodeParts(
                        tags,
                        keys.credentials(self),
                        new MessageCodecs(new FpCodec(), new PasisCodec(), new BenignCodec()),
                        protocols.stream().map(work::measured).toList(),
                        ComparisonNodes::granted,
                        _ -> Optional.empty(),
                        List.of(),
                        shared,
                        new SimpleMeterRegistry())));
    }

    private static CompletableFuture<Fact> granted(Question question) {
        return CompletableFuture.completedFuture(
                switch (question) {
                    case Question.OfVolume of -> new Fact.OfVolume(of.volume(), ComparedProtocol.volume(of.volume()));
                    case Question.OfGrant of -> new Fact.OfGrant(of.volume(), of.principal(), true, true);
                    case Question.OfSession of ->
                        new Fact.OfSession(of.volume(), of.owner(), of.session(), SessionState.OPEN);
                });
    }

    @Override
    public void close() throws IOException {
        nodes.forEach(StorageNode::close);
        Directories.delete(directory);
    }
}
