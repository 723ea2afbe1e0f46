package io.bulwark.simulation.pasis;

import static org.assertj.core.api.Assertions.assertThat;

import io.bulwark.protocol.cluster.RevocationWatch;
import io.bulwark.protocol.cluster.Verification;
import io.bulwark.protocol.effect.Effect;
import io.bulwark.protocol.effect.Loaded;
import io.bulwark.protocol.effect.RecordKey;
import io.bulwark.protocol.effect.Verdict;
import io.bulwark.protocol.id.PrincipalId;
import io.bulwark.protocol.kernel.ScrubMessage;
import io.bulwark.protocol.pasis.PasisBackground;
import io.bulwark.protocol.pasis.PasisReadOutcome;
import io.bulwark.protocol.pasis.PasisServer;
import io.bulwark.protocol.pasis.ValidatingTimestamp;
import io.bulwark.protocol.pasis.VerificationWatch;
import io.bulwark.protocol.wire.Bytes;
import io.bulwark.simulation.engine.SimulatedRecords;
import java.util.List;
import java.util.Objects;
import org.jspecify.annotations.NullMarked;
import org.junit.jupiter.api.Test;

/** Tests scrubbing of a block under PASIS, with b = 1, m = 2, N = 5. */
@NullMarked
class PasisScrubTest {
    private static final int FAULTY = 20;

    private final PasisCluster cluster = new PasisCluster(1, 2, 5, Verification.LAZY, PasisCluster.LIMITS);

    private SimulatedRecords disk(int node) {
        return cluster.simulation.records(PrincipalId.node(node));
    }

    private Bytes fragment(int node, RecordKey key) {
        return disk(node).load(key) instanceof Loaded.Found found ? found.fragment() : Bytes.EMPTY;
    }

    /** Replaces a fragment with a corrupt one, like a disk with silent corruption. */
    private void replaceFragment(int node, RecordKey key) {
        SimulatedRecords.Content content = Objects.requireNonNull(disk(node).get(key));
        byte[] other = Objects.requireNonNull(content.fragment()).toByteArray();
        other[other.length / 2] ^= 1;
        disk(node).put(key, new SimulatedRecords.Content(content.meta(), Bytes.of(other)));
    }

    @Test
    void whatIsRightIsGoodAndWhatWasNeverWrittenIsAbsent() {
        cluster.write(1, 0);
        cluster.write(1, 0);
        cluster.simulation.runFor(1_000);
        int before = cluster.sent.size();
        assertThat(cluster.look(2, 0)).isEqualTo(ScrubMessage.ScrubOutcome.GOOD);
        assertThat(cluster.sent.size() - before)
                .as("N - b - 1 questions and their answers")
                .isEqualTo(6);
        assertThat(cluster.held(2, 0))
                .as("nothing is verified, nothing collected")
                .isEqualTo(2);
        cluster.verify(0, 0, 1, 2, 3, 4);
        assertThat(cluster.look(2, 0)).isEqualTo(ScrubMessage.ScrubOutcome.GOOD);
        assertThat(cluster.look(2, 1)).isEqualTo(ScrubMessage.ScrubOutcome.ABSENT);
    }

    @Test
    void aFragmentThatIsNotWhatItsHashSaysIsMadeAgain() {
        cluster.write(1, 0);
        cluster.verify(0, 0, 1, 2, 3, 4);
        RecordKey key = cluster.versions(3, 0).getFirst();
        Bytes right = fragment(3, key);
        replaceFragment(3, key);
        assertThat(cluster.look(3, 0)).isEqualTo(ScrubMessage.ScrubOutcome.REPAIRED);
        assertThat(fragment(3, key)).isEqualTo(right);
        assertThat(cluster.simulation.sightings())
                .extracting(sighting -> sighting.evidence().verdict())
                .containsExactly(Verdict.DAMAGED);
        assertThat(cluster.look(3, 0)).isEqualTo(ScrubMessage.ScrubOutcome.GOOD);
    }

    @Test
    void anUnreadableFragmentOfAVersionThatNobodyHasVerifiedIsMadeAgain() {
        cluster.write(1, 0);
        cluster.write(1, 0);
        cluster.simulation.runFor(1_000);
        for (RecordKey key : cluster.versions(0, 0)) {
            disk(0).damage(key);
        }
        assertThat(cluster.look(0, 0)).isEqualTo(ScrubMessage.ScrubOutcome.REPAIRED);
        for (RecordKey key : cluster.versions(0, 0)) {
            assertThat(fragment(0, key).isEmpty()).isFalse();
        }
    }

    @Test
    void aBadFragmentIsNotServedAndMadeAgainWhenItIsRead() {
        cluster.write(1, 0);
        cluster.verify(0, 0, 1, 2, 3, 4);
        RecordKey key = cluster.versions(0, 0).getFirst();
        Bytes right = fragment(0, key);
        replaceFragment(0, key);
        assertThat(cluster.read(0)).isInstanceOf(PasisReadOutcome.Value.class);
        cluster.simulation.runFor(2_000);
        assertThat(fragment(0, key)).isEqualTo(right);
        assertThat(cluster.simulation.sightings())
                .as("its own word, nobody was sent the wrong bytes")
                .allSatisfy(
                        sighting -> assertThat(sighting.evidence().verdict()).isEqualTo(Verdict.DAMAGED));
    }

    @Test
    void aNodeThatLostItsDiskGetsItsFragmentsBack() {
        cluster.write(1, 0);
        cluster.write(1, 1);
        cluster.verify(1, 0, 1, 2, 3, 4);
        cluster.simulation.runFor(1_000);
        RecordKey key = cluster.versions(4, 0).getFirst();
        Bytes right = fragment(4, key);
        cluster.lose(4, 0);
        cluster.lose(4, 1);
        assertThat(cluster.look(4, 0)).isEqualTo(ScrubMessage.ScrubOutcome.COMPLETED);
        assertThat(cluster.look(4, 1)).isEqualTo(ScrubMessage.ScrubOutcome.COMPLETED);
        assertThat(fragment(4, key)).isEqualTo(right);
        assertThat(cluster.counters(4).possibleVersions())
                .as("what it made again it has verified")
                .isZero();
        assertThat(cluster.look(4, 0)).isEqualTo(ScrubMessage.ScrubOutcome.GOOD);
    }

    @Test
    void aLostFragmentComesBackThoughAnotherNodeIsSilent() {
        cluster.write(1, 0);
        cluster.simulation.runFor(1_000);
        cluster.lose(4, 0);
        cluster.simulation.crash(PrincipalId.node(0));
        assertThat(cluster.look(4, 0))
                .as("N - b - 1 claim it: never complete without a repair")
                .isEqualTo(ScrubMessage.ScrubOutcome.COMPLETED);
        assertThat(cluster.held(4, 0)).isEqualTo(1);
    }

    @Test
    void whatFewNodesHoldIsNotLookedFor() {
        cluster.write(1, 0);
        cluster.verify(0, 0, 1, 2, 3, 4);
        List<Bytes> fragments = cluster.fragments(0);
        cluster.send(FAULTY, 0, ValidatingTimestamp.of(9, PrincipalId.client(FAULTY), fragments), fragments, 0);
        long verifications = cluster.counters(3).verifications();
        assertThat(cluster.look(3, 0)).isEqualTo(ScrubMessage.ScrubOutcome.GOOD);
        assertThat(cluster.held(3, 0)).isEqualTo(1);
        assertThat(cluster.counters(3).verifications()).isEqualTo(verifications);
    }

    @Test
    void aBadFragmentOfWhatWasNeverCompleteIsNoLoss() {
        cluster.write(1, 0);
        cluster.verify(0, 0, 1, 2, 3, 4);
        List<Bytes> fragments = cluster.fragments(0);
        ValidatingTimestamp stuttered = ValidatingTimestamp.of(9, PrincipalId.client(FAULTY), fragments);
        cluster.send(FAULTY, 0, stuttered, fragments, 3);
        for (RecordKey key : cluster.versions(3, 0)) {
            disk(3).damage(key);
        }
        assertThat(cluster.look(3, 0))
                .as("the complete one is made again")
                .isEqualTo(ScrubMessage.ScrubOutcome.REPAIRED);
    }

    @Test
    void aPoisonousVersionIsNotMadeUp() {
        ValidatingTimestamp good = cluster.write(1, 0);
        List<Bytes> mixed = cluster.mixed(0);
        cluster.send(FAULTY, 0, ValidatingTimestamp.of(2, PrincipalId.client(FAULTY), mixed), mixed, 0, 1, 2, 4);
        assertThat(cluster.look(3, 0)).isEqualTo(ScrubMessage.ScrubOutcome.GOOD);
        assertThat(cluster.held(3, 0)).isEqualTo(1);
        assertThat(cluster.read(0))
                .isInstanceOfSatisfying(
                        PasisReadOutcome.Value.class,
                        value -> assertThat(value.timestamp()).isEqualTo(good));
    }

    @Test
    void withTooFewPeersNothingIsSaid() {
        cluster.write(1, 0);
        cluster.simulation.runFor(1_000);
        cluster.simulation.crash(PrincipalId.node(0));
        cluster.simulation.crash(PrincipalId.node(1));
        assertThat(cluster.look(3, 0)).isEqualTo(ScrubMessage.ScrubOutcome.UNASKED);
        disk(3).damage(cluster.versions(3, 0).getFirst());
        assertThat(cluster.look(3, 0)).as("the two others are N - 3b").isEqualTo(ScrubMessage.ScrubOutcome.REPAIRED);
    }

    @Test
    void onlyTheNodeItselfMayAsk() {
        var server = new PasisServer(
                PrincipalId.node(0), PasisCluster.LIMITS, () -> 1, VerificationWatch.NONE, RevocationWatch.NONE);
        assertThat(server.onMessage(
                        0,
                        PrincipalId.node(1),
                        7,
                        new PasisBackground.ScrubRequest(cluster.group(0).block())))
                .noneMatch(effect -> effect instanceof Effect.Send);
    }
}
