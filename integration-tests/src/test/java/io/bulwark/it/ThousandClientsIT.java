package io.bulwark.it;

import static org.assertj.core.api.Assertions.assertThat;

import io.bulwark.appliance.boot.RoleFile;
import io.bulwark.appliance.cluster.ClusterShape;
import io.bulwark.appliance.cluster.JavaCommand;
import io.bulwark.appliance.cluster.NodeSetup;
import io.bulwark.appliance.cluster.Ordering;
import io.bulwark.appliance.cluster.ProcessMember;
import io.bulwark.client.config.ChannelConfig;
import io.bulwark.client.config.GenesisFile;
import io.bulwark.client.config.KeyRing;
import io.bulwark.protocol.cluster.NodeAddress;
import io.bulwark.protocol.cluster.PlacementGroup;
import io.bulwark.protocol.cluster.ProtectionPolicy;
import io.bulwark.protocol.cluster.Volume;
import io.bulwark.protocol.extent.ExtentCodec;
import io.bulwark.protocol.extent.ExtentMessage;
import io.bulwark.protocol.fingerprint.BlockCode;
import io.bulwark.protocol.id.BlockId;
import io.bulwark.protocol.id.PrincipalId;
import io.bulwark.protocol.id.PrincipalKey;
import io.bulwark.protocol.metadata.Genesis;
import io.bulwark.protocol.wire.Bytes;
import io.bulwark.protocol.wire.MessageCodecs;
import io.bulwark.transport.Credentials;
import io.bulwark.transport.TlsCredentials;
import io.bulwark.transport.identity.Identity;
import io.bulwark.transport.identity.TrustedKeys;
import java.io.IOException;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.net.http.HttpClient;
import java.nio.file.Files;
import java.nio.file.Path;
import java.security.SecureRandom;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.Optional;
import java.util.Random;
import java.util.SortedMap;
import java.util.TreeMap;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.Future;
import java.util.stream.IntStream;
import org.jspecify.annotations.NullMarked;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/**
 * One storage node in its own process with 512 MiB of heap, and a thousand clients connected at a time, each with its
 * own certificate. All of them store and read, nothing is shed or dropped, and the node needs no thread per client.
 */
@NullMarked
@Tag("nightly")
class ThousandClientsIT {
    private static final int CLIENTS = 1_000;
    private static final int NODES = 4;
    private static final int REPLICAS = 4;
    private static final int HEAP_MEBIBYTES = 512;
    private static final int HANDSHAKES_AT_ONCE = 16;
    private static final int BLOCKS_PER_CLIENT = 3;

    /** 50 or so without any client. */
    private static final int THREADS_MAX = 80;

    private static final PrincipalId OPERATOR = PrincipalId.client(0);
    private static final ProtectionPolicy POLICY = new ProtectionPolicy(1, 2, NODES, 16 << 10);
    private static final BlockCode CODE = BlockCode.ofAll(POLICY.m(), POLICY.n());
    private static final MessageCodecs CODECS = new MessageCodecs(new ExtentCodec());

    private final ClusterShape shape =
            new ClusterShape(NODES, REPLICAS, LiveCluster.freePortBase(NODES, REPLICAS), Ordering.DEFAULT, "sync");
    private final SortedMap<PrincipalId, Identity> identities = new TreeMap<>();
    private TrustedKeys trusted = new TrustedKeys(Map.of());

    @TempDir
    Path root = Path.of("");

    @BeforeEach
    void makeKeys() throws IOException {
        SecureRandom random = new SecureRandom();
        IntStream.range(0, NODES).mapToObj(PrincipalId::node).forEach(each -> make(each, random));
        IntStream.range(0, REPLICAS).mapToObj(PrincipalId::replica).forEach(each -> make(each, random));
        IntStream.range(0, CLIENTS).mapToObj(PrincipalId::client).forEach(each -> make(each, random));
        SortedMap<PrincipalId, PrincipalKey> keys = new TreeMap<>();
        Map<PrincipalKey, PrincipalId> owners = new HashMap<>();
        identities.forEach((principal, identity) -> {
            keys.put(principal, identity.publicKey());
            owners.put(identity.publicKey(), principal);
        });
        trusted = new TrustedKeys(owners);
        new GenesisFile("0".repeat(32), OPERATOR, keys).store(genesis());
    }

    private void make(PrincipalId principal, SecureRandom random) {
        identities.put(principal, Identity.generate(principal, random));
    }

    private Identity identity(PrincipalId principal) {
        return Objects.requireNonNull(identities.get(principal));
    }

    private Path genesis() {
        return root.resolve("genesis.properties");
    }

    @Test
    void allStoreAndReadAtOneNodeWithHalfAGibibyteOfHeap() throws Exception {
        List<PlainClient> clients = new ArrayList<>();
        ProcessMember member = null;
        try (AnsweringReplicas replicas = replicas();
                HttpClient http = HttpClient.newHttpClient()) {
            Volume volume = replicas.createVolume(OPERATOR, POLICY);
            int node = volume.groups().getFirst().holders().getFirst();
            InetSocketAddress admin = loopback(ClusterShape.adminPort(shape.nodePort(node)));
            member = node(node, admin);
            member.start();
            member.awaitListening();
            long began = System.nanoTime();
            clients.addAll(connectAll(node));
            assertThat(Scrape.of(http, admin).sum("bulwark_transport_connections"))
                    .isGreaterThanOrEqualTo(CLIENTS);
            long connected = System.nanoTime();
            storeAndReadAll(clients, replicas, volume);
            long ended = System.nanoTime();
            Scrape after = Scrape.of(http, admin);
            tell(member, after, connected - began, ended - connected);
            System.out.println("asked again "
                    + clients.stream().mapToLong(PlainClient::sentAgain).sum() + " times");
            assertThat(after.sum("bulwark_transport_connections")).isGreaterThanOrEqualTo(CLIENTS);
            assertThat(after.sum("bulwark_node_requests_served_total"))
                    .isGreaterThanOrEqualTo(2.0 * CLIENTS * BLOCKS_PER_CLIENT);
            assertThat(after.sum("bulwark_node_requests_shed_total")).isZero();
            assertThat(after.sum("bulwark_store_refused_total")).isZero();
            assertThat(after.sum("bulwark_store_records")).isGreaterThanOrEqualTo(CLIENTS * BLOCKS_PER_CLIENT);
            assertThat(after.sum("jvm_threads_peak_threads")).isLessThanOrEqualTo(THREADS_MAX);
            assertThat(member.isRunning()).isTrue();
        } finally {
            for (PlainClient client : clients) {
                client.close();
            }
            if (member != null) {
                member.stop();
            }
        }
    }

    private AnsweringReplicas replicas() throws IOException {
        List<NodeAddress> nodes = IntStream.range(0, NODES)
                .mapToObj(i -> new NodeAddress(i, "127.0.0.1", shape.nodePort(i)))
                .toList();
        List<Genesis.Grant> grants = IntStream.range(0, CLIENTS)
                .mapToObj(i -> Genesis.Grant.all(PrincipalId.client(i)))
                .toList();
        List<Credentials> credentials = new ArrayList<>();
        for (int i = 0; i < REPLICAS; i++) {
            credentials.add(new TlsCredentials(identity(PrincipalId.replica(i)), trusted));
        }
        return new AnsweringReplicas(new Genesis(nodes, grants), credentials, replicaAddresses());
    }

    private List<InetSocketAddress> replicaAddresses() {
        return IntStream.range(0, REPLICAS)
                .mapToObj(i -> loopback(shape.replicaPort(i)))
                .toList();
    }

    private ProcessMember node(int number, InetSocketAddress admin) throws IOException {
        PrincipalId self = PrincipalId.node(number);
        Path identity = Identity.file(root, self);
        identity(self).store(identity);
        KeyRing.generate(root, List.of(self), new SecureRandom());
        NodeSetup setup = new NodeSetup(
                number,
                loopback(shape.nodePort(number)),
                Files.createDirectory(root.resolve("data")),
                KeyRing.file(root, self),
                new ChannelConfig.Tls(identity, genesis()),
                replicaAddresses(),
                "sync");
        Path role = root.resolve("node.yaml");
        RoleFile.writeNode(new RoleFile.Configured<>(setup, Optional.of(admin)), role);
        List<String> java = new ArrayList<>(JavaCommand.member(HEAP_MEBIBYTES));
        java.add(1, "-XX:MaxDirectMemorySize=256m");
        return new ProcessMember(
                self.toString(),
                setup.listen(),
                Optional.of(root.resolve("log")),
                java,
                List.of("node", "--config", role.toString(), "--end-with-input"));
    }

    private List<PlainClient> connectAll(int node) throws Exception {
        InetSocketAddress address = loopback(shape.nodePort(node));
        List<PlainClient> clients = new ArrayList<>();
        try (ExecutorService connecting = Executors.newFixedThreadPool(HANDSHAKES_AT_ONCE)) {
            List<Future<PlainClient>> all = new ArrayList<>();
            for (int i = 0; i < CLIENTS; i++) {
                Identity identity = identity(PrincipalId.client(i));
                all.add(connecting.submit(
                        () -> new PlainClient(identity, trusted, PrincipalId.node(node), address, CODECS)));
            }
            for (Future<PlainClient> each : all) {
                clients.add(each.get());
            }
        }
        return clients;
    }

    private static void storeAndReadAll(List<PlainClient> clients, AnsweringReplicas replicas, Volume volume)
            throws Exception {
        try (ExecutorService working = Executors.newVirtualThreadPerTaskExecutor()) {
            List<Future<PlainClient>> all = new ArrayList<>();
            for (int i = 0; i < CLIENTS; i++) {
                PlainClient client = clients.get(i);
                PrincipalId owner = PrincipalId.client(i);
                long session = replicas.open(owner, volume.id());
                all.add(working.submit(() -> storeAndRead(client, volume, owner, session)));
            }
            for (Future<PlainClient> each : all) {
                each.get();
            }
        }
    }

    private static PlainClient storeAndRead(PlainClient client, Volume volume, PrincipalId owner, long session)
            throws IOException {
        for (int i = 1; i <= BLOCKS_PER_CLIENT; i++) {
            byte[] content = new byte[POLICY.blockBytes()];
            new Random(owner.number() * (long) BLOCKS_PER_CLIENT + i).nextBytes(content);
            BlockCode.Encoded encoded = CODE.encode(Bytes.of(content));
            Bytes fragment = encoded.fragments().getFirst();
            BlockId block = new BlockId(volume.id(), owner, session, i);
            PlacementGroup group = volume.group(block);
            assertThat(client.ask(new ExtentMessage.Store(block, group.epoch(), 0, fragment, encoded.fpcc())))
                    .isEqualTo(new ExtentMessage.Acknowledged(block, group.epoch()));
            Bytes pin = encoded.fpcc().pin();
            assertThat(client.ask(new ExtentMessage.ReadPinned(block, group.epoch(), 0, pin, true)))
                    .isInstanceOfSatisfying(
                            ExtentMessage.Found.class,
                            found -> assertThat(found.fragment()).isEqualTo(fragment));
        }
        return client;
    }

    /** Prints memory and threads for docs/how-to/install.md. */
    private static void tell(ProcessMember node, Scrape after, long connectNanos, long workNanos) throws IOException {
        Path status = Path.of("/proc", "" + node.pid().orElseThrow(), "status");
        List<String> memory = Files.isReadable(status)
                ? Files.readAllLines(status).stream()
                        .filter(line -> line.matches("(VmRSS|VmHWM|Threads):.*"))
                        .toList()
                : List.of();
        System.out.printf(
                "%d clients: connected in %d ms, stored and read %d blocks in %d ms; %s, %.0f threads of Java%n",
                CLIENTS,
                connectNanos / 1_000_000,
                CLIENTS * BLOCKS_PER_CLIENT,
                workNanos / 1_000_000,
                memory,
                after.sum("jvm_threads_live_threads"));
    }

    private static InetSocketAddress loopback(int port) {
        return new InetSocketAddress(InetAddress.getLoopbackAddress(), port);
    }
}
