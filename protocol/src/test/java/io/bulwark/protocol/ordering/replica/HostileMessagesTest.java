package io.bulwark.protocol.ordering.replica;

import static org.assertj.core.api.Assertions.assertThat;

import io.bulwark.protocol.fingerprint.Hashes;
import io.bulwark.protocol.id.PrincipalId;
import io.bulwark.protocol.ordering.driver.ReplicaConfig;
import io.bulwark.protocol.ordering.driver.StartReason;
import io.bulwark.protocol.ordering.message.Batch;
import io.bulwark.protocol.ordering.message.ReplicaMessage;
import io.bulwark.protocol.ordering.message.ReplicaMessage.DigestView;
import io.bulwark.protocol.ordering.message.ReplicaMessage.Numbered;
import io.bulwark.protocol.ordering.message.ReplicaMessage.PrePrepared;
import io.bulwark.protocol.ordering.message.ReplicaMessage.Prepared;
import io.bulwark.protocol.ordering.message.ReplicaMessage.Support;
import io.bulwark.protocol.ordering.message.ReplicaMessage.ViewChange;
import io.bulwark.protocol.ordering.message.Request;
import io.bulwark.protocol.ordering.message.RequestId;
import io.bulwark.protocol.ordering.recovery.RecoveryRequest;
import io.bulwark.protocol.wire.Bytes;
import io.bulwark.protocol.wire.WireWriter;
import java.util.HashSet;
import java.util.List;
import java.util.Set;
import java.util.SplittableRandom;
import java.util.function.Supplier;
import java.util.stream.Stream;
import org.jspecify.annotations.NullMarked;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/** For any messages of f peers, in any order: nothing breaks, and the others reach their decisions. */
@NullMarked
class HostileMessagesTest {
    private static final long[] NUMBERS = {
        0, 1, 2, 3, 4, 5, 7, 8, 9, 16, 100, 1 << 20, Integer.MAX_VALUE, Long.MAX_VALUE - 8, Long.MAX_VALUE
    };

    private static final List<Class<?>> KINDS = kinds(ReplicaMessage.class);

    private long overheardRound;
    private long overheardCall;
    private Bytes overheardNonce = Batch.NULL_DIGEST.slice(0, ReplicaMessage.NONCE_BYTES);
    private final long seed = Long.getLong("bulwark.seed", 1);
    private final SplittableRandom random = new SplittableRandom(seed);

    private long number() {
        return NUMBERS[random.nextInt(NUMBERS.length)];
    }

    private Bytes digest() {
        return random.nextInt(3) == 0
                ? Batch.NULL_DIGEST
                : Hashes.sha256(new WireWriter().i64(random.nextInt(5)).toBytes());
    }

    private <T> List<T> some(Supplier<T> each) {
        return Stream.generate(each).limit(random.nextInt(6)).toList();
    }

    private Request request() {
        return new Request(PrincipalId.client(random.nextInt(3)), number(), random.nextBoolean(), Bytes.of((byte) 1));
    }

    private RequestId id() {
        return random.nextBoolean() ? request().id() : new RequestId(PrincipalId.client(1), number(), digest());
    }

    private Batch batch() {
        return new Batch(number(), some(this::id));
    }

    private Bytes bits() {
        byte[] bits = new byte[random.nextInt(1_025)];
        random.nextBytes(bits);
        return Bytes.of(bits);
    }

    private Numbered numbered() {
        return new Numbered(number(), digest());
    }

    private ViewChange viewChange() {
        return new ViewChange(
                number(),
                number(),
                some(this::numbered),
                some(() -> new Prepared(number(), digest(), number())),
                some(() -> new PrePrepared(number(), some(() -> new DigestView(digest(), number())))));
    }

    private int replica() {
        return random.nextInt(ReplicaMessage.REPLICAS_MAX);
    }

    /** All kinds that there are. */
    private static List<Class<?>> kinds(Class<?> type) {
        Class<?>[] permitted = type.getPermittedSubclasses();
        return permitted == null
                ? List.of(type)
                : Stream.of(permitted).flatMap(each -> kinds(each).stream()).toList();
    }

    private ReplicaMessage message() {
        return message(KINDS.get(random.nextInt(KINDS.size())));
    }

    /** A new kind of message fails here until there is a case for it. */
    private ReplicaMessage message(Class<?> kind) {
        return switch (kind.getSimpleName()) {
            case "RequestEcho" -> new ReplicaMessage.RequestEcho(some(this::id));
            case "RequestReady" -> new ReplicaMessage.RequestReady(some(this::id));
            case "PrePrepare" -> new ReplicaMessage.PrePrepare(number(), number(), batch());
            case "Prepare" -> new ReplicaMessage.Prepare(number(), number(), digest());
            case "Commit" -> new ReplicaMessage.Commit(number(), number(), digest());
            case "Executed" -> new ReplicaMessage.Executed(number(), some(this::digest));
            case "Checkpoint" -> new ReplicaMessage.Checkpoint(number(), digest());
            case "ViewChange" -> viewChange();
            case "ViewChangeAck" -> new ReplicaMessage.ViewChangeAck(number(), replica(), digest());
            case "NewView" ->
                new ReplicaMessage.NewView(
                        number(), some(() -> new Support(replica(), digest())), numbered(), some(this::numbered));
            case "FetchViewChange" -> new ReplicaMessage.FetchViewChange(number(), replica(), digest());
            case "ForwardedViewChange" -> new ReplicaMessage.ForwardedViewChange(replica(), viewChange());
            case "FetchBatch" -> new ReplicaMessage.FetchBatch(digest());
            case "BatchBody" -> new ReplicaMessage.BatchBody(batch());
            case "FetchRequests" -> new ReplicaMessage.FetchRequests(some(this::id));
            case "RequestBodies" -> new ReplicaMessage.RequestBodies(some(this::request));
            case "Status" ->
                new ReplicaMessage.Status(
                        number(),
                        random.nextBoolean(),
                        number(),
                        number(),
                        bits(),
                        bits(),
                        random.nextLong(),
                        random.nextBoolean());
            case "Fetch" -> new ReplicaMessage.Fetch(number(), List.of(digest()));
            case "Pages" -> new ReplicaMessage.Pages(number(), some(this::bits));
            case "QueryStable" -> new ReplicaMessage.QueryStable(round());
            case "ReplyStable" ->
                new ReplicaMessage.ReplyStable(
                        round(), number(), number(), digest().slice(0, ReplicaMessage.NONCE_BYTES));
            case "Recover" -> new ReplicaMessage.Recover(random.nextBoolean() ? request() : recoveryRequest());
            case "RecoveryReply" ->
                new ReplicaMessage.RecoveryReply(recoveryCall(), random.nextBoolean(), number(), number());
            case "OwnCommand" -> new ReplicaMessage.OwnCommand(number(), bits());
            default -> throw new AssertionError("nothing hostile is made of " + kind);
        };
    }

    /**
     * Records messages that the group does not send to liars, so that they match the round and the call of a recovery.
     */
    private void overhear(ReplicaMessage message) {
        switch (message) {
            case ReplicaMessage.QueryStable query -> overheardRound = query.round();
            case ReplicaMessage.ReplyStable reply -> overheardNonce = reply.nonce();
            case ReplicaMessage.Recover recover ->
                overheardCall = recover.request().call();
            default -> {}
        }
    }

    private long round() {
        return random.nextBoolean() ? overheardRound : random.nextLong();
    }

    private long recoveryCall() {
        return random.nextBoolean() ? overheardCall : number();
    }

    /** Signed by whoever sends it, as its own or another's. */
    private Request recoveryRequest() {
        int replica = random.nextInt(4);
        List<RecoveryRequest.Challenge> challenges = Stream.of(0, 1, 2, 3)
                .filter(_ -> random.nextBoolean())
                .map(each -> new RecoveryRequest.Challenge(
                        each, random.nextBoolean() ? overheardNonce : digest().slice(0, ReplicaMessage.NONCE_BYTES)))
                .toList();
        long call = recoveryCall();
        long estimate = number();
        Bytes signature = new TestSigning(0).sign(RecoveryRequest.content(replica, call, estimate, challenges));
        return new RecoveryRequest(replica, call, estimate, challenges, signature).request();
    }

    @ParameterizedTest
    @ValueSource(ints = {1, 2})
    void fHostilePeersBreakNothing(int faulty) {
        TestCluster cluster = new TestCluster(
                faulty,
                seed,
                config -> config.withLog(4, 8).withRecoveries(new ReplicaConfig.Recoveries(4_000, 1_000, 5_000)));
        Set<Class<?>> sent = new HashSet<>();
        cluster.wire = (from, to, message) -> {
            overhear(message);
            return from < faulty ? List.of(message(), message(), message()) : List.of(message);
        };
        for (int i = 0; i < 60; i++) {
            cluster.submit(i % 3, i, TestCluster.operation(i));
            if (i == 30) {
                cluster.crash(3 * faulty);
                cluster.start(3 * faulty, StartReason.RECOVERING);
            }
            for (int from = 0; from < faulty; from++) {
                for (int to = faulty; to <= 3 * faulty; to++) {
                    for (int j = 0; j < 20; j++) {
                        ReplicaMessage message = message();
                        sent.add(message.getClass());
                        cluster.send(from, to, message);
                    }
                }
            }
            cluster.run(50);
        }
        assertThat(sent).containsExactlyInAnyOrderElementsOf(KINDS);
        assertThat(cluster.runUntilDone(100_000))
                .as("seed %d: %s", seed, cluster)
                .isTrue();
    }
}
