package io.bulwark.metadata;

import io.bulwark.client.metadata.MetadataClient;
import io.bulwark.metadata.bft.ReplicaRestarter;
import io.bulwark.metadata.ordering.OrderingEngine;
import io.bulwark.protocol.id.PrincipalId;
import io.bulwark.protocol.id.PrincipalKey;
import io.bulwark.protocol.id.PrincipalKind;
import io.bulwark.protocol.mac.PairwiseKeys;
import io.bulwark.protocol.ordering.OrderingCodec;
import io.bulwark.protocol.ordering.driver.ReplicaConfig.Recoveries;
import io.bulwark.protocol.ordering.driver.StartReason;
import io.bulwark.protocol.ordering.recovery.RecoveryReport;
import io.bulwark.protocol.wire.Bytes;
import io.bulwark.protocol.wire.MessageCodecs;
import io.bulwark.transport.Credentials;
import io.bulwark.transport.InsecureLoopback;
import io.bulwark.transport.TlsCredentials;
import io.bulwark.transport.Transport;
import io.bulwark.transport.TransportSettings;
import io.bulwark.transport.identity.Identity;
import io.bulwark.transport.identity.TrustedKeys;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.net.ServerSocket;
import java.nio.file.Path;
import java.security.SecureRandom;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.Random;
import java.util.Set;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.function.Function;
import java.util.stream.IntStream;
import org.jspecify.annotations.NullMarked;
import org.jspecify.annotations.Nullable;

/** Four replicas in this JVM over real connections, each with its own directory, and a client. */
@NullMarked
public final class ReplicaGroup implements AutoCloseable {
    public static final int REPLICAS = 4;
    public static final int CLIENTS = 1_000;
    private static final PrincipalId CLIENT = PrincipalId.client(7);
    private static final int FIRST_PORT = 20_000;
    private static final int PORTS = 12_000;
    /** Groups beside each other, whose replicas may be down, have ports of their own. */
    private static final Set<InetSocketAddress> TAKEN = ConcurrentHashMap.newKeySet();

    private final Path directory;
    private final Starter starter;
    private final int snapshotBatches;
    private final Recoveries recoveries;
    private final Function<PrincipalId, Credentials> credentials;
    private final List<InetSocketAddress> addresses = freeAddresses(REPLICAS);
    private final @Nullable ReplicaServer[] replicas = new @Nullable ReplicaServer[REPLICAS];
    private final Texts[] texts = new Texts[REPLICAS];
    private final Transport transport;
    private final MetadataClient client;

    /** Content of a replica's state machine, as the test sees it. */
    public interface Texts {
        List<String> texts();
    }

    /** A replica and its state machine. */
    public record Started(ReplicaServer replica, Texts texts) {}

    /** Starts a replica with a {@link RecordingApplication} or what does the same. */
    public interface Starter {
        Started start(ReplicaConfig config, Credentials credentials, StartReason start) throws IOException;

        /** With engines that have incarnations. */
        static Starter incarnations(OrderingEngine.Factory engines) {
            return (config, credentials, _) -> {
                RecordingApplication application = new RecordingApplication();
                return new Started(
                        MetadataReplica.start(config, credentials, application, engines), application::texts);
            };
        }

        /** With the engine after the proactive recovery paper. */
        static Starter bft() {
            return (config, credentials, start) -> {
                RecordingMachine.Factory machines = new RecordingMachine.Factory();
                return new Started(ReplicaRestarter.start(config, credentials, machines, start), machines::texts);
            };
        }
    }

    /** Over plain connections: a group without identities, which does not recover. */
    public ReplicaGroup(Path directory, Starter starter, int snapshotBatches) {
        this(
                directory,
                starter,
                snapshotBatches,
                Recoveries.DEFAULT,
                principal -> new InsecureLoopback(keys(principal)));
    }

    private ReplicaGroup(
            Path directory,
            Starter starter,
            int snapshotBatches,
            Recoveries recoveries,
            Function<PrincipalId, Credentials> credentials) {
        this.directory = directory;
        this.starter = starter;
        this.snapshotBatches = snapshotBatches;
        this.recoveries = recoveries;
        this.credentials = credentials;
        this.transport = Transport.open(
                TransportSettings.defaults(), credentials.apply(CLIENT), new MessageCodecs(new OrderingCodec()));
        this.client = MetadataClient.connect(transport, addresses);
    }

    /** Over TLS, with an identity for each: its replicas have session keys, and recover. */
    public static ReplicaGroup withIdentities(
            Path directory, Starter starter, int snapshotBatches, Recoveries recoveries) {
        return withIdentities(directory, starter, snapshotBatches, recoveries, 0);
    }

    /** With identities for so many {@linkplain #client clients} more. */
    public static ReplicaGroup withIdentities(
            Path directory, Starter starter, int snapshotBatches, Recoveries recoveries, int clients) {
        SecureRandom random = new SecureRandom();
        Map<PrincipalId, Identity> identities = new HashMap<>();
        Map<PrincipalKey, PrincipalId> owners = new HashMap<>();
        for (PrincipalId principal : principals(clients)) {
            Identity identity = Identity.generate(principal, random);
            identities.put(principal, identity);
            owners.put(identity.publicKey(), principal);
        }
        TrustedKeys trusted = new TrustedKeys(owners);
        return new ReplicaGroup(
                directory,
                starter,
                snapshotBatches,
                recoveries,
                principal -> new TlsCredentials(Objects.requireNonNull(identities.get(principal)), trusted));
    }

    /**
     * Addresses on which nobody listens. The kernel gives none of these ports to a connection, so they stay free while a replica is
     * down.
     */
    public static List<InetSocketAddress> freeAddresses(int count) {
        Random random = new Random();
        Set<InetSocketAddress> addresses = new LinkedHashSet<>();
        while (addresses.size() < count) {
            int port = FIRST_PORT + random.nextInt(PORTS);
            InetSocketAddress address = new InetSocketAddress(InetAddress.getLoopbackAddress(), port);
            if (isFree(address) && TAKEN.add(address)) {
                addresses.add(address);
            }
        }
        return List.copyOf(addresses);
    }

    private static boolean isFree(InetSocketAddress address) {
        try (ServerSocket socket = new ServerSocket(address.getPort(), 1, address.getAddress())) {
            return socket.isBound();
        } catch (IOException e) {
            return false;
        }
    }

    /** Keys that anybody could make: enough for a test. Replicas share one with each of so many clients, and clients with replicas. */
    public static PairwiseKeys keys(PrincipalId self) {
        Map<PrincipalId, Bytes> keys = new HashMap<>();
        List<PrincipalId> peers = principals(self.kind() == PrincipalKind.REPLICA ? CLIENTS : 0);
        if (self.kind() != PrincipalKind.REPLICA) {
            peers.add(self);
        }
        for (PrincipalId peer : peers) {
            byte[] key = new byte[PairwiseKeys.KEY_BYTES];
            key[0] = (byte) (self.toString().hashCode() + peer.toString().hashCode());
            keys.put(peer, Bytes.of(key));
        }
        return new PairwiseKeys(self, keys);
    }

    /** One of those beside {@link #client()}: of {@link #CLIENTS} that share keys with the replicas, or of those with identities. */
    public static PrincipalId client(int number) {
        return PrincipalId.client(1_000 + number);
    }

    private static List<PrincipalId> principals(int clients) {
        List<PrincipalId> all = new ArrayList<>(List.of(CLIENT));
        for (int i = 0; i < REPLICAS; i++) {
            all.add(PrincipalId.replica(i));
        }
        for (int i = 0; i < clients; i++) {
            all.add(client(i));
        }
        return all;
    }

    /** Returns the credentials of a member of the group, or of one of its clients. */
    public Credentials credentials(PrincipalId principal) {
        return credentials.apply(principal);
    }

    public List<InetSocketAddress> addresses() {
        return addresses;
    }

    public MetadataClient client() {
        return client;
    }

    public void start(int replica) {
        start(replica, StartReason.NORMAL);
    }

    public void start(int replica, StartReason why) {
        start(replica, why, recoveries);
    }

    /** With settings of its own. */
    public void start(int replica, StartReason why, Recoveries own) {
        try {
            Started started = starter.start(
                    new ReplicaConfig(replica, addresses, directoryOf(replica), snapshotBatches, own),
                    credentials.apply(PrincipalId.replica(replica)),
                    why);
            replicas[replica] = started.replica();
            texts[replica] = started.texts();
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
        ReplicaServer running = replicas[replica];
        if (running != null) {
            running.close();
            replicas[replica] = null;
        }
    }

    /** Stops all at once. A primary that stops last would wait in vain for another one to lead. */
    public void stopAll() {
        try (ExecutorService stopping = Executors.newVirtualThreadPerTaskExecutor()) {
            CompletableFuture.allOf(IntStream.range(0, REPLICAS)
                            .mapToObj(replica -> CompletableFuture.runAsync(() -> stop(replica), stopping))
                            .toArray(CompletableFuture[]::new))
                    .join();
        }
    }

    /**
     * Starts the recovery of a running replica: it hands over, stops, and starts again. {@link #recovery} reports its
     * progress.
     */
    public void recover(int replica) {
        try {
            ((RecoverableReplica) replica(replica)).recover();
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
    }

    /** Returns a replica's report on recoveries; times are of {@link System#nanoTime}, in milliseconds. */
    public RecoveryReport recovery(int replica) {
        return replica(replica).status().recovery().orElseThrow().report();
    }

    /** Returns whether a recovery of the replica's current life is over. */
    public boolean hasRecovered(int replica) {
        RecoveryReport report = recovery(replica);
        return report.phase() == RecoveryReport.Phase.NONE && report.own().recoveredMillis() > 0;
    }

    public Path directoryOf(int replica) {
        return directory.resolve("replica-" + replica);
    }

    public ReplicaServer replica(int replica) {
        return Objects.requireNonNull(replicas[replica]);
    }

    public List<String> texts(int replica) {
        return texts[replica].texts();
    }

    @Override
    public void close() {
        client.close();
        stopAll();
        transport.close();
    }
}
