package io.bulwark.protocol.fp;

import static org.assertj.core.api.Assertions.assertThat;

import io.bulwark.protocol.effect.Effect;
import io.bulwark.protocol.effect.Verdict;
import io.bulwark.protocol.id.PrincipalId;
import io.bulwark.protocol.kernel.ScrubMessage;
import java.util.List;
import java.util.stream.IntStream;
import org.jspecify.annotations.NullMarked;
import org.junit.jupiter.api.Test;

/** Tests the findings and repairs of scrubbing, for one block at one node. */
@NullMarked
class FpScrubTest {
    private final LocalNodes nodes = new LocalNodes(1, 2);

    @Test
    void whatWasNeverWrittenIsAbsent() {
        assertThat(nodes.look(0)).isEqualTo(ScrubMessage.ScrubOutcome.ABSENT);
        assertThat(nodes.stores).isEmpty();
    }

    @Test
    void aRightFragmentOfTheLatestIsGoodAndNothingIsFetched() {
        nodes.write(5, 1, 0, 1, 2);
        assertThat(nodes.look(3)).isEqualTo(ScrubMessage.ScrubOutcome.COMPLETED);
        assertThat(nodes.look(0)).isEqualTo(ScrubMessage.ScrubOutcome.GOOD);
        assertThat(nodes.evidence).isEmpty();
    }

    @Test
    void aFragmentThatCannotBeReadIsReportedAndMadeAgain() {
        Timestamp version = nodes.write(5, 1, 0, 1, 2);
        nodes.damage(1);
        assertThat(nodes.look(1)).isEqualTo(ScrubMessage.ScrubOutcome.REPAIRED);
        assertReported(1);
        assertThat(nodes.holding(1, version).fragment())
                .isEqualTo(nodes.encode(1).fragments().get(1));
        assertThat(nodes.look(1)).isEqualTo(ScrubMessage.ScrubOutcome.GOOD);
    }

    /** Else a node that lost its disk is made up at no more than that rate. */
    @Test
    void itsOwnLooksAreNotUnderTheRateOfAskers() {
        LocalNodes slow = new LocalNodes(1, 2, new FpLimits(6, 2, 2, 1_000, 1, 100, 64, 10_000, 3_000));
        slow.write(5, 1, 0, 1, 2);
        for (int look = 0; look < 3; look++) {
            slow.damage(1);
            assertThat(slow.look(1)).isEqualTo(ScrubMessage.ScrubOutcome.REPAIRED);
        }
    }

    @Test
    void anotherFragmentWithARightChecksumIsReportedAndMadeAgain() {
        Timestamp version = nodes.write(5, 1, 0, 1, 2);
        nodes.disk(2).garble();
        assertThat(nodes.look(2)).isEqualTo(ScrubMessage.ScrubOutcome.REPAIRED);
        assertReported(2);
        nodes.restart(2);
        assertThat(nodes.holding(2, version).fragment())
                .isEqualTo(nodes.encode(1).fragments().get(2));
    }

    @Test
    void whatTurnedOutToBeWrongIsNotServedUntilItIsMadeAgain() {
        Timestamp version = nodes.write(5, 1, 0, 1, 2);
        nodes.disk(2).garble();
        nodes.cutOff.addAll(List.of(0, 1));
        assertThat(nodes.look(2)).isEqualTo(ScrubMessage.ScrubOutcome.UNFINISHED);
        HeldVersion held = nodes.holding(2, version);
        assertThat(held.fragment()).isNull();
        assertThat(held.damaged()).isTrue();
    }

    @Test
    void aNodeThatMissedAWriteIsBroughtUpToDate() {
        nodes.write(5, 1, 0, 1, 2);
        assertThat(nodes.look(3)).isEqualTo(ScrubMessage.ScrubOutcome.COMPLETED);
        nodes.cutOff.add(1);
        List<FpMessage.Prepared> prepares = IntStream.of(0, 2, 3)
                .mapToObj(slot -> (FpMessage.Prepared) nodes.one(
                        LocalNodes.CLIENT, slot == 3 ? nodes.wholeBlock(3, 6, 2) : nodes.fragment(slot, 6, 2)))
                .toList();
        for (int slot : new int[] {0, 2, 3}) {
            assertThat(nodes.one(LocalNodes.CLIENT, nodes.commit(slot, 2, prepares)))
                    .isInstanceOf(FpMessage.Committed.class);
        }
        nodes.cutOff.clear();
        assertThat(nodes.look(1)).isEqualTo(ScrubMessage.ScrubOutcome.COMPLETED);
        assertThat(nodes.latest(1).ts()).isEqualTo(6);
        assertThat(nodes.holding(1, nodes.latest(1)).fragment())
                .isEqualTo(nodes.encode(2).fragments().get(1));
    }

    @Test
    void withoutEnoughPeersDamageStaysUnfinishedAndARightFragmentIsNotCalledGood() {
        nodes.write(5, 1, 0, 1, 2);
        nodes.damage(1);
        nodes.cutOff.addAll(List.of(2, 3));
        assertThat(nodes.look(1)).isEqualTo(ScrubMessage.ScrubOutcome.UNFINISHED);
        assertThat(nodes.look(0)).isEqualTo(ScrubMessage.ScrubOutcome.UNASKED);
        nodes.cutOff.clear();
        assertThat(nodes.look(1)).isEqualTo(ScrubMessage.ScrubOutcome.REPAIRED);
    }

    @Test
    void aPeersClaimAloneMakesNothingOfABlockThatWasNeverWritten() {
        Timestamp made = new Timestamp(9, nodes.encode(1).fpcc());
        List<HeldVersion.SlotNonce> nonces = List.of(new HeldVersion.SlotNonce(0, SampleMessages.filled(32, 1)));
        nodes.putOnDisk(2, new VersionRecord(made, 1, false, null, LocalNodes.CLIENT, LocalNodes.SESSION, nonces));
        assertThat(nodes.look(0)).isEqualTo(ScrubMessage.ScrubOutcome.ABSENT);
    }

    @Test
    void aBlockOfAVolumeThatIsNotKnownIsNotLookedAt() {
        FpServer server = new FpServer(nodes.keysOf(1), LocalNodes.LIMITS);
        assertThat(server.onMessage(0, PrincipalId.node(1), 9, new ScrubMessage.ScrubRequest(nodes.group.block())))
                .containsExactly(new Effect.Send(
                        PrincipalId.node(1),
                        9,
                        new ScrubMessage.ScrubResult(nodes.group.block(), ScrubMessage.ScrubOutcome.UNASKED)));
    }

    @Test
    void nobodyElseMayAskForIt() {
        nodes.write(5, 1, 0, 1, 2);
        nodes.damage(1);
        FpServer server = new FpServer(nodes.keysOf(1), LocalNodes.LIMITS);
        assertThat(server.onMessage(0, PrincipalId.node(2), 9, new ScrubMessage.ScrubRequest(nodes.group.block())))
                .isEmpty();
    }

    private void assertReported(int node) {
        assertThat(nodes.evidence)
                .isNotEmpty()
                .allSatisfy(seen -> assertThat(seen)
                        .extracting(Effect.Evidence::about, Effect.Evidence::block, Effect.Evidence::verdict)
                        .containsExactly(PrincipalId.node(node), nodes.group.block(), Verdict.DAMAGED));
    }
}
