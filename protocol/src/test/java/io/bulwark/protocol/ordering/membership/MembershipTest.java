package io.bulwark.protocol.ordering.membership;

import static io.bulwark.protocol.ordering.membership.Proofs.GENESIS;
import static io.bulwark.protocol.ordering.membership.Proofs.OPERATOR;
import static io.bulwark.protocol.ordering.membership.Proofs.handover;
import static io.bulwark.protocol.ordering.membership.Proofs.member;
import static io.bulwark.protocol.ordering.membership.Proofs.proof;
import static io.bulwark.protocol.ordering.membership.Proofs.successor;
import static org.assertj.core.api.Assertions.assertThat;

import io.bulwark.protocol.fingerprint.Hashes;
import io.bulwark.protocol.id.PrincipalId;
import io.bulwark.protocol.mutation.PlantedBug;
import io.bulwark.protocol.ordering.membership.MembershipMessage.AskSuccessor;
import io.bulwark.protocol.ordering.membership.MembershipMessage.Ended;
import io.bulwark.protocol.ordering.membership.MembershipMessage.Successor;
import io.bulwark.protocol.ordering.message.ReplicaMessage.Numbered;
import io.bulwark.protocol.wire.Bytes;
import java.util.List;
import java.util.stream.IntStream;
import org.jspecify.annotations.NullMarked;
import org.junit.jupiter.api.Test;

/** Tests the transition of replicas from one configuration to the next (decision 20). */
@NullMarked
class MembershipTest {
    private static final Configuration NEXT = GENESIS.replacing(2, member(4));
    private static final Handover HANDOVER = handover(GENESIS, NEXT);
    private static final HandoverProof PROOF = proof(GENESIS, HANDOVER, 0, 1, 3);

    private static PrincipalId replica(int number) {
        return PrincipalId.replica(number);
    }

    private static Membership membership(int number) {
        Signatures keys = new TestSignatures(replica(number));
        return new Membership(replica(number), new ConfigurationChain(GENESIS, keys, OPERATOR), keys);
    }

    private static Ended ended(int number, Handover handover) {
        Bytes signature = TestSignatures.signature(replica(number), handover.content());
        return new Ended(handover.next().number() - 1, handover.checkpoint(), signature);
    }

    private static List<HandoverProof> advances(List<MembershipEffect> effects) {
        return effects.stream()
                .filter(MembershipEffect.Advance.class::isInstance)
                .map(effect -> ((MembershipEffect.Advance) effect).said().proof())
                .toList();
    }

    private static List<MembershipMessage> sentTo(PrincipalId to, List<MembershipEffect> effects) {
        return effects.stream()
                .filter(effect -> effect instanceof MembershipEffect.Send send
                        && send.to().equals(to))
                .map(effect -> ((MembershipEffect.Send) effect).message())
                .toList();
    }

    @Test
    void itGoesOnWhenTwoFPlusOneHaveSignedTheSame() {
        Membership one = membership(1);
        one.onEnded(0, HANDOVER, NEXT.digest());
        assertThat(sentTo(replica(2), one.drain())).containsExactly(ended(1, HANDOVER));
        one.onMessage(10, replica(0), ended(0, HANDOVER));
        assertThat(advances(one.drain())).isEmpty();
        one.onMessage(20, replica(2), ended(2, HANDOVER));
        List<MembershipEffect> effects = one.drain();
        HandoverProof made = proof(GENESIS, HANDOVER, 0, 1, 2);
        assertThat(advances(effects)).containsExactly(made);
        assertThat(one.term()).isEqualTo(new ConfigurationStart(NEXT, HANDOVER.checkpoint()));
        assertThat(one.place()).isEqualTo(1);
        IntStream.of(0, 2, 3)
                .forEach(other -> assertThat(sentTo(replica(other), effects)).containsExactly(successor(made)));
    }

    @Test
    void whatOthersSignedEarlierCounts() {
        Membership one = membership(1);
        one.onMessage(0, replica(0), ended(0, HANDOVER));
        one.onMessage(0, replica(3), ended(3, HANDOVER));
        assertThat(one.drain()).isEmpty();
        one.onEnded(10, HANDOVER, NEXT.digest());
        assertThat(advances(one.drain())).containsExactly(PROOF);
    }

    @PlantedBug(
            in = Membership.class,
            rule = "signatures on a handover that others send are checked",
            replace = "claim.checkpoint().equals(own.checkpoint()) && keys.verify(member, "
                    + "own.content(), claim.signature())",
            with = "place >= 0")
    @Test
    void otherSignaturesDoNotCount() {
        Membership one = membership(1);
        one.onEnded(0, HANDOVER, NEXT.digest());
        Handover other = new Handover(HANDOVER.previous(), new Numbered(16, Hashes.sha256(Bytes.EMPTY)), NEXT);
        one.onMessage(100, replica(0), ended(0, other));
        one.onMessage(200, replica(3), ended(0, HANDOVER));
        one.onMessage(300, replica(1), ended(1, HANDOVER));
        one.onMessage(400, replica(7), ended(7, HANDOVER));
        assertThat(advances(one.drain())).isEmpty();
        one.onMessage(500, replica(0), ended(0, HANDOVER));
        one.onMessage(500, replica(3), ended(3, HANDOVER));
        assertThat(advances(one.drain())).containsExactly(PROOF);
    }

    @Test
    void itRepeatsWhatMayBeLost() {
        Membership one = membership(1);
        one.onEnded(0, HANDOVER, NEXT.digest());
        var _ = one.drain();
        one.onTick(100);
        assertThat(one.drain()).isEmpty();
        one.onTick(250);
        assertThat(sentTo(replica(0), one.drain())).containsExactly(ended(1, HANDOVER));
    }

    @Test
    void whoHasNotComeToTheEndGoesOnWithTheProof() {
        Membership late = membership(3);
        late.onMessage(0, replica(1), successor(PROOF));
        assertThat(advances(late.drain())).containsExactly(PROOF);
        assertThat(late.place()).isEqualTo(3);
        late.onEnded(10, HANDOVER, NEXT.digest());
        assertThat(late.drain()).as("that configuration is over").isEmpty();
    }

    @Test
    void aForgedProofIsNone() {
        Membership late = membership(3);
        Handover forged = handover(GENESIS, GENESIS.replacing(2, member(9)));
        late.onMessage(0, replica(1), successor(proof(GENESIS, forged, 0, 1)));
        late.onMessage(100, replica(1), successor(new HandoverProof(forged, PROOF.signatures())));
        assertThat(late.drain()).isEmpty();
        assertThat(late.term().number()).isZero();
    }

    /** An intruder may have collected 2f+1 signatures. */
    @PlantedBug(
            in = ConfigurationChain.class,
            rule = "a new configuration needs the operator's word",
            replace = "&& authorizations.name(term.configuration(), proof.handover().next(), said.authorization())",
            with = "")
    @Test
    void whatNoOperatorHasNamedIsNotFollowed() {
        Membership late = membership(3);
        late.onMessage(0, replica(1), new Successor(PROOF, Bytes.EMPTY));
        late.onMessage(0, replica(1), new Successor(PROOF, GENESIS.digest()));
        assertThat(late.drain()).isEmpty();
        assertThat(late.term().number()).isZero();
        late.onMessage(20, replica(1), successor(PROOF));
        assertThat(advances(late.drain())).containsExactly(PROOF);
    }

    /**
     * The replica has executed the operator's command; a mandate that a liar invents must not reach others through it.
     */
    @Test
    void whoHasComeToTheSameEndNeedsNoMandateAndPassesOnItsOwn() {
        for (Bytes said : List.of(Bytes.EMPTY, GENESIS.digest())) {
            Membership one = membership(3);
            one.onEnded(0, HANDOVER, NEXT.digest());
            one.onMessage(10, replica(1), new Successor(PROOF, said));
            List<MembershipEffect> effects = one.drain();
            assertThat(advances(effects)).containsExactly(PROOF);
            assertThat(sentTo(replica(0), effects))
                    .contains(successor(PROOF))
                    .doesNotContain(new Successor(PROOF, said));
            assertThat(one.successorOf(20, PrincipalId.client(7), 0)).contains(successor(PROOF));
        }
        Membership other = membership(3);
        Handover elsewhere = handover(GENESIS, GENESIS.replacing(1, member(9)));
        other.onEnded(0, HANDOVER, NEXT.digest());
        other.onMessage(10, replica(1), new Successor(proof(GENESIS, elsewhere, 0, 1, 2), Bytes.EMPTY));
        assertThat(advances(other.drain())).as("its own end is another one").isEmpty();
    }

    @Test
    void whoWasRemovedGivesTheProofAndNothingElse() {
        Membership gone = membership(2);
        gone.onEnded(0, HANDOVER, NEXT.digest());
        gone.onMessage(20, replica(0), ended(0, HANDOVER));
        gone.onMessage(40, replica(1), ended(1, HANDOVER));
        assertThat(advances(gone.drain())).hasSize(1);
        assertThat(gone.place()).isNegative();
        gone.onMessage(60, replica(3), ended(3, HANDOVER));
        assertThat(sentTo(replica(3), gone.drain())).containsExactly(successor(proof(GENESIS, HANDOVER, 0, 1, 2)));
    }

    @Test
    void whoIsAddedAsksUntilHeHasAPlace() {
        Membership added = membership(4);
        added.onTick(0);
        assertThat(sentTo(replica(0), added.drain())).containsExactly(new AskSuccessor(0));
        added.onMessage(10, replica(0), successor(PROOF));
        assertThat(advances(added.drain())).containsExactly(PROOF);
        assertThat(added.place()).isEqualTo(2);
        added.onTick(1_000);
        assertThat(added.drain()).isEmpty();
    }

    /** It lost the proofs, and not what it has promised: it is in no configuration but the one that it was in. */
    @Test
    void whoHasPromisedInALaterConfigurationAsksForIt() {
        Signatures keys = new TestSignatures(replica(1));
        Membership one = new Membership(replica(1), new ConfigurationChain(GENESIS, keys, OPERATOR), keys, 1);
        assertThat(one.place()).isEqualTo(-1);
        one.onTick(0);
        assertThat(sentTo(replica(0), one.drain())).containsExactly(new AskSuccessor(0));
        one.onMessage(10, replica(0), successor(PROOF));
        assertThat(advances(one.drain())).containsExactly(PROOF);
        assertThat(one.place()).isEqualTo(1);
        one.onTick(1_000);
        assertThat(one.drain()).isEmpty();
    }

    @Test
    void whoSpeaksInAConfigurationThatIsOverIsToldAndWhoIsAheadIsAsked() {
        Membership one = membership(1);
        one.onOther(0, replica(3), 1);
        assertThat(sentTo(replica(3), one.drain())).containsExactly(new AskSuccessor(0));
        one.onMessage(50, replica(0), successor(PROOF));
        var _ = one.drain();
        one.onOther(100, replica(3), 0);
        assertThat(sentTo(replica(3), one.drain())).containsExactly(successor(PROOF));
        PrincipalId client = PrincipalId.client(7);
        assertThat(one.successorOf(200, client, 1)).isEmpty();
        assertThat(one.successorOf(200, client, 0)).contains(successor(PROOF));
    }

    /** The limit holds for any questions, alternating or in sequence, and both for replica messages and for calls. */
    @Test
    void aFloodOfQuestionsIsNotAnswered() {
        Membership one = membership(1);
        HandoverProof second = proof(NEXT, handover(NEXT, NEXT.replacing(0, member(5))), 1, 2, 3);
        one.onMessage(0, replica(0), successor(PROOF));
        one.onMessage(0, replica(3), successor(second));
        var _ = one.drain();
        PrincipalId flooding = replica(3);
        int answers = 0;
        for (long i = 0; i < 4_000; i++) {
            long now = 1_000 + i / 4;
            answers += one.successorOf(now, flooding, i % 2).isPresent() ? 1 : 0;
            one.onOther(now, flooding, i % 2);
            one.onMessage(now, flooding, new AskSuccessor(i % 2));
            answers += sentTo(flooding, one.drain()).size();
        }
        assertThat(answers).as("in a second").isEqualTo(64 + 49);
        assertThat(one.successorOf(2_000, PrincipalId.client(8), 0)).contains(successor(PROOF));
        assertThat(one.successorOf(2_020, flooding, 0)).contains(successor(PROOF));
    }

    @Test
    void whoIsFarBehindWaitsForNoAnswer() {
        Membership one = membership(1);
        Configuration last = NEXT.replacing(0, member(5));
        HandoverProof second = proof(NEXT, handover(NEXT, last), 1, 2, 3);
        one.onMessage(0, replica(0), successor(PROOF));
        one.onMessage(0, replica(3), successor(second));
        PrincipalId client = PrincipalId.client(7);
        assertThat(one.successorOf(100, client, 0)).contains(successor(PROOF));
        assertThat(one.successorOf(100, client, 1)).contains(successor(second));
    }

    @Test
    void aFloodOfProofsIsNotChecked() {
        int[] checks = new int[1];
        Signatures counting = new Signatures() {
            @Override
            public Bytes sign(Bytes content) {
                return Bytes.EMPTY;
            }

            @Override
            public boolean verify(Member member, Bytes content, Bytes signature) {
                checks[0]++;
                return false;
            }
        };
        Membership one = new Membership(replica(1), new ConfigurationChain(GENESIS, counting, OPERATOR), counting);
        for (int i = 0; i < 100; i++) {
            one.onMessage(i / 5, replica(0), successor(PROOF));
        }
        assertThat(checks[0]).isEqualTo(1);
    }
}
