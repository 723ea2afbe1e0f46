package io.bulwark.protocol.ordering;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.bulwark.protocol.effect.Effect;
import io.bulwark.protocol.fingerprint.Hashes;
import io.bulwark.protocol.id.PrincipalId;
import io.bulwark.protocol.mutation.PlantedBug;
import io.bulwark.protocol.ordering.OrderingMessage.OrderedQuery;
import io.bulwark.protocol.ordering.OrderingMessage.Query;
import io.bulwark.protocol.ordering.OrderingMessage.Refused;
import io.bulwark.protocol.ordering.OrderingMessage.Reply;
import io.bulwark.protocol.ordering.OrderingMessage.Submit;
import io.bulwark.protocol.ordering.OrderingMessage.ToReplica;
import io.bulwark.protocol.ordering.ReplicatedCall.Agreed;
import io.bulwark.protocol.ordering.ReplicatedCall.Rejected;
import io.bulwark.protocol.ordering.ReplicatedCall.ReplicaState;
import io.bulwark.protocol.ordering.ReplicatedCall.TimedOut;
import io.bulwark.protocol.wire.Bytes;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.SplittableRandom;
import java.util.TreeMap;
import java.util.TreeSet;
import java.util.stream.IntStream;
import org.jspecify.annotations.NullMarked;
import org.junit.jupiter.api.Test;

@NullMarked
class ReplicatedCallTest {
    private static final List<PrincipalId> FOUR =
            IntStream.range(0, 4).mapToObj(PrincipalId::replica).toList();
    private static final Bytes REQUEST = Bytes.of((byte) 1, (byte) 2);
    private static final Bytes RIGHT = Bytes.of((byte) 7);
    private static final Bytes WRONG = Bytes.of((byte) 8);
    private static final Bytes LONG = Bytes.of(new byte[OrderingMessage.SHORT_BYTES_MAX + 1]);
    private static final Bytes OTHER = Bytes.of(new byte[OrderingMessage.SHORT_BYTES_MAX + 2]);
    private static final long TIMEOUT = 10_000;

    private final SplittableRandom random = new SplittableRandom(1);

    @PlantedBug(
            in = ReplicatedCall.class,
            rule = "a command is done at 2f + 1 equal replies",
            replace = "2 * faultyOf(replicas.size()) + 1; return new ReplicatedCall(replicas, needed, new Submit(",
            with = "faultyOf(replicas.size()) + 1; return new ReplicatedCall(replicas, needed, new Submit(")
    @Test
    void aCommandGoesToAllAndIsDoneAtTwoFPlusOneEqualReplies() {
        ReplicatedCall call = ReplicatedCall.command(FOUR, REQUEST, TIMEOUT, random);
        List<Effect> sends = call.start(0);
        assertThat(receivers(sends)).isEqualTo(FOUR);
        long number = ((Submit) request(sends)).call();
        reply(call, 0, number, RIGHT);
        reply(call, 1, number, WRONG);
        reply(call, 2, number, RIGHT);
        assertThat(call.outcome()).isEmpty();
        reply(call, 3, number, RIGHT);
        assertThat(call.outcome()).contains(new Agreed(RIGHT));
        assertThat(call.isFinished()).isTrue();
    }

    @PlantedBug(
            in = ReplicatedCall.class,
            rule = "replies of strangers do not count",
            replace = "|| !answers.containsKey(from)",
            with = "")
    @Test
    void oneReplicaIsCountedOnceAndAStrangerNever() {
        ReplicatedCall call = ReplicatedCall.command(FOUR, REQUEST, TIMEOUT, random);
        long number = request(call.start(0)).call();
        for (int i = 0; i < 3; i++) {
            reply(call, 0, number, RIGHT);
            reply(call, 4 + i, number, RIGHT);
            call.onMessage(1, PrincipalId.node(1), new Reply(number, 1, RIGHT));
        }
        reply(call, 1, number, RIGHT);
        reply(call, 2, number + 1, RIGHT);
        assertThat(call.outcome()).isEmpty();
    }

    @Test
    void allAreAskedAgainWithGrowingPauses() {
        ReplicatedCall call = ReplicatedCall.command(FOUR, REQUEST, TIMEOUT, random);
        ToReplica first = request(call.start(0));
        reply(call, 2, first.call(), RIGHT);
        call.onMessage(1, FOUR.get(0), new Refused(first.call(), CallRefusal.NOT_READY));
        int rounds = 0;
        for (long now = 10; now < TIMEOUT; now += 10) {
            List<Effect> sends = call.onTick(now);
            if (!sends.isEmpty()) {
                rounds++;
                assertThat(receivers(sends)).isEqualTo(FOUR);
                assertThat(anyReplier(request(sends))).isEqualTo(anyReplier(first));
            }
        }
        assertThat(rounds).isBetween(4, 12);
        call.onTick(TIMEOUT);
        assertThat(call.outcome())
                .contains(new TimedOut(new TreeMap<>(Map.of(
                        FOUR.get(0), ReplicaState.NOT_READY,
                        FOUR.get(1), ReplicaState.SILENT,
                        FOUR.get(2), ReplicaState.ANSWERED,
                        FOUR.get(3), ReplicaState.SILENT))));
    }

    @Test
    void callsThatBeganTogetherAreNotSentAgainInStep() {
        long first = ReplicatedCall.RESEND_FIRST_MILLIS;
        TreeSet<Long> pauses = new TreeSet<>();
        for (int i = 0; i < 100; i++) {
            ReplicatedCall call = ReplicatedCall.command(FOUR, REQUEST, TIMEOUT, random);
            call.start(0);
            assertThat(receivers(call.onTick(first))).isEqualTo(FOUR);
            long now = first + 1;
            while (call.onTick(now).isEmpty()) {
                now++;
            }
            pauses.add(now - first);
        }
        // Twice as long as the first one, or up to half less.
        assertThat(pauses.getFirst()).isBetween(first, first + first / 4);
        assertThat(pauses.getLast()).isBetween(2 * first - first / 4, 2 * first);
        assertThat(pauses).hasSizeGreaterThan(50);
    }

    @PlantedBug(
            in = ReplicatedCall.class,
            rule = "a query is done at 2f + 1 equal replies",
            replace = "2 * faultyOf(replicas.size()) + 1; return new ReplicatedCall(replicas, needed, new Query(",
            with = "faultyOf(replicas.size()) + 1; return new ReplicatedCall(replicas, needed, new Query(")
    @PlantedBug(
            in = ReplicatedCall.class,
            rule = "answers to another call do not count",
            replace = "|| answer.call() != request.call()) {",
            with = ") {")
    @Test
    void aQueryOnWhichTheReplicasCannotAgreeIsOrderedAtOnce() {
        ReplicatedCall call = ReplicatedCall.query(FOUR, REQUEST, TIMEOUT, random);
        long number = ((Query) request(call.start(0))).call();
        reply(call, 0, number, RIGHT);
        reply(call, 1, number, WRONG);
        reply(call, 2, number, RIGHT);
        List<Effect> sends = reply(call, 3, number, WRONG);
        OrderedQuery ordered = (OrderedQuery) request(sends);
        assertThat(ordered.query()).isEqualTo(REQUEST);
        assertThat(receivers(sends)).isEqualTo(FOUR);
        reply(call, 0, number, WRONG);
        reply(call, 1, number, WRONG);
        reply(call, 2, number, WRONG);
        assertThat(call.outcome()).as("late answers to the query").isEmpty();
        for (int i = 0; i < 3; i++) {
            reply(call, i, ordered.call(), RIGHT);
        }
        assertThat(call.outcome()).contains(new Agreed(RIGHT));
    }

    @Test
    void aQueryThatTooFewAnswerInTimeIsOrdered() {
        ReplicatedCall call = ReplicatedCall.query(FOUR, REQUEST, TIMEOUT, random);
        long number = request(call.start(0)).call();
        reply(call, 0, number, RIGHT);
        reply(call, 1, number, WRONG);
        assertThat(call.onTick(ReplicatedCall.QUERY_MILLIS - 1)).isEmpty();
        assertThat(request(call.onTick(ReplicatedCall.QUERY_MILLIS))).isInstanceOf(OrderedQuery.class);
    }

    @Test
    void aQueryThatIsNeverToBeOrderedIsAskedAgainUntilTheReplicasAgree() {
        ReplicatedCall call =
                ReplicatedCall.query(FOUR, REQUEST, TIMEOUT, random).withoutOrdering();
        ToReplica first = request(call.start(0));
        for (int i = 0; i < 4; i++) {
            assertThat(reply(call, i, first.call(), i < 2 ? RIGHT : WRONG)).isEmpty();
        }
        int rounds = 0;
        for (long now = 10; now < TIMEOUT - 10; now += 10) {
            List<Effect> sends = call.onTick(now);
            if (!sends.isEmpty()) {
                rounds++;
                assertThat(anyReplier(request(sends))).isEqualTo(anyReplier(first));
            }
        }
        assertThat(rounds).isBetween(4, 12);
        reply(call, 2, first.call(), RIGHT);
        assertThat(call.outcome()).contains(new Agreed(RIGHT));
    }

    @Test
    void aPatientQueryIsAskedAgainForSecondsBeforeItIsOrdered() {
        ReplicatedCall call =
                ReplicatedCall.query(FOUR, REQUEST, TIMEOUT, random).patiently();
        ToReplica first = request(call.start(0));
        for (int i = 0; i < 4; i++) {
            assertThat(reply(call, i, first.call(), i < 2 ? RIGHT : WRONG)).isEmpty();
        }
        int rounds = 0;
        for (long now = 10; now < ReplicatedCall.PATIENT_QUERY_MILLIS; now += 10) {
            List<Effect> sends = call.onTick(now);
            if (!sends.isEmpty()) {
                rounds++;
                assertThat(anyReplier(request(sends))).isEqualTo(anyReplier(first));
            }
        }
        assertThat(rounds).isBetween(3, 8);
        assertThat(request(call.onTick(ReplicatedCall.PATIENT_QUERY_MILLIS))).isInstanceOf(OrderedQuery.class);
    }

    /** Three have answered, and the fourth could still bring agreement: it gets a short while. */
    @Test
    void aQueryThatEnoughAnswerDifferentlyIsOrderedSoon() {
        ReplicatedCall call = ReplicatedCall.query(FOUR, REQUEST, TIMEOUT, random);
        long number = request(call.start(0)).call();
        reply(call, 0, number, RIGHT);
        reply(call, 1, number, WRONG);
        assertThat(reply(call, 2, number, RIGHT)).isEmpty();
        assertThat(call.onTick(ReplicatedCall.DISAGREEMENT_MILLIS)).isEmpty();
        assertThat(request(call.onTick(1 + ReplicatedCall.DISAGREEMENT_MILLIS))).isInstanceOf(OrderedQuery.class);
    }

    @Test
    void aCommandIsNeverSentAsAnotherOneHoweverTheRepliesDiffer() {
        ReplicatedCall call = ReplicatedCall.command(FOUR, REQUEST, TIMEOUT, random);
        ToReplica first = request(call.start(0));
        for (int replica = 0; replica < 4; replica++) {
            assertThat(reply(call, replica, first.call(), replica < 2 ? RIGHT : WRONG))
                    .isEmpty();
        }
        assertThat(call.onTick(ReplicatedCall.RESEND_FIRST_MILLIS - 1)).isEmpty();
        assertThat(anyReplier(request(call.onTick(ReplicatedCall.RESEND_FIRST_MILLIS))))
                .isEqualTo(anyReplier(first));
    }

    @Test
    void ofSevenReplicasFiveDecide() {
        List<PrincipalId> seven =
                IntStream.range(0, 7).mapToObj(PrincipalId::replica).toList();
        for (boolean query : new boolean[] {false, true}) {
            ReplicatedCall call = query
                    ? ReplicatedCall.query(seven, REQUEST, TIMEOUT, random)
                    : ReplicatedCall.command(seven, REQUEST, TIMEOUT, random);
            long number = request(call.start(0)).call();
            for (int replica = 0; replica < 5; replica++) {
                assertThat(call.outcome()).isEmpty();
                assertThat(call.isFinished()).isFalse();
                reply(call, replica, number, RIGHT);
            }
            assertThat(call.outcome()).contains(new Agreed(RIGHT));
        }
    }

    @Test
    void whatAReplicaHasAnsweredARefusalDoesNotUnsay() {
        ReplicatedCall call = ReplicatedCall.command(FOUR, REQUEST, TIMEOUT, random);
        long number = request(call.start(0)).call();
        reply(call, 0, number, RIGHT);
        reply(call, 1, number, RIGHT);
        call.onMessage(1, FOUR.get(0), new Refused(number, CallRefusal.NOT_READY));
        reply(call, 2, number, RIGHT);
        assertThat(call.outcome()).contains(new Agreed(RIGHT));
        assertThat(call.onTick(TIMEOUT)).isEmpty();
        assertThat(call.outcome()).as("it is over").contains(new Agreed(RIGHT));
    }

    @PlantedBug(
            in = ReplicatedCall.class,
            rule = "only replies of one incarnation count together",
            replace = "return incarnation == other.incarnation && digest.equals(other.digest);",
            with = "return digest.equals(other.digest);")
    @Test
    void repliesOfDifferentIncarnationsAreNotCountedTogether() {
        ReplicatedCall call = ReplicatedCall.command(FOUR, REQUEST, TIMEOUT, random);
        long number = request(call.start(0)).call();
        reply(call, 0, number, RIGHT);
        reply(call, 1, number, RIGHT);
        call.onMessage(1, FOUR.get(2), new Reply(number, 2, RIGHT));
        call.onMessage(1, FOUR.get(3), new Reply(number, 2, RIGHT));
        assertThat(call.outcome()).isEmpty();
        call.onMessage(2, FOUR.get(0), new Reply(number, 2, RIGHT));
        assertThat(call.outcome()).contains(new Agreed(RIGHT));
    }

    @PlantedBug(
            in = ReplicatedCall.class,
            rule = "f + 1 replicas must say that a request failed",
            replace = "count(CallRefusal.FAILED) > faulty",
            with = "count(CallRefusal.FAILED) >= faulty")
    @Test
    void oneLiarCannotRejectACall() {
        ReplicatedCall call = ReplicatedCall.command(FOUR, REQUEST, TIMEOUT, random);
        long number = request(call.start(0)).call();
        call.onMessage(1, FOUR.get(0), new Refused(number, CallRefusal.FAILED));
        assertThat(call.outcome()).isEmpty();
        call.onMessage(1, FOUR.get(1), new Refused(number, CallRefusal.FAILED));
        assertThat(call.outcome()).contains(new Rejected());
    }

    @Test
    void aReplicaThatCorrectsItselfIsCountedWithItsLastAnswer() {
        ReplicatedCall call = ReplicatedCall.command(FOUR, REQUEST, TIMEOUT, random);
        long number = request(call.start(0)).call();
        reply(call, 0, number, RIGHT);
        reply(call, 1, number, RIGHT);
        reply(call, 2, number, WRONG);
        reply(call, 3, number, WRONG);
        assertThat(receivers(call.onTick(ReplicatedCall.RESEND_FIRST_MILLIS))).isEqualTo(FOUR);
        reply(call, 3, number, RIGHT);
        assertThat(call.outcome()).contains(new Agreed(RIGHT));
    }

    @Test
    void groupsAreThreeFPlusOne() {
        assertThat(ReplicatedCall.faultyOf(1)).isZero();
        assertThat(ReplicatedCall.faultyOf(7)).isEqualTo(2);
        assertThatThrownBy(() -> ReplicatedCall.faultyOf(5)).isInstanceOf(IllegalArgumentException.class);
    }

    @Test
    void eachReplicaIsNamedToSendTheWholeReplyAndAnotherOneWhenTheCallIsSentAgain() {
        Set<Integer> named = new TreeSet<>();
        for (int i = 0; i < 100; i++) {
            ReplicatedCall call = ReplicatedCall.command(FOUR, REQUEST, TIMEOUT, random);
            int first = request(call.start(0)).replier();
            named.add(first);
            assertThat(request(call.onTick(ReplicatedCall.RESEND_FIRST_MILLIS)).replier())
                    .isNotEqualTo(first)
                    .isBetween(0, 3);
        }
        assertThat(named).containsExactly(0, 1, 2, 3);
    }

    @Test
    void aLongReplyAndTwoDigestsOfItAgreeInAnyOrder() {
        for (int order = 0; order < 3; order++) {
            ReplicatedCall call = ReplicatedCall.command(FOUR, REQUEST, TIMEOUT, random);
            ToReplica asked = request(call.start(0));
            for (int i = 0; i < 3; i++) {
                assertThat(call.outcome()).isEmpty();
                int replica = (asked.replier() + order + i) % 4;
                call.onMessage(1, FOUR.get(replica), said(asked.call(), LONG).by(replica, asked.replier()));
            }
            // The one to send all of it may be the one that has not been heard yet.
            call.onMessage(1, FOUR.get(asked.replier()), said(asked.call(), LONG));
            assertThat(call.outcome()).contains(new Agreed(LONG));
            assertThat(call.late()).isEmpty();
        }
    }

    @Test
    void aWholeReplyThatTheDigestsAreNotOfCountsNothingAndAnotherReplicaIsAsked() {
        ReplicatedCall call = ReplicatedCall.command(FOUR, REQUEST, TIMEOUT, random);
        ToReplica asked = request(call.start(0));
        PrincipalId liar = FOUR.get(asked.replier());
        call.onMessage(1, liar, said(asked.call(), OTHER));
        for (int replica = 0; replica < 4; replica++) {
            if (replica != asked.replier()) {
                call.onMessage(1, FOUR.get(replica), said(asked.call(), LONG).by(replica, asked.replier()));
            }
        }
        assertThat(call.outcome()).isEmpty();
        assertThat(call.onTick(ReplicatedCall.REPLIER_MILLIS)).isEmpty();
        List<Effect> again = call.onTick(1 + ReplicatedCall.REPLIER_MILLIS);
        assertThat(again).hasSize(1);
        PrincipalId next = PrincipalId.replica(request(again).replier());
        assertThat(receivers(again)).containsExactly(next);
        assertThat(next).isNotEqualTo(liar);
        assertThat(request(again).call()).isEqualTo(asked.call());
        assertThat(call.late()).containsExactly(liar);
        call.onMessage(50, liar, said(asked.call(), OTHER));
        assertThat(call.outcome()).isEmpty();
        call.onMessage(50, next, said(asked.call(), LONG));
        assertThat(call.outcome()).contains(new Agreed(LONG));
    }

    @Test
    void liarsThatWithholdTheReplyAreAskedOnceEach() {
        List<PrincipalId> seven =
                IntStream.range(0, 7).mapToObj(PrincipalId::replica).toList();
        ReplicatedCall call = ReplicatedCall.query(seven, REQUEST, TIMEOUT, random);
        ToReplica asked = request(call.start(0));
        for (int replica = 0; replica < 6; replica++) {
            call.onMessage(1, seven.get(replica), said(asked.call(), LONG).by(replica, 99));
        }
        Set<PrincipalId> named = new TreeSet<>(List.of(seven.get(asked.replier())));
        long now = 1;
        for (int i = 0; i < 3; i++) {
            now += ReplicatedCall.REPLIER_MILLIS;
            List<Effect> again = call.onTick(now);
            assertThat(request(again)).isInstanceOf(Query.class);
            assertThat(named.add(receivers(again).getFirst())).isTrue();
            assertThat(call.outcome()).isEmpty();
        }
        call.onMessage(now, seven.get(3), said(asked.call(), LONG));
        assertThat(call.outcome()).contains(new Agreed(LONG));
    }

    @Test
    void aDigestTakesNoReplyBackAndWhoWasLateIsNotNamed() {
        ReplicatedCall call = ReplicatedCall.command(FOUR, REQUEST, TIMEOUT, random)
                .avoidRepliers(Set.of(FOUR.get(0), FOUR.get(1), FOUR.get(3)));
        ToReplica asked = request(call.start(0));
        assertThat(asked.replier()).isEqualTo(2);
        call.onMessage(1, FOUR.get(2), said(asked.call(), LONG));
        call.onMessage(1, FOUR.get(2), said(asked.call(), LONG).by(2, 0));
        call.onMessage(1, FOUR.get(0), said(asked.call(), LONG).by(0, 2));
        assertThat(call.outcome()).isEmpty();
        call.onMessage(1, FOUR.get(1), said(asked.call(), LONG).by(1, 2));
        assertThat(call.outcome()).contains(new Agreed(LONG));
    }

    @Test
    void onlyLongRepliesAreReplacedByTheirDigest() {
        Bytes longest = Bytes.of(new byte[OrderingMessage.SHORT_BYTES_MAX]);
        assertThat(said(1, longest).by(0, 1)).isEqualTo(said(1, longest));
        assertThat(said(1, LONG).by(1, 1)).isEqualTo(said(1, LONG));
        assertThat(said(1, LONG).by(0, OrderingMessage.ALL)).isEqualTo(said(1, LONG));
        assertThat(said(1, LONG).by(0, 1)).isEqualTo(new OrderingMessage.ReplyDigest(1, 1, Hashes.sha256(LONG)));
    }

    private static Reply said(long number, Bytes reply) {
        return new Reply(number, 1, reply);
    }

    private static ToReplica anyReplier(ToReplica request) {
        return request.withReplier(OrderingMessage.ALL);
    }

    private static List<Effect> reply(ReplicatedCall call, int replica, long number, Bytes reply) {
        return call.onMessage(1, PrincipalId.replica(replica), new Reply(number, 1, reply));
    }

    private static List<PrincipalId> receivers(List<Effect> sends) {
        return sends.stream().map(send -> ((Effect.Send) send).to()).toList();
    }

    private static ToReplica request(List<Effect> sends) {
        return (ToReplica) ((Effect.Send) sends.getFirst()).message();
    }
}
