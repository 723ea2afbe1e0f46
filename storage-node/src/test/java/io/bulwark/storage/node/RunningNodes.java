package io.bulwark.storage.node;

import io.bulwark.client.driver.EvidenceListener;
import io.bulwark.client.driver.OperationDriver;
import io.bulwark.client.driver.PeerLinks;
import io.bulwark.protocol.cluster.Volume;
import io.bulwark.protocol.id.PrincipalId;
import io.bulwark.protocol.mac.PairwiseKeys;
import io.bulwark.protocol.metadata.GenesisKeys;
import io.bulwark.protocol.wire.MessageCodecs;
import io.bulwark.storage.store.StoreConfig;
import io.bulwark.transport.Transport;
import io.bulwark.transport.TransportSettings;
import io.micrometer.core.instrument.MeterRegistry;
import java.io.IOException;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.nio.file.Path;
import java.util.Collection;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.Optional;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.function.IntFunction;
import java.util.stream.IntStream;
import java.util.stream.Stream;
import org.jspecify.annotations.NullMarked;

/** Real nodes over loopback that do what a test has them do, and a client of theirs that is granted everything. */
@NullMarked
public final class RunningNodes implements AutoCloseable {
    /** The client. */
    public static final PrincipalId WRITER = PrincipalId.client(0);

    /** Number of shards of each node. */
    public static final int SHARDS = 2;

    private final List<PrincipalId> principals;
    private final MessageCodecs codecs;
    private final Map<Integer, InetSocketAddress> addresses = new ConcurrentHashMap<>();
    private final Map<Integer, StorageNode> nodes = new HashMap<>();
    private final Transport transport;
    private final PeerLinks links;
    private final OperationDriver client;

    /** @param count of nodes, none of which runs yet */
    public RunningNodes(int count, MessageCodecs codecs) {
        this.principals = Stream.concat(
                        Stream.of(WRITER), IntStream.range(0, count).mapToObj(PrincipalId::node))
                .toList();
        this.codecs = codecs;
        this.transport = Transport.open(TransportSettings.defaults(), AllGranted.keys(WRITER, principals), codecs);
        this.links = new PeerLinks(transport);
        this.client = new OperationDriver(links, EvidenceListener.NONE, OperationDriver.Limits.standard(), 1);
        links.deliverTo(client);
    }

    /** Returns the configuration of a store with small segments, in the directory of the node with this number. */
    public static StoreConfig store(Path directory, int node) {
        return StoreConfig.standard(directory.resolve("node-" + node)).withSegmentBytes(4 << 20);
    }

    public static NodeConfig config(int node, StoreConfig store) {
        return new NodeConfig(
                node,
                GenesisKeys.NONE.cluster(),
                new InetSocketAddress(InetAddress.getLoopbackAddress(), 0),
                store,
                TransportSettings.defaults(),
                SHARDS,
                NodeConfig.REQUEST_BYTES_MIN);
    }

    public PairwiseKeys keys(int node) {
        return AllGranted.keys(PrincipalId.node(node), principals);
    }

    /** Starts one, perhaps again. */
    public void start(
            NodeConfig config,
            List<HostedProtocol> protocols,
            IntFunction<Optional<Volume>> volumes,
            List<BackgroundWork> background,
            MeterRegistry meters)
            throws IOException {
        StorageNode started = StorageNode.start(
                config,
                new NodeParts(
                        keys(config.node()),
                        codecs,
                        protocols,
                        new AllGranted(volumes),
                        number -> Optional.ofNullable(addresses.get(number)),
                        background,
                        meters));
        nodes.put(config.node(), started);
        addresses.put(config.node(), started.address());
        links.connect(PrincipalId.node(config.node()), started.address());
    }

    public StorageNode node(int node) {
        return Objects.requireNonNull(nodes.get(node));
    }

    public Collection<StorageNode> all() {
        return nodes.values();
    }

    public OperationDriver client() {
        return client;
    }

    /** Closes all nodes at once: otherwise each would wait for answers of those that are gone. */
    static void close(Collection<StorageNode> nodes) {
        try (ExecutorService closing = Executors.newVirtualThreadPerTaskExecutor()) {
            nodes.forEach(node -> closing.execute(node::close));
        }
    }

    @Override
    public void close() {
        client.close();
        links.close();
        transport.close();
        close(nodes.values());
    }
}
