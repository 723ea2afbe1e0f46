package io.bulwark.protocol.ordering.membership;

import static io.bulwark.protocol.ordering.membership.Proofs.GENESIS;
import static io.bulwark.protocol.ordering.membership.Proofs.OPERATOR;
import static io.bulwark.protocol.ordering.membership.Proofs.handover;
import static io.bulwark.protocol.ordering.membership.Proofs.member;
import static io.bulwark.protocol.ordering.membership.Proofs.proof;
import static io.bulwark.protocol.ordering.membership.Proofs.successor;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.bulwark.protocol.fingerprint.Hashes;
import io.bulwark.protocol.id.PrincipalId;
import io.bulwark.protocol.mutation.PlantedBug;
import io.bulwark.protocol.ordering.message.ReplicaMessage.Numbered;
import io.bulwark.protocol.wire.Bytes;
import java.util.ArrayList;
import java.util.List;
import org.jspecify.annotations.NullMarked;
import org.junit.jupiter.api.Test;

/** Tests the proof that a configuration has ended (decision 20). */
@NullMarked
class HandoverProofTest {
    private static final Signatures KEYS = new TestSignatures(PrincipalId.replica(0));
    private static final Configuration NEXT = GENESIS.replacing(2, member(4));
    private static final Handover HANDOVER = handover(GENESIS, NEXT);

    private static boolean proves(HandoverProof proof) {
        return proof.proves(GENESIS, KEYS);
    }

    @PlantedBug(
            in = HandoverProof.class,
            rule = "a handover needs 2f + 1 signatures",
            replace = "places.size() >= ended.quorum()",
            with = "places.size() >= ended.quorum() - 1")
    @Test
    void twoFPlusOneAreEnough() {
        assertThat(proves(proof(GENESIS, HANDOVER, 0, 1, 3))).isTrue();
        assertThat(proves(proof(GENESIS, HANDOVER, 0, 1, 2))).isTrue();
        assertThat(proves(proof(GENESIS, HANDOVER, 0, 1, 2, 3))).isTrue();
        assertThat(proves(proof(GENESIS, HANDOVER, 0, 1))).isFalse();
        assertThat(proves(proof(GENESIS, HANDOVER))).isFalse();
    }

    @PlantedBug(
            in = HandoverProof.class,
            rule = "a replica signs a handover once",
            replace = "place <= before ||",
            with = "")
    @Test
    void nobodyCountsTwiceAndNobodyElseCounts() {
        assertThat(proves(proof(GENESIS, HANDOVER, 0, 1, 1))).isFalse();
        assertThat(proves(proof(GENESIS, HANDOVER, 3, 1, 0))).isFalse();
        HandoverProof good = proof(GENESIS, HANDOVER, 0, 1, 3);
        List<HandoverProof.Signed> beyond = new ArrayList<>(good.signatures().subList(0, 2));
        beyond.add(new HandoverProof.Signed(4, good.signatures().get(2).signature()));
        assertThat(proves(new HandoverProof(HANDOVER, beyond))).isFalse();
    }

    @PlantedBug(
            in = HandoverProof.class,
            rule = "the signatures of a handover are checked",
            replace = "if (!keys.verify(",
            with = "if (content.isEmpty() && !keys.verify(")
    @Test
    void eachSignatureIsItsReplicasOfThis() {
        HandoverProof good = proof(GENESIS, HANDOVER, 0, 1, 3);
        List<HandoverProof.Signed> forged = new ArrayList<>(good.signatures());
        forged.set(1, new HandoverProof.Signed(1, good.signatures().get(0).signature()));
        assertThat(proves(new HandoverProof(HANDOVER, forged))).isFalse();
        Handover other =
                new Handover(HANDOVER.previous(), new Numbered(8, Hashes.sha256(Bytes.EMPTY)), HANDOVER.next());
        assertThat(proves(new HandoverProof(other, good.signatures()))).isFalse();
        Handover elsewhere = new Handover(HANDOVER.previous(), HANDOVER.checkpoint(), GENESIS.replacing(2, member(5)));
        assertThat(proves(new HandoverProof(elsewhere, good.signatures()))).isFalse();
    }

    @PlantedBug(
            in = HandoverProof.class,
            rule = "a handover is for one group",
            replace = "|| !handover.previous().equals(ended.digest())",
            with = "")
    @Test
    void itIsOfThisConfigurationAndOfTheNextNumber() {
        Configuration otherGroup = GENESIS.replacing(3, member(9));
        Handover elsewhere = new Handover(otherGroup.digest(), HANDOVER.checkpoint(), NEXT);
        assertThat(proves(proof(GENESIS, elsewhere, 0, 1, 3))).isFalse();
        Configuration later = new Configuration(2, NEXT.members());
        assertThat(proves(proof(GENESIS, handover(GENESIS, later), 0, 1, 3))).isFalse();
        Configuration same = new Configuration(0, NEXT.members());
        assertThat(proves(proof(GENESIS, handover(GENESIS, same), 0, 1, 3))).isFalse();
    }

    /**
     * Change from seven replicas to four: two liars and three that leave would be five signatures, and no staying
     * replica had the state.
     */
    @PlantedBug(
            in = HandoverProof.class,
            rule = "f + 1 of the replicas that stay must have signed a handover",
            replace = "&& staying > next.faulty()",
            with = "")
    @Test
    void fPlusOneOfThoseWhoStayHaveSigned() {
        Configuration seven = Configuration.fixed(2);
        Configuration four = new Configuration(1, seven.members().subList(0, 4));
        Handover shrinks = handover(seven, four);
        assertThat(proof(seven, shrinks, 0, 3, 4, 5, 6).proves(seven, KEYS)).isTrue();
        assertThat(proof(seven, shrinks, 0, 1, 4, 5, 6).proves(seven, KEYS)).isTrue();
        Configuration others = new Configuration(1, List.of(seven.members().get(0), member(7), member(8), member(9)));
        assertThat(proof(seven, handover(seven, others), 0, 1, 4, 5, 6).proves(seven, KEYS))
                .isFalse();
    }

    @Test
    void aConfigurationIsOfDistinctReplicas() {
        assertThatThrownBy(() -> GENESIS.replacing(2, member(1))).isInstanceOf(IllegalArgumentException.class);
        Member one = new Member(PrincipalId.replica(4), Bytes.of((byte) 1), "");
        Member sameKey = new Member(PrincipalId.replica(5), Bytes.of((byte) 1), "");
        Configuration next = GENESIS.replacing(0, one);
        assertThatThrownBy(() -> next.replacing(1, sameKey)).isInstanceOf(IllegalArgumentException.class);
        assertThatThrownBy(() -> new Configuration(0, GENESIS.members().subList(0, 3)))
                .isInstanceOf(IllegalArgumentException.class);
    }

    @Test
    void aLineageFollowsOneProofAfterTheOther() {
        ConfigurationChain configurationChain = new ConfigurationChain(GENESIS, KEYS, OPERATOR);
        Configuration second = NEXT.replacing(0, member(5));
        HandoverProof first = proof(GENESIS, HANDOVER, 0, 1, 3);
        HandoverProof then = proof(NEXT, handover(NEXT, second), 0, 2, 3);
        assertThat(configurationChain.accept(successor(then))).isFalse();
        assertThat(configurationChain.accept(successor(first))).isTrue();
        assertThat(configurationChain.accept(successor(first))).isFalse();
        assertThat(configurationChain.isNew(PrincipalId.replica(4))).isTrue();
        assertThat(configurationChain.isNew(PrincipalId.replica(5))).isFalse();
        assertThat(configurationChain.accept(successor(then))).isTrue();
        assertThat(configurationChain.isNew(PrincipalId.replica(5))).isTrue();
        assertThat(configurationChain.isNew(PrincipalId.replica(4)))
                .as("it came before")
                .isFalse();
        assertThat(configurationChain.isNew(PrincipalId.replica(0)))
                .as("it has left")
                .isFalse();
        assertThat(configurationChain.configuration()).isEqualTo(second);
        assertThat(configurationChain.term().checkpoint())
                .isEqualTo(then.handover().checkpoint());
        assertThat(configurationChain.successorOf(1)).isEqualTo(successor(then));
        assertThat(configurationChain.hasProofOf(2)).isFalse();
        assertThat(configurationChain.proofs()).containsExactly(first, then);
    }
}
