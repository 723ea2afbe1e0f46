package io.bulwark.protocol.ordering;

import static io.bulwark.protocol.ordering.membership.Proofs.GENESIS;
import static io.bulwark.protocol.ordering.membership.Proofs.OPERATOR;
import static io.bulwark.protocol.ordering.membership.Proofs.handover;
import static io.bulwark.protocol.ordering.membership.Proofs.member;
import static io.bulwark.protocol.ordering.membership.Proofs.proof;
import static io.bulwark.protocol.ordering.membership.Proofs.successor;
import static org.assertj.core.api.Assertions.assertThat;

import io.bulwark.protocol.effect.Effect;
import io.bulwark.protocol.id.PrincipalId;
import io.bulwark.protocol.mutation.PlantedBug;
import io.bulwark.protocol.ordering.OrderingMessage.Reply;
import io.bulwark.protocol.ordering.OrderingMessage.ToReplica;
import io.bulwark.protocol.ordering.ReplicatedCall.Agreed;
import io.bulwark.protocol.ordering.membership.Configuration;
import io.bulwark.protocol.ordering.membership.ConfigurationChain;
import io.bulwark.protocol.ordering.membership.HandoverProof;
import io.bulwark.protocol.ordering.membership.MembershipMessage.AskSuccessor;
import io.bulwark.protocol.ordering.membership.MembershipMessage.Successor;
import io.bulwark.protocol.ordering.membership.TestSignatures;
import io.bulwark.protocol.wire.Bytes;
import java.util.List;
import java.util.SplittableRandom;
import org.jspecify.annotations.NullMarked;
import org.junit.jupiter.api.Test;

/** A client and replicas that change (decision 20). */
@NullMarked
class GroupCallTest {
    private static final Configuration NEXT = GENESIS.replacing(2, member(4));
    private static final HandoverProof PROOF = proof(GENESIS, handover(GENESIS, NEXT), 0, 1, 3);
    private static final Bytes RIGHT = Bytes.of((byte) 7);

    private final ConfigurationChain configurationChain =
            new ConfigurationChain(GENESIS, new TestSignatures(PrincipalId.replica(0)), OPERATOR);
    private final SplittableRandom random = new SplittableRandom(1);
    private long number;

    private GroupCall begun() {
        GroupCall call = new GroupCall(
                configurationChain,
                ReplicatedCall.command(
                        configurationChain.configuration().replicas(), Bytes.of((byte) 1), 60_000, random));
        List<Effect> sends = call.start(0);
        assertThat(receivers(sends))
                .isEqualTo(configurationChain.configuration().replicas());
        number = ((ToReplica) ((Effect.Send) sends.getFirst()).message()).call();
        return call;
    }

    private static List<PrincipalId> receivers(List<Effect> sends) {
        return sends.stream().map(send -> ((Effect.Send) send).to()).toList();
    }

    private List<Effect> reply(GroupCall call, int replica, long configuration) {
        return call.onMessage(
                1, PrincipalId.replica(replica), new Reply(number, Configuration.incarnationOf(configuration), RIGHT));
    }

    @Test
    void repliesOfTheConfigurationThatItKnowsCount() {
        GroupCall call = begun();
        reply(call, 0, 0);
        reply(call, 1, 0);
        assertThat(call.isFinished()).isFalse();
        reply(call, 3, 0);
        assertThat(call.outcome()).contains(new Agreed(RIGHT));
    }

    @PlantedBug(
            in = GroupCall.class,
            rule = "only replies of known replicas count",
            replace = "if (configuration == number) {",
            with = "if (configuration >= number) {")
    @Test
    void aLaterOneIsAskedForAndThenItsReplicas() {
        GroupCall call = begun();
        assertThat(reply(call, 0, 1)).containsExactly(new Effect.Send(PrincipalId.replica(0), 0, new AskSuccessor(0)));
        reply(call, 1, 1);
        reply(call, 3, 1);
        assertThat(call.isFinished()).as("whose replicas it does not know").isFalse();
        List<Effect> sends = call.onMessage(2, PrincipalId.replica(0), successor(PROOF));
        assertThat(receivers(sends)).containsExactlyInAnyOrderElementsOf(NEXT.replicas());
        reply(call, 0, 1);
        reply(call, 2, 1);
        reply(call, 3, 1);
        assertThat(call.isFinished()).as("one of them is out").isFalse();
        reply(call, 4, 1);
        assertThat(call.outcome()).contains(new Agreed(RIGHT));
    }

    @PlantedBug(
            in = GroupCall.class,
            rule = "only replies of one configuration count together",
            replace = "if (configuration == number) {",
            with = "if (configuration <= number) {")
    @Test
    void whatWasSaidInTheOneOfBeforeDoesNotCountAnyMore() {
        GroupCall call = begun();
        reply(call, 0, 0);
        reply(call, 1, 0);
        call.onMessage(2, PrincipalId.replica(3), successor(PROOF));
        reply(call, 3, 0);
        reply(call, 0, 0);
        reply(call, 1, 0);
        reply(call, 3, 1);
        assertThat(call.isFinished()).isFalse();
    }

    @Test
    void allItsCallsFollowWhatOneHasLearned() {
        GroupCall one = begun();
        GroupCall other = begun();
        one.onMessage(2, PrincipalId.replica(0), successor(PROOF));
        assertThat(receivers(other.onTick(10))).contains(PrincipalId.replica(4));
        assertThat(receivers(other.onTick(20))).isEmpty();
    }

    @Test
    void aForgedProofChangesNothing() {
        GroupCall call = begun();
        HandoverProof forged = proof(GENESIS, handover(GENESIS, GENESIS.replacing(1, member(9))), 0, 1);
        assertThat(call.onMessage(2, PrincipalId.replica(1), successor(forged))).isEmpty();
        assertThat(configurationChain.term().number()).isZero();
    }

    /** A liar may leave the authorization out; the next replica is not kept waiting by it. */
    @Test
    void aProofWithoutAMandateIsNotFollowedAndAnotherReplicasIs() {
        GroupCall call = begun();
        call.onMessage(2, PrincipalId.replica(0), new Successor(PROOF, Bytes.EMPTY));
        call.onMessage(2, PrincipalId.replica(1), new Successor(PROOF, GENESIS.digest()));
        assertThat(configurationChain.term().number()).isZero();
        call.onMessage(2, PrincipalId.replica(0), successor(PROOF));
        assertThat(configurationChain.term().number()).isEqualTo(1);
    }

    /** A liar costs an occasional check, however many calls he may answer, and blocks no other sender. */
    @Test
    void aFloodOfProofsIsNotChecked() {
        GroupCall call = begun();
        GroupCall other = begun();
        HandoverProof forged = proof(GENESIS, handover(GENESIS, GENESIS.replacing(1, member(9))), 0, 1);
        call.onMessage(2, PrincipalId.replica(1), successor(forged));
        other.onMessage(21, PrincipalId.replica(1), successor(PROOF));
        assertThat(configurationChain.term().number()).isZero();
        call.onMessage(21, PrincipalId.replica(2), successor(PROOF));
        assertThat(configurationChain.term().number()).isEqualTo(1);
    }

    @Test
    void whoIsFarBehindWaitsForNoCheck() {
        GroupCall call = begun();
        HandoverProof second = proof(NEXT, handover(NEXT, NEXT.replacing(0, member(5))), 1, 2, 3);
        call.onMessage(2, PrincipalId.replica(1), successor(PROOF));
        call.onMessage(2, PrincipalId.replica(1), successor(second));
        assertThat(configurationChain.term().number()).isEqualTo(2);
    }

    @Test
    void whoGetsNoAnswerAsksWhetherItKnowsTheRightOnes() {
        GroupCall call = begun();
        assertThat(call.onTick(GroupCall.ASK_MILLIS))
                .contains(new Effect.Send(PrincipalId.replica(2), 0, new AskSuccessor(0)));
    }

    /** A thousand calls that wait for busy replicas must not keep them busy. */
    @Test
    void aCallThatWaitsAsksForSuccessorsMoreAndMoreSeldom() {
        GroupCall call = begun();
        long asked = 0;
        for (long now = 10; now < 60_000; now += 10) {
            asked += call.onTick(now).stream()
                    .filter(send -> ((Effect.Send) send).message() instanceof AskSuccessor)
                    .count();
        }
        assertThat(asked / 4).as("after 1, 3, 7, 15, 31, 47 s").isEqualTo(6);
    }
}
