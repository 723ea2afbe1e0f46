package io.bulwark.metadata;

import io.bulwark.client.metadata.MetadataClient;
import io.bulwark.metadata.ordering.OrderingEngine;
import io.bulwark.protocol.id.PrincipalId;
import io.bulwark.protocol.mac.PairwiseKeys;
import io.bulwark.protocol.ordering.OrderingCodec;
import io.bulwark.protocol.wire.Bytes;
import io.bulwark.protocol.wire.MessageCodecs;
import io.bulwark.transport.Transport;
import io.bulwark.transport.TransportSettings;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.net.ServerSocket;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import org.jspecify.annotations.NullMarked;
import org.jspecify.annotations.Nullable;

/** Four replicas in this JVM over real connections, each with its own directory, and a client. */
@NullMarked
public final class ReplicaGroup implements AutoCloseable {
    public static final int REPLICAS = 4;
    private static final PrincipalId CLIENT = PrincipalId.client(7);

    private final Path directory;
    private final OrderingEngine.Factory engines;
    private final int snapshotBatches;
    private final List<InetSocketAddress> addresses = freeAddresses(REPLICAS);
    private final @Nullable MetadataReplica[] replicas = new @Nullable MetadataReplica[REPLICAS];
    private final RecordingApplication[] applications = new RecordingApplication[REPLICAS];
    private final Transport transport;
    private final MetadataClient client;

    public ReplicaGroup(Path directory, OrderingEngine.Factory engines, int snapshotBatches) {
        this.directory = directory;
        this.engines = engines;
        this.snapshotBatches = snapshotBatches;
        this.transport =
                Transport.open(TransportSettings.defaults(), keys(CLIENT), new MessageCodecs(new OrderingCodec()));
        this.client = MetadataClient.connect(transport, addresses);
    }

    public static List<InetSocketAddress> freeAddresses(int count) {
        List<ServerSocket> sockets = new ArrayList<>();
        List<InetSocketAddress> addresses = new ArrayList<>();
        try {
            for (int i = 0; i < count; i++) {
                ServerSocket socket = new ServerSocket(0, 1, InetAddress.getLoopbackAddress());
                sockets.add(socket);
                addresses.add(new InetSocketAddress(InetAddress.getLoopbackAddress(), socket.getLocalPort()));
            }
            for (ServerSocket socket : sockets) {
                socket.close();
            }
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
        return addresses;
    }

    /** Keys that anybody could make: enough for a test. */
    public static PairwiseKeys keys(PrincipalId self) {
        Map<PrincipalId, Bytes> keys = new HashMap<>();
        List<PrincipalId> all = new ArrayList<>(List.of(CLIENT));
        for (int i = 0; i < REPLICAS; i++) {
            all.add(PrincipalId.replica(i));
        }
        for (PrincipalId peer : all) {
            byte[] key = new byte[PairwiseKeys.KEY_BYTES];
            key[0] = (byte) (self.toString().hashCode() + peer.toString().hashCode());
            keys.put(peer, Bytes.of(key));
        }
        return new PairwiseKeys(self, keys);
    }

    public List<InetSocketAddress> addresses() {
        return addresses;
    }

    public MetadataClient client() {
        return client;
    }

    public void start(int replica) {
        try {
            applications[replica] = new RecordingApplication();
            replicas[replica] = MetadataReplica.start(
                    new ReplicaConfig(replica, addresses, directoryOf(replica), snapshotBatches),
                    keys(PrincipalId.replica(replica)),
                    applications[replica],
                    engines);
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
    }

    public void startAll() {
        for (int replica = 0; replica < REPLICAS; replica++) {
            start(replica);
        }
    }

    public void stop(int replica) {
        MetadataReplica running = replicas[replica];
        if (running != null) {
            running.close();
            replicas[replica] = null;
        }
    }

    public Path directoryOf(int replica) {
        return directory.resolve("replica-" + replica);
    }

    public MetadataReplica replica(int replica) {
        return Objects.requireNonNull(replicas[replica]);
    }

    public RecordingApplication application(int replica) {
        return applications[replica];
    }

    @Override
    public void close() {
        client.close();
        for (int replica = 0; replica < REPLICAS; replica++) {
            stop(replica);
        }
        transport.close();
    }
}
