package io.bulwark.it;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;
import static org.assertj.core.api.Assertions.catchThrowable;

import io.bulwark.appliance.cli.CommandFailure;
import io.bulwark.client.Bucket;
import io.bulwark.client.Bulwark;
import io.bulwark.client.config.ChannelConfig;
import io.bulwark.client.config.ClientConfig;
import io.bulwark.client.config.GenesisFile;
import io.bulwark.client.error.BulwarkException;
import io.bulwark.client.error.NotBelievedException;
import io.bulwark.client.error.NotBelievedException.Reason;
import io.bulwark.client.error.NotPermittedException;
import io.bulwark.protocol.id.PrincipalId;
import io.bulwark.protocol.id.PrincipalKey;
import io.bulwark.protocol.metadata.Rights;
import io.bulwark.protocol.metadata.Scope;
import io.bulwark.protocol.ordering.OrderingCodec;
import io.bulwark.protocol.ordering.membership.MembershipCodec;
import io.bulwark.protocol.wire.MessageCodecs;
import io.bulwark.transport.TlsCredentials;
import io.bulwark.transport.Transport;
import io.bulwark.transport.TransportServer;
import io.bulwark.transport.TransportSettings;
import io.bulwark.transport.identity.Identity;
import io.bulwark.transport.identity.TrustedKeys;
import io.micrometer.core.instrument.simple.SimpleMeterRegistry;
import java.io.IOException;
import java.io.InputStream;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.StandardCopyOption;
import java.security.SecureRandom;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.SortedMap;
import java.util.TreeMap;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.TimeUnit;
import org.jspecify.annotations.NullMarked;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.extension.RegisterExtension;
import org.junit.jupiter.api.io.TempDir;

/**
 * Tests that a client with an untrusted key soon gets a clear error, before and during an operation. One lying replica
 * cannot cause this error.
 */
@NullMarked
@Timeout(600)
@Tag("long")
class RefusedClientsIT {
    private static final SecureRandom RANDOM = new SecureRandom();
    private static final Rights ALL = new Rights(true, true, false);
    private static final int OBJECT_BYTES = 64 << 20;

    @RegisterExtension
    static final LiveCluster CLUSTER = LiveCluster.embedded(4);

    @TempDir
    Path directory = Path.of("");

    @Test
    void whoWasRevokedIsToldSo() throws Exception {
        PrincipalId principal = PrincipalId.client(4);
        CLUSTER.grant(4);
        CLUSTER.client().principals().revoke(principal);
        ClientConfig config = ofGenesis(principal, replicas());
        assertThat(refused(config).reason()).isEqualTo(Reason.REVOKED);
        assertCommandLineSays(config, "client-4 was revoked", "bulwark principal list");
    }

    @Test
    void whoWasNeverAddedIsToldSoAndServedOnceItIs() throws Exception {
        PrincipalId stranger = PrincipalId.client(40);
        Identity identity = Identity.generate(stranger, RANDOM);
        ClientConfig config = config(identity, CLUSTER.plan().data().genesis(), replicas());
        assertThatThrownBy(() -> Bulwark.connect(config))
                .isInstanceOfSatisfying(
                        NotBelievedException.class,
                        denied -> assertThat(denied.reason()).isEqualTo(Reason.NOT_KNOWN));
        assertCommandLineSays(config, "the key of client-40 is not trusted", "bulwark principal add");
        CLUSTER.client().principals().add(stranger, identity.publicKey());
        CLUSTER.client().principals().grant(stranger, new Scope.All(), ALL);
        // The replicas learn of it because it comes.
        try (Bulwark client = Bulwark.connect(config)) {
            client.createBucket("added").put("a", new byte[10]);
        }
    }

    @Test
    void whoIsOfAnotherClusterIsToldThatItDoesNotBelieveTheServers() throws Exception {
        PrincipalId principal = PrincipalId.client(0);
        Identity identity = Identity.generate(principal, RANDOM);
        SortedMap<PrincipalId, PrincipalKey> keys = new TreeMap<>();
        keys.put(principal, identity.publicKey());
        for (int i = 0; i < replicas().size(); i++) {
            PrincipalId replica = PrincipalId.replica(i);
            keys.put(replica, Identity.generate(replica, RANDOM).publicKey());
        }
        Path genesis = directory.resolve("genesis.properties");
        new GenesisFile("1".repeat(32), principal, keys).store(genesis);
        ClientConfig config = config(identity, genesis, replicas());
        assertThat(refused(config).reason()).isEqualTo(Reason.SERVERS_NOT_KNOWN);
        assertCommandLineSays(config, "configuration of another cluster", "genesis.properties");
    }

    /** The liar has a replica's own key, and says that this client was revoked. */
    @Test
    void oneReplicaThatRefusesACorrectClientChangesNothing() throws Exception {
        PrincipalId principal = PrincipalId.client(2);
        CLUSTER.grant(2);
        PrincipalId replica = PrincipalId.replica(3);
        Identity key = Identity.load(Identity.file(CLUSTER.plan().data().keys(), replica));
        TlsCredentials credentials = new TlsCredentials(key, new TrustedKeys(Map.of(), Set.of(principal)));
        SimpleMeterRegistry meters = new SimpleMeterRegistry();
        MessageCodecs codecs = new MessageCodecs(new OrderingCodec(), new MembershipCodec());
        try (Transport transport = Transport.open(TransportSettings.defaults(), credentials, codecs, meters)) {
            TransportServer liar = transport.listen(
                    new InetSocketAddress(InetAddress.getLoopbackAddress(), 0), (_, _, _, done) -> done.run());
            List<ClientConfig.Endpoint> endpoints = new ArrayList<>(replicas());
            endpoints.set(
                    3,
                    new ClientConfig.Endpoint("127.0.0.1", liar.boundAddress().getPort()));
            try (Bulwark client = Bulwark.connect(ofGenesis(principal, endpoints))) {
                Bucket bucket = client.createBucket("in-spite-of-a-liar");
                for (int i = 0; i < 30; i++) {
                    bucket.put("object-" + i, new byte[10_000]);
                    assertThat(bucket.getBytes("object-" + i)).hasSize(10_000);
                    Thread.sleep(100);
                }
            }
        }
        assertThat(meters.find("bulwark.transport.faults").counters())
                .as("refusals of the liar")
                .isNotEmpty();
    }

    @Test
    void whatIsUnderWayWhenItsClientIsRevokedFails() throws Exception {
        CLUSTER.grant(3);
        Bulwark operator = CLUSTER.client();
        byte[] whole = new byte[OBJECT_BYTES];
        operator.createBucket("under-way").put("before", whole);
        CountDownLatch began = new CountDownLatch(1);
        CountDownLatch revoked = new CountDownLatch(1);
        try (Bulwark client = CLUSTER.freshClient(3)) {
            Bucket bucket = client.bucket("under-way");
            CompletableFuture<Throwable> putting = inBackground(() -> bucket.put("after", endless(began, revoked)));
            InputStream reading = bucket.get("before");
            assertThat(reading.readNBytes(1)).hasSize(1);
            assertThat(began.await(1, TimeUnit.MINUTES)).isTrue();
            operator.principals().revoke(PrincipalId.client(3));
            revoked.countDown();
            long beganNanos = System.nanoTime();
            assertThat(putting.get(2, TimeUnit.MINUTES))
                    .isInstanceOfAny(NotBelievedException.class, NotPermittedException.class);
            System.out.println(
                    "a put failed " + millisSince(beganNanos) + " ms after the revocation: " + putting.join());
            // The reader still returns data that was read ahead.
            Throwable read = catchThrowable(() -> {
                while (true) {
                    assertThat(bucket.getBytes("before")).hasSize(OBJECT_BYTES);
                }
            });
            System.out.println("a read failed " + millisSince(beganNanos) + " ms after the revocation: " + read);
            assertThat(read).isInstanceOfAny(NotBelievedException.class, NotPermittedException.class);
            assertThat(eventually(client)).isEqualTo(Reason.REVOKED);
            System.out.println("told " + millisSince(beganNanos) + " ms after the revocation");
        }
        try (var names = operator.bucket("under-way").stream("")) {
            assertThat(names.map(object -> object.key())).containsExactly("before");
        }
    }

    /** It is shown what is refused, and finds another one in its place before it gives up. */
    @Test
    void whoseKeyIsExchangedInThatMomentGoesOn() throws Exception {
        PrincipalId principal = PrincipalId.client(14);
        CLUSTER.grant(14);
        Path file = Identity.file(CLUSTER.plan().data().keys(), principal);
        Bulwark operator = CLUSTER.client();
        try (Bulwark client = CLUSTER.freshClient(14)) {
            Bucket bucket = client.createBucket("exchanged");
            for (int round = 0; round < 3; round++) {
                Identity next = Identity.generate(principal, RANDOM);
                Path fresh = directory.resolve("fresh.pem");
                next.store(fresh);
                operator.principals().rotate(principal, next.publicKey(), true);
                Files.move(fresh, file, StandardCopyOption.ATOMIC_MOVE, StandardCopyOption.REPLACE_EXISTING);
                operator.principals().rotate(principal, next.publicKey(), false);
                for (int i = 0; i < 50; i++) {
                    bucket.put("object-" + round + "-" + i, new byte[10_000]);
                    Thread.sleep(50);
                }
            }
        }
    }

    private interface Work {
        void run() throws Exception;
    }

    private static CompletableFuture<Throwable> inBackground(Work work) {
        CompletableFuture<Throwable> failure = new CompletableFuture<>();
        Thread.ofVirtual().start(() -> failure.complete(catchThrowable(work::run)));
        return failure;
    }

    /** Returns a stream that gives a little at first, and has no end once it may continue. */
    private static InputStream endless(CountDownLatch began, CountDownLatch goesOn) {
        return new InputStream() {
            private long given;

            @Override
            public int read() {
                throw new IllegalStateException("a byte at a time");
            }

            @Override
            public int read(byte[] into, int offset, int length) throws IOException {
                try {
                    if (given > OBJECT_BYTES) {
                        began.countDown();
                        goesOn.await();
                        Thread.sleep(1);
                    }
                } catch (InterruptedException e) {
                    throw new IOException(e);
                }
                given += length;
                return length;
            }
        };
    }

    private static Reason eventually(Bulwark client) throws InterruptedException {
        while (true) {
            try {
                var _ = client.buckets();
            } catch (NotBelievedException e) {
                return e.reason();
            } catch (BulwarkException e) {
                assertThat(e).isInstanceOf(NotPermittedException.class);
            }
            Thread.sleep(100);
        }
    }

    private static long millisSince(long nanos) {
        return TimeUnit.NANOSECONDS.toMillis(System.nanoTime() - nanos);
    }

    /** Sooner or later; while some of the replicas have yet to learn of it, the others agree that it may do nothing. */
    private static NotBelievedException refused(ClientConfig config) throws InterruptedException {
        while (true) {
            try (Bulwark client = Bulwark.connect(config)) {
                assertThatThrownBy(client::buckets).isInstanceOf(NotPermittedException.class);
            } catch (NotBelievedException e) {
                return e;
            } catch (BulwarkException e) {
                assertThat(e).isInstanceOf(NotPermittedException.class);
            }
            Thread.sleep(100);
        }
    }

    private void assertCommandLineSays(ClientConfig config, String... words) throws IOException {
        Path file = directory.resolve("client.properties");
        config.store(file);
        CommandRun run = new CommandRun(directory, "ls")
                .with("--client", file.toString())
                .goForPeople();
        assertThat(run.exitCode()).isEqualTo(CommandFailure.CONFIG);
        assertThat(run.err()).contains(words);
    }

    private static ClientConfig ofGenesis(PrincipalId principal, List<ClientConfig.Endpoint> replicas) {
        Path identity = Identity.file(CLUSTER.plan().data().keys(), principal);
        return new ClientConfig(
                principal,
                null,
                new ChannelConfig.Tls(identity, CLUSTER.plan().data().genesis()),
                1,
                replicas);
    }

    private ClientConfig config(Identity identity, Path genesis, List<ClientConfig.Endpoint> replicas)
            throws IOException {
        Path file = Identity.file(directory, identity.principal());
        identity.store(file);
        return new ClientConfig(identity.principal(), null, new ChannelConfig.Tls(file, genesis), 1, replicas);
    }

    private static List<ClientConfig.Endpoint> replicas() {
        return ClientConfig.load(CLUSTER.plan().data().clientProperties()).replicas();
    }
}
