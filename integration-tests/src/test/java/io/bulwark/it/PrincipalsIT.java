package io.bulwark.it;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.bulwark.appliance.cli.CommandFailure;
import io.bulwark.client.AuditLog;
import io.bulwark.client.Bucket;
import io.bulwark.client.BucketSpec;
import io.bulwark.client.Bulwark;
import io.bulwark.client.Volume;
import io.bulwark.client.VolumeSpec;
import io.bulwark.client.config.ChannelConfig;
import io.bulwark.client.config.ClientConfig;
import io.bulwark.client.config.JoinToken;
import io.bulwark.client.error.BulwarkException;
import io.bulwark.client.error.NotPermittedException;
import io.bulwark.client.error.UnavailableException;
import io.bulwark.client.registry.ClusterJoin;
import io.bulwark.protocol.cluster.ProtectionPolicy;
import io.bulwark.protocol.id.PrincipalId;
import io.bulwark.protocol.metadata.Rights;
import io.bulwark.protocol.metadata.Scope;
import io.bulwark.transport.identity.Identity;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.StandardCopyOption;
import java.security.SecureRandom;
import java.time.Duration;
import java.util.Arrays;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import java.util.TreeMap;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.concurrent.atomic.AtomicLong;
import java.util.stream.LongStream;
import org.jspecify.annotations.NullMarked;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.RegisterExtension;
import org.junit.jupiter.api.io.TempDir;

/** Clients and members over TLS whose keys are exchanged, rights changed and identities revoked under load. */
@NullMarked
@Tag("long")
class PrincipalsIT {
    private static final long PATIENCE_MILLIS = 180_000;
    private static final int REGISTERS = 8;
    private static final Rights ALL = new Rights(true, true, true);

    @RegisterExtension
    static final LiveCluster CLUSTER = LiveCluster.embedded(5);

    @Test
    void aClientThatIsRevokedInMidWriteChangesNothingAnyMore() throws Exception {
        CLUSTER.client().createBucket("writes");
        PrincipalId principal = PrincipalId.client(5);
        CLUSTER.grant(5);
        AtomicBoolean ended = new AtomicBoolean();
        Set<String> acknowledged = ConcurrentHashMap.newKeySet();
        Thread writing = Thread.ofVirtual().start(() -> {
            try (Bulwark client = CLUSTER.freshClient(5)) {
                Bucket bucket = client.bucket("writes");
                for (int i = 0; ; i++) {
                    bucket.put("object-" + i, new byte[50_000]);
                    acknowledged.add("object-" + i);
                }
            } catch (BulwarkException e) {
                ended.set(true);
            }
        });
        await("writes", () -> acknowledged.size() > 5);
        CLUSTER.client().principals().revoke(principal);
        List<String> seen = names("writes");
        await("its writes to end", ended::get);
        writing.join();
        assertThat(names("writes"))
                .as("nothing becomes visible after the revocation")
                .isEqualTo(seen);
        assertThat(seen).as("what was acknowledged stays").containsAll(acknowledged);
        for (String name : seen) {
            assertThat(CLUSTER.client().bucket("writes").getBytes(name)).hasSize(50_000);
        }
        await("its connections to be refused", () -> !serves(5));
    }

    @Test
    void aClientThatIsRevokedInMidWriteWritesNoRegisterAnyMore() throws Exception {
        ProtectionPolicy policy = new ProtectionPolicy(1, 2, 4, ProtectionPolicy.BLOCK_BYTES_MIN);
        CLUSTER.client().createVolume(VolumeSpec.registers("revoked", policy, REGISTERS));
        CLUSTER.grant(8);
        AtomicBoolean ended = new AtomicBoolean();
        AtomicLong written = new AtomicLong();
        Thread writing = Thread.ofVirtual().start(() -> {
            try (Bulwark client = CLUSTER.freshClient(8)) {
                Volume volume = client.volume("revoked");
                for (long i = 0; ; i++) {
                    byte[] block = new byte[policy.blockBytes()];
                    Arrays.fill(block, (byte) i);
                    volume.writeBlock(i % REGISTERS, block);
                    written.set(i);
                }
            } catch (BulwarkException e) {
                ended.set(true);
            }
        });
        await("writes", () -> written.get() > 3 * REGISTERS);
        CLUSTER.client().principals().revoke(PrincipalId.client(8));
        List<byte[]> seen = registers();
        await("its writes to end", ended::get);
        writing.join();
        assertThat(registers()).as("nothing is written after the revocation").containsExactlyElementsOf(seen);
    }

    private static List<byte[]> registers() {
        Volume volume = CLUSTER.client().volume("revoked");
        return LongStream.range(0, REGISTERS).mapToObj(volume::readBlock).toList();
    }

    @Test
    void aRevocationWaitsForEachNodeAndIsInForceAllTheSame() throws Exception {
        ProtectionPolicy policy = new ProtectionPolicy(1, 2, 4, ProtectionPolicy.BLOCK_BYTES_MIN);
        CLUSTER.client().createVolume(VolumeSpec.registers("waited-for", policy, REGISTERS));
        PrincipalId principal = PrincipalId.client(11);
        CLUSTER.stopNode(1);
        try {
            assertThatThrownBy(() -> CLUSTER.client()
                            .principals()
                            .revoke(
                                    principal,
                                    Duration.ofSeconds(2),
                                    progress -> assertThat(progress.complete()).isFalse()))
                    .isInstanceOf(UnavailableException.class)
                    .hasMessageContaining("node-1");
            await("its connections to be refused", () -> !serves(11));
        } finally {
            CLUSTER.startNode(1);
        }
        CLUSTER.client().principals().revoke(principal);
    }

    @Test
    void keysOfAClientAndOfANodeAreExchangedWithoutARestart() throws Exception {
        Bulwark operator = CLUSTER.client();
        Bucket bucket = operator.createBucket("rotated");
        bucket.put("before", new byte[200_000]);
        CLUSTER.grant(6);
        assertThat(serves(6)).isTrue();
        Map<PrincipalId, Identity> next = new TreeMap<>();
        for (PrincipalId principal : List.of(PrincipalId.client(6), PrincipalId.node(2), PrincipalId.replica(1))) {
            Identity made = Identity.generate(principal, new SecureRandom());
            made.store(keyFile(principal).resolveSibling("fresh-" + principal));
            operator.principals().rotate(principal, made.publicKey(), true);
            next.put(principal, made);
        }
        // The new keys must be believed by all before they are shown.
        Thread.sleep(5_000);
        for (PrincipalId principal : next.keySet()) {
            Path file = keyFile(principal);
            Files.move(file.resolveSibling("fresh-" + principal), file, StandardCopyOption.ATOMIC_MOVE);
        }
        Thread.sleep(5_000);
        for (Map.Entry<PrincipalId, Identity> made : next.entrySet()) {
            operator.principals().rotate(made.getKey(), made.getValue().publicKey(), false);
            bucket.put("after-" + made.getKey(), new byte[200_000]);
        }
        await("client-6 to be served under its new key", () -> serves(6));
        CLUSTER.awaitFullFaults();
        CLUSTER.stopNode(2);
        CLUSTER.startNode(2);
        CLUSTER.awaitFullFaults();
        try (Bulwark reader = CLUSTER.freshClient()) {
            for (String name : names("rotated")) {
                assertThat(reader.bucket("rotated").getBytes(name)).hasSize(200_000);
            }
        }
    }

    private static Path keyFile(PrincipalId principal) {
        return Identity.file(CLUSTER.plan().data().keys(), principal);
    }

    @Test
    void clientsOfTheGenesisMayDoNothingUntilItIsGranted() {
        CLUSTER.client().createBucket("not-theirs");
        try (Bulwark client = CLUSTER.freshClient(7)) {
            assertThatThrownBy(client::buckets).isInstanceOf(NotPermittedException.class);
            assertThatThrownBy(() -> client.createBucket("theirs-7")).isInstanceOf(NotPermittedException.class);
            assertThatThrownBy(() -> client.principals().grant(PrincipalId.client(7), new Scope.All(), ALL))
                    .isInstanceOf(NotPermittedException.class);
        }
        CLUSTER.grant(7);
        assertThat(serves(7)).isTrue();
    }

    @Test
    void aClientThatIsLetInHasWhatIsGrantedToIt() throws Exception {
        Bulwark operator = CLUSTER.client();
        operator.createBucket(BucketSpec.of("theirs"));
        operator.createBucket(BucketSpec.of("ours")).put("secret", new byte[10]);
        PrincipalId guest = PrincipalId.client(20);
        Identity made = Identity.generate(guest, new SecureRandom());
        Path file = Identity.file(CLUSTER.plan().data().keys(), guest);
        made.store(file);
        operator.principals().add(guest, made.publicKey());
        operator.principals().grant(guest, new Scope.OfBucket("theirs"), new Rights(true, true, false));
        ClientConfig theirs = ClientConfig.load(CLUSTER.plan().data().clientProperties());
        ClientConfig own = new ClientConfig(
                guest,
                null,
                new ChannelConfig.Tls(file, CLUSTER.plan().data().genesis()),
                theirs.faultyReplicas(),
                theirs.replicas());
        await("the replicas to have learnt its key", () -> connects(own));
        try (Bulwark client = Bulwark.connect(own)) {
            client.bucket("theirs").put("a", new byte[50_000]);
            assertThat(client.bucket("theirs").getBytes("a")).hasSize(50_000);
            assertThatThrownBy(() -> client.bucket("ours").getBytes("secret"))
                    .isInstanceOf(NotPermittedException.class);
            assertThatThrownBy(() -> client.bucket("ours").put("b", new byte[10]))
                    .isInstanceOf(NotPermittedException.class);
            assertThatThrownBy(() -> client.principals().revoke(PrincipalId.client(0)))
                    .isInstanceOf(NotPermittedException.class);
        }
    }

    @Test
    void whatOperatorsDoIsSignedAndKept() {
        AuditLog audit = CLUSTER.client().audit();
        AuditLog.Verification before = audit.verify(Optional.empty(), _ -> {});
        CLUSTER.client().principals().grant(PrincipalId.client(9), new Scope.All(), new Rights(true, false, false));
        AuditLog.Verification after = audit.verify(Optional.of(before.head()), _ -> {});
        assertThat(after.problem()).isEmpty();
        assertThat(after.unsigned()).isZero();
        assertThat(after.entries()).isGreaterThan(before.entries());
    }

    @Test
    void aMachineJoinsWithATokenThatIsGoodOnce(@TempDir Path directory) throws Exception {
        PrincipalId guest = PrincipalId.client(30);
        Bulwark operator = CLUSTER.client();
        JoinToken token = JoinToken.parse(
                operator.principals().invite(guest, Duration.ofHours(1)).text());
        operator.principals().grant(guest, new Scope.All(), new Rights(true, true, false));
        Path theirs = directory.resolve("theirs");
        ClusterJoin.JoinResult joined = ClusterJoin.join(token, theirs, theirs, new SecureRandom());
        try (Bulwark client = Bulwark.connect(theirs.resolve("client.properties"))) {
            client.createBucket("joined").put("a", new byte[50_000]);
            assertThat(client.bucket("joined").getBytes("a")).hasSize(50_000);
        }
        assertThat(ClusterJoin.join(token, theirs, theirs, new SecureRandom()).key())
                .as("run again")
                .isEqualTo(joined.key());
        CommandRun thief = new CommandRun(
                        CLUSTER,
                        "join",
                        token.text(),
                        "--out",
                        directory.resolve("thief").toString())
                .go();
        assertThat(thief.exitCode()).isEqualTo(CommandFailure.CONFIG);
        assertThat(thief.err())
                .contains("the token was used before", "invite client-30 again")
                .doesNotContain("Exception", "bulwark status", "principal add");
        assertThat(directory.resolve("thief")).doesNotExist();
        assertThat(operator.audit().verify(Optional.empty(), _ -> {}).problem()).isEmpty();
    }

    private static boolean connects(ClientConfig config) {
        try (Bulwark connected = Bulwark.connect(config)) {
            return connected.buckets().size() > 0;
        } catch (BulwarkException e) {
            return false;
        }
    }

    private static boolean serves(int client) {
        try (Bulwark connected = CLUSTER.freshClient(client)) {
            return !connected.buckets().isEmpty();
        } catch (BulwarkException e) {
            return false;
        }
    }

    private static List<String> names(String bucket) {
        try (var objects = CLUSTER.client().bucket(bucket).stream("")) {
            return objects.map(object -> object.key()).sorted().toList();
        }
    }

    private interface Condition {
        boolean holds() throws Exception;
    }

    private static void await(String what, Condition condition) throws Exception {
        long end = System.nanoTime() + PATIENCE_MILLIS * 1_000_000;
        while (!condition.holds()) {
            assertThat(System.nanoTime()).as("waiting for %s", what).isLessThan(end);
            Thread.sleep(100);
        }
    }
}
