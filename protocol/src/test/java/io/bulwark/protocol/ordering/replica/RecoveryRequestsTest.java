package io.bulwark.protocol.ordering.replica;

import static org.assertj.core.api.Assertions.assertThat;

import io.bulwark.protocol.id.PrincipalId;
import io.bulwark.protocol.mutation.PlantedBug;
import io.bulwark.protocol.ordering.CallRefusal;
import io.bulwark.protocol.ordering.driver.JournalApplication;
import io.bulwark.protocol.ordering.driver.ReplicaConfig;
import io.bulwark.protocol.ordering.driver.ReplicaEffect;
import io.bulwark.protocol.ordering.driver.StartReason;
import io.bulwark.protocol.ordering.message.Batch;
import io.bulwark.protocol.ordering.message.ReplicaMessage;
import io.bulwark.protocol.ordering.message.ReplicaMessage.Commit;
import io.bulwark.protocol.ordering.message.ReplicaMessage.QueryStable;
import io.bulwark.protocol.ordering.message.ReplicaMessage.Recover;
import io.bulwark.protocol.ordering.message.ReplicaMessage.RecoveryReply;
import io.bulwark.protocol.ordering.message.ReplicaMessage.ReplyStable;
import io.bulwark.protocol.ordering.message.ReplicaMessage.RequestEcho;
import io.bulwark.protocol.ordering.message.Request;
import io.bulwark.protocol.ordering.recovery.RecoveryRequest;
import io.bulwark.protocol.ordering.recovery.RecoveryRequest.Challenge;
import io.bulwark.protocol.wire.Bytes;
import java.util.ArrayList;
import java.util.List;
import java.util.Random;
import org.jspecify.annotations.NullMarked;
import org.junit.jupiter.api.Test;

/** Tests which recovery requests a replica admits, and its actions after the execution of one. */
@NullMarked
class RecoveryRequestsTest {
    private final JournalApplication application = new JournalApplication();
    private Replica replica = start();
    private long nowMillis = 1_000;
    private long appended;

    private Replica start() {
        return new Replica(
                ReplicaConfig.of(1, 1).withLog(8, 16),
                application,
                List.of(),
                StartReason.NORMAL,
                new TestSigning(1),
                new Random(5));
    }

    private List<ReplicaEffect> effects() {
        List<ReplicaEffect> all = new ArrayList<>();
        List<ReplicaEffect> effects = replica.drain(nowMillis);
        while (!effects.isEmpty()) {
            all.addAll(effects);
            for (ReplicaEffect effect : effects) {
                switch (effect) {
                    case ReplicaEffect.Append append -> appended = append.index();
                    case ReplicaEffect.Roll roll -> appended = roll.index();
                    default -> {}
                }
            }
            replica.onDurable(nowMillis, appended);
            effects = replica.drain(nowMillis);
        }
        return all;
    }

    private static <T extends ReplicaMessage> List<T> sent(List<ReplicaEffect> effects, Class<T> kind) {
        List<T> sent = new ArrayList<>();
        for (ReplicaEffect effect : effects) {
            if (effect instanceof ReplicaEffect.Send send && kind.isInstance(send.message())) {
                sent.add(kind.cast(send.message()));
            }
        }
        return sent;
    }

    private ReplyStable stands() {
        replica.onMessage(nowMillis, 3, new QueryStable(7));
        ReplyStable reply = sent(effects(), ReplyStable.class).getFirst();
        assertThat(reply.round()).isEqualTo(7);
        return reply;
    }

    private Bytes nonce() {
        return stands().nonce();
    }

    private static Request request(long call, Bytes nonce, int signer) {
        List<Challenge> challenges = List.of(new Challenge(1, nonce));
        Bytes signature = new TestSigning(signer).sign(RecoveryRequest.content(3, call, 16, challenges));
        return new RecoveryRequest(3, call, 16, challenges, signature).request();
    }

    /** Returns whether the replica vouches for it. */
    private boolean letsIn(int from, Request request) {
        nowMillis += 1_000;
        replica.onMessage(nowMillis, from, new Recover(request));
        return sent(effects(), RequestEcho.class).contains(new RequestEcho(List.of(request.id())));
    }

    private void decide(long sequence, Bytes digest) {
        for (int from : List.of(0, 2, 3)) {
            replica.onMessage(nowMillis, from, new Commit(0, sequence, digest));
        }
    }

    private List<ReplicaEffect> execute(long sequence, Request request) {
        Batch batch = new Batch(1_000, List.of(request.id()));
        decide(sequence, batch.digest());
        replica.onTick(nowMillis);
        replica.onMessage(nowMillis, 0, new ReplicaMessage.BatchBody(batch));
        return effects();
    }

    @PlantedBug(
            inClass = "io.bulwark.protocol.ordering.recovery.PeerRecoveries",
            rule = "a recovery request signs this replica's nonce",
            replace = "|| nonce == null || !asked.nonceOf(config.self()).equals(nonce)",
            with = "")
    @Test
    void aRequestSignsTheReceiversFreshNonce() {
        Bytes nonce = nonce();
        assertThat(nonce()).isEqualTo(nonce);
        assertThat(letsIn(3, request(1, Bytes.of(new byte[16]), 3))).isFalse();
        assertThat(letsIn(3, request(1, nonce, 3))).isTrue();
    }

    @PlantedBug(
            inClass = "io.bulwark.protocol.ordering.recovery.PeerRecoveries",
            rule = "a replica checks the signature of a recovery request",
            replace = "return signing.verify(from, asked.content(), asked.signature());",
            with = "return true;")
    @Test
    void aRequestIsSignedByItsReplica() {
        Bytes nonce = nonce();
        assertThat(letsIn(3, request(1, nonce, 2))).isFalse();
        assertThat(letsIn(2, request(1, nonce, 3))).isFalse();
        assertThat(letsIn(3, request(1, nonce, 3))).isTrue();
    }

    @Test
    void aReplicaAsksForNothingElseAndInNoOtherWay() {
        Request request = request(1, nonce(), 3);
        replica.onRequest(nowMillis, request);
        assertThat(effects())
                .as("it is told so, and need not wait for an answer")
                .containsExactly(new ReplicaEffect.Refuse(request.client(), request.call(), CallRefusal.FAILED));
        Request query = new Request(request.client(), 4, true, Bytes.EMPTY);
        replica.onRequest(nowMillis, query);
        assertThat(effects()).containsExactly(new ReplicaEffect.Refuse(query.client(), 4, CallRefusal.FAILED));
        Request other = new Request(request.client(), 2, false, Bytes.of((byte) 1));
        assertThat(letsIn(3, other)).isFalse();
    }

    @Test
    void itsExecutionIsAnsweredAndTheKeysGo() {
        Request request = request(1, nonce(), 3);
        assertThat(letsIn(3, request)).isTrue();
        List<ReplicaEffect> effects = execute(1, request);
        assertThat(effects).contains(new ReplicaEffect.DropKeys(3));
        assertThat(sent(effects, RecoveryReply.class)).containsExactly(new RecoveryReply(1, true, 1, 0));
        nowMillis += 1_000;
        replica.onMessage(nowMillis, 3, new Recover(request));
        assertThat(sent(effects(), RecoveryReply.class)).containsExactly(new RecoveryReply(1, true, 1, 0));
        assertThat(replica.recoveries(nowMillis).known()).hasSize(1);
    }

    @PlantedBug(
            inClass = "io.bulwark.protocol.ordering.recovery.PeerRecoveries",
            rule = "a nonce is good for one recovery request",
            replace = "nonces[replica] = null;",
            with = "")
    @Test
    void aNonceIsGoodForOneRequest() {
        Bytes nonce = nonce();
        Request first = request(1, nonce, 3);
        assertThat(letsIn(3, first)).isTrue();
        assertThat(execute(1, first)).contains(new ReplicaEffect.DropKeys(3));
        assertThat(letsIn(3, request(2, nonce, 3))).isFalse();
        assertThat(nonce()).isNotEqualTo(nonce);
    }

    @Test
    void oneThatComesTooSoonIsRefusedByAll() {
        Request first = request(1, nonce(), 3);
        assertThat(letsIn(3, first)).isTrue();
        execute(1, first);
        Request second = request(2, nonce(), 3);
        assertThat(letsIn(3, second)).isTrue();
        List<ReplicaEffect> effects = execute(2, second);
        assertThat(effects).doesNotContain(new ReplicaEffect.DropKeys(3));
        assertThat(sent(effects, RecoveryReply.class)).containsExactly(new RecoveryReply(2, false, 2, 0));
    }

    /** The others must hear it again, or the replica that recovers waits. */
    @Test
    void whatWasAnsweredIsAnsweredAgain() {
        Request first = request(1, nonce(), 3);
        letsIn(3, first);
        execute(1, first);
        Request second = request(2, nonce(), 3);
        letsIn(3, second);
        execute(2, second);
        nowMillis += 1_000;
        replica.onMessage(nowMillis, 3, new Recover(second));
        assertThat(sent(effects(), RecoveryReply.class))
                .as("refused")
                .containsExactly(new RecoveryReply(2, false, 2, 0));
        for (long sequence = 3; sequence <= 8; sequence++) {
            decide(sequence, Batch.NULL_DIGEST);
        }
        effects();
        assertThat(application.makeDurable(8)).isTrue();
        application.crash();
        replica = start();
        appended = 0;
        effects();
        replica.onMessage(nowMillis, 3, new Recover(first));
        assertThat(sent(effects(), RecoveryReply.class))
                .as("accepted, as the state has it")
                .containsExactly(new RecoveryReply(1, true, 1, 0));
    }

    /** Requests in the replica's name are each checked, but only at a limited rate. */
    @Test
    void signaturesOfOneReplicaAreCheckedSoOftenAndNoMore() {
        Bytes nonce = nonce();
        assertThat(letsIn(3, request(1, nonce, 2))).isFalse();
        Request right = request(1, nonce, 3);
        replica.onMessage(nowMillis + 19, 3, new Recover(right));
        assertThat(sent(effects(), RequestEcho.class)).isEmpty();
        replica.onMessage(nowMillis + 20, 3, new Recover(right));
        assertThat(sent(effects(), RequestEcho.class)).containsOnly(new RequestEcho(List.of(right.id())));
    }

    @Test
    void itSaysItsLastCheckpointThoughItIsNotStable() {
        for (long sequence = 1; sequence <= 7; sequence++) {
            decide(sequence, Batch.NULL_DIGEST);
        }
        effects();
        assertThat(stands().checkpoint()).isZero();
        decide(8, Batch.NULL_DIGEST);
        effects();
        assertThat(stands().checkpoint()).isEqualTo(8);
        assertThat(replica.lowWaterMark()).isZero();
    }

    @Test
    void whatPreparedHereIsSaid() {
        replica.onMessage(nowMillis, 0, new ReplicaMessage.PrePrepare(0, 2, Batch.NULL));
        for (int from : List.of(0, 2)) {
            assertThat(stands().prepared()).isZero();
            replica.onMessage(nowMillis, from, new ReplicaMessage.Prepare(0, 2, Batch.NULL_DIGEST));
        }
        assertThat(stands().prepared()).isEqualTo(2);
    }

    /** Without an own COMMIT: it has prepared elsewhere, and may be executed here or not. */
    @Test
    void whatIsDecidedHereHasPrepared() {
        Request request = request(1, nonce(), 3);
        decide(2, new Batch(1_000, List.of(request.id())).digest());
        assertThat(stands().prepared()).as("decided").isEqualTo(2);
        letsIn(3, request);
        execute(1, request);
        assertThat(stands().prepared()).isEqualTo(2);
        execute(2, request);
        for (long sequence = 3; sequence <= 4; sequence++) {
            decide(sequence, Batch.NULL_DIGEST);
        }
        effects();
        assertThat(replica.executed()).isEqualTo(4);
        assertThat(stands().prepared()).as("executed").isEqualTo(4);
    }

    @Test
    void oneThatIsRefusedChangesNothingOfWhatIsKnownOfTheLast() {
        Request first = request(1, nonce(), 3);
        letsIn(3, first);
        execute(1, first);
        nowMillis += 5_000;
        Request second = request(2, nonce(), 3);
        letsIn(3, second);
        execute(2, second);
        assertThat(replica.recoveries(nowMillis).known()).singleElement().satisfies(last -> {
            assertThat(last.sequence()).isEqualTo(1);
            assertThat(last.openMillis()).isEqualTo(6_000);
        });
    }

    /** Its nonces are used up; what all have executed once they do not refuse then. */
    @Test
    void oneThatIsOrderedTwiceIsExecutedOnce() {
        Request request = request(1, nonce(), 3);
        letsIn(3, request);
        execute(1, request);
        List<ReplicaEffect> effects = execute(2, request);
        assertThat(replica.executed()).isEqualTo(2);
        assertThat(sent(effects, RecoveryReply.class)).isEmpty();
    }

    @Test
    void whatIsNoRecoveryRequestIsExecutedAsNothing() {
        Request junk = new Request(PrincipalId.replica(3), 1, false, Bytes.of((byte) 1));
        execute(1, junk);
        nowMillis += 200;
        replica.onTick(nowMillis);
        replica.onMessage(nowMillis, 0, new ReplicaMessage.RequestBodies(List.of(junk)));
        effects();
        assertThat(replica.executed()).isEqualTo(1);
        assertThat(replica.recoveries(nowMillis).known()).isEmpty();
    }
}
