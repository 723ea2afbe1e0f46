package io.bulwark.protocol.ordering.replica;

import static org.assertj.core.api.Assertions.assertThat;

import io.bulwark.protocol.ordering.Refusal;
import io.bulwark.protocol.ordering.message.Batch;
import io.bulwark.protocol.ordering.message.ReplicaMessage;
import io.bulwark.protocol.ordering.message.ReplicaMessage.Commit;
import io.bulwark.protocol.ordering.message.ReplicaMessage.QueryStable;
import io.bulwark.protocol.ordering.message.ReplicaMessage.Recover;
import io.bulwark.protocol.ordering.message.ReplicaMessage.RecoveryReply;
import io.bulwark.protocol.ordering.message.ReplicaMessage.ReplyStable;
import io.bulwark.protocol.ordering.message.ReplicaMessage.Vouch;
import io.bulwark.protocol.ordering.message.Request;
import io.bulwark.protocol.ordering.recovery.RecoveryRequest;
import io.bulwark.protocol.ordering.recovery.RecoveryRequest.Challenge;
import io.bulwark.protocol.wire.Bytes;
import java.util.ArrayList;
import java.util.List;
import java.util.Random;
import org.jspecify.annotations.NullMarked;
import org.junit.jupiter.api.Test;

/** Which recovery requests a replica lets in, and what it does once one is executed. */
@NullMarked
class RecoveryRequestsTest {
    private final Replica replica = new Replica(
            ReplicaConfig.of(1, 1),
            new JournalApplication(),
            List.of(),
            Start.NORMAL,
            new TestSigning(1),
            new Random(5));
    private long nowMillis = 1_000;
    private long appended;

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

    private Bytes nonce() {
        replica.onMessage(nowMillis, 3, new QueryStable(7));
        ReplyStable reply = sent(effects(), ReplyStable.class).getFirst();
        assertThat(reply.round()).isEqualTo(7);
        return reply.nonce();
    }

    private static Request request(long call, Bytes nonce, int signer) {
        List<Challenge> challenges = List.of(new Challenge(1, nonce));
        Bytes signature = new TestSigning(signer).sign(RecoveryRequest.content(3, call, 256, challenges));
        return new RecoveryRequest(3, call, 256, challenges, signature).request();
    }

    /** Whether the replica vouches for it. */
    private boolean letsIn(int from, Request request) {
        nowMillis += 1_000;
        replica.onMessage(nowMillis, from, new Recover(request));
        return sent(effects(), Vouch.class).contains(new Vouch(List.of(request.id())));
    }

    private List<ReplicaEffect> execute(long sequence, Request request) {
        Batch batch = new Batch(1_000, List.of(request.id()));
        for (int from : List.of(0, 2, 3)) {
            replica.onMessage(nowMillis, from, new Commit(0, sequence, batch.digest()));
        }
        replica.onTick(nowMillis);
        replica.onMessage(nowMillis, 0, new ReplicaMessage.BatchBody(batch));
        return effects();
    }

    @Test
    void aRequestSignsTheReceiversFreshNonce() {
        Bytes nonce = nonce();
        assertThat(nonce()).isEqualTo(nonce);
        assertThat(letsIn(3, request(1, Bytes.of(new byte[16]), 3))).isFalse();
        assertThat(letsIn(3, request(1, nonce, 3))).isTrue();
    }

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
                .containsExactly(new ReplicaEffect.Refuse(request.client(), request.call(), Refusal.FAILED));
        Request query = new Request(request.client(), 4, true, Bytes.EMPTY);
        replica.onRequest(nowMillis, query);
        assertThat(effects()).containsExactly(new ReplicaEffect.Refuse(query.client(), 4, Refusal.FAILED));
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
}
