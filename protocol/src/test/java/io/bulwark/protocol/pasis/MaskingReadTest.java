package io.bulwark.protocol.pasis;

import static org.assertj.core.api.Assertions.assertThat;

import io.bulwark.protocol.effect.Effect;
import io.bulwark.protocol.effect.Verdict;
import io.bulwark.protocol.wire.Bytes;
import java.util.List;
import org.jspecify.annotations.NullMarked;
import org.junit.jupiter.api.Test;

/** Reads of whole copies under masking quorums (Agile Store paper, 3.3.2), with b = 1, n = 5. */
@NullMarked
class MaskingReadTest {
    private final GroupFixture group = GroupFixture.masking(1, 5);
    private final GroupFixture.Version old = group.version(1, 1);
    private final GroupFixture.Version fresh = group.version(2, 2);
    private final PasisRead read = PasisRead.withWriteBack(
            group.pasis(), GroupFixture.CLIENT, 5, GroupFixture.TIMES, ReadPlan.full(group.pasis()));

    private List<Effect> tell(int slot, PasisMessage answer) {
        return read.onMessage(0, GroupFixture.node(slot), answer);
    }

    private void assertRead(GroupFixture.Version version) {
        assertThat(read.outcome())
                .contains(new PasisReadOutcome.Value(version.timestamp(), version.block(), version.block()));
    }

    @Test
    void aTimestampNamesTheBlockByOneHashAndEachNodeHoldsAllOfIt() {
        assertThat(fresh.timestamp().fragments()).isEqualTo(1);
        assertThat(fresh.fragments()).hasSize(5).containsOnly(fresh.block());
        for (int slot = 0; slot < 5; slot++) {
            assertThat(group.pasis().accepts(fresh.timestamp(), slot, fresh.block()))
                    .isTrue();
            assertThat(group.pasis().accepts(fresh.timestamp(), slot, old.block()))
                    .isFalse();
        }
        List<Bytes> copies = fresh.fragments();
        ValidatingTimestamp ofPasis = ValidatingTimestamp.of(2, GroupFixture.CLIENT, copies);
        assertThat(group.pasis().fits(ofPasis)).as("one hash for each node").isFalse();
    }

    @Test
    void oneCopyIsSentWhereNothingIsWrong() {
        List<PasisMessage.Read> asked = GroupFixture.sent(read.start(0), PasisMessage.Read.class);
        assertThat(asked).filteredOn(PasisMessage.Read::withFragment).hasSize(1);
        for (int slot = 0; slot < 4; slot++) {
            assertThat(read.outcome()).isEmpty();
            tell(slot, group.history(slot, fresh));
        }
        assertRead(fresh);
    }

    @Test
    void aCopyWithAnotherHashIsCorruptAndAnotherOneIsFetched() {
        read.start(0);
        List<Effect> effects = tell(
                0,
                new PasisMessage.History(
                        group.pasis().target(0),
                        ValidatingTimestamp.NONE,
                        List.of(new PasisMessage.Entry(fresh.timestamp(), false)),
                        false,
                        ValidatingTimestamp.NONE,
                        old.block()));
        assertThat(effects)
                .filteredOn(Effect.Evidence.class::isInstance)
                .extracting(effect -> ((Effect.Evidence) effect).verdict())
                .containsExactly(Verdict.CORRUPT);
        tell(1, group.history(1, fresh));
        tell(2, group.history(2, fresh));
        tell(3, group.history(3, fresh));
        tell(1, group.fragment(1, fresh));
        assertThat(read.outcome()).as("three of four claims are written back").isEmpty();
        tell(0, group.written(0, fresh.timestamp()));
        tell(4, group.written(4, fresh.timestamp()));
        assertRead(fresh);
    }

    /** Three of five nodes, in this order. */
    private PasisRead optimistic(int copies) {
        ReadPlan plan = new ReadPlan(List.of(4, 3, 2, 1, 0), 0, copies);
        return PasisRead.withWriteBack(group.pasis(), GroupFixture.CLIENT, 5, GroupFixture.TIMES, plan);
    }

    private List<Integer> asked(List<Effect> effects) {
        return GroupFixture.sent(effects, PasisMessage.Request.class).stream()
                .map(ask -> ask.target().slot())
                .toList();
    }

    @Test
    void twoBPlusOneAnswersWithAVerifiedWinnerAreEnough() {
        PasisRead few = optimistic(1);
        assertThat(asked(few.start(0))).containsExactly(4, 3, 2);
        few.onMessage(0, GroupFixture.node(4), verified(4, fresh, true));
        few.onMessage(0, GroupFixture.node(3), verified(3, fresh, false));
        assertThat(few.outcome()).isEmpty();
        few.onMessage(0, GroupFixture.node(2), verified(2, fresh, false));
        assertThat(few.outcome()).contains(new PasisReadOutcome.Value(fresh.timestamp(), fresh.block(), fresh.block()));
        assertThat(few.report()).isEqualTo(new ReadReport(0, 1, 3, false, false, 512));
    }

    /** A liar's later version, and a version that is not verified: Figure 2's second round, which asks for hashes alone. */
    @Test
    void whatTheFirstRoundCannotDecideIsLeftToTheRestOfNMinusB() {
        PasisRead few = optimistic(1);
        few.start(0);
        few.onMessage(0, GroupFixture.node(4), group.history(4, ValidatingTimestamp.NONE, true, group.version(9, 9)));
        few.onMessage(0, GroupFixture.node(3), verified(3, fresh, false));
        List<Effect> second = few.onMessage(0, GroupFixture.node(2), verified(2, fresh, false));
        assertThat(asked(second)).containsExactly(1);
        assertThat(GroupFixture.sent(second, PasisMessage.Read.class)).noneMatch(PasisMessage.Read::withFragment);
        assertThat(few.report().secondRound()).isTrue();
        List<Effect> third = few.onMessage(0, GroupFixture.node(1), verified(1, fresh, false));
        assertThat(GroupFixture.sent(third, PasisMessage.ReadFragment.class))
                .as("no copy of the winner came")
                .hasSize(1);
    }

    @Test
    void whatIsNotVerifiedIsReturnedOnceNMinusBNodesHaveItAndWrittenBackElse() {
        PasisRead few = optimistic(1);
        few.start(0);
        for (int slot = 4; slot > 1; slot--) {
            few.onMessage(
                    0, GroupFixture.node(slot), slot == 4 ? answer(4, fresh, false, true) : group.history(slot, fresh));
        }
        assertThat(few.outcome()).isEmpty();
        assertThat(few.onMessage(0, GroupFixture.node(1), group.history(1, fresh)))
                .isEmpty();
        assertThat(few.outcome()).contains(new PasisReadOutcome.Value(fresh.timestamp(), fresh.block(), fresh.block()));

        PasisRead behind = optimistic(1);
        behind.start(0);
        behind.onMessage(0, GroupFixture.node(4), answer(4, fresh, false, true));
        behind.onMessage(0, GroupFixture.node(3), group.history(3, fresh));
        behind.onMessage(0, GroupFixture.node(2), group.history(2, old));
        List<Effect> effects = behind.onMessage(0, GroupFixture.node(1), group.history(1, old));
        assertThat(GroupFixture.sent(effects, PasisMessage.Write.class))
                .extracting(write -> write.target().slot())
                .containsExactlyInAnyOrder(0, 1, 2);
        assertThat(behind.outcome()).isEmpty();
    }

    /** Case b of Figure 3: hashes alone came, and the first node that is asked for the block sends another one. */
    @Test
    void whereOnlyHashesCameTheBlockIsFetchedFromOneThatHasTheWinner() {
        PasisRead few = optimistic(0);
        assertThat(GroupFixture.sent(few.start(0), PasisMessage.Read.class)).noneMatch(PasisMessage.Read::withFragment);
        few.onMessage(0, GroupFixture.node(4), verified(4, fresh, false));
        few.onMessage(0, GroupFixture.node(3), verified(3, fresh, false));
        assertThat(asked(few.onMessage(0, GroupFixture.node(2), verified(2, fresh, false))))
                .containsExactly(4);
        PasisMessage.Fragment wrong = new PasisMessage.Fragment(
                group.pasis().target(4),
                fresh.timestamp().name(),
                PasisMessage.Held.HELD,
                old.block(),
                ValidatingTimestamp.NONE);
        assertThat(asked(few.onMessage(0, GroupFixture.node(4), wrong))).containsExactly(3);
        few.onMessage(0, GroupFixture.node(3), group.fragment(3, fresh));
        assertThat(few.outcome()).contains(new PasisReadOutcome.Value(fresh.timestamp(), fresh.block(), fresh.block()));
        assertThat(few.report()).isEqualTo(new ReadReport(0, 0, 3, false, true, 1024));
    }

    private PasisMessage.History verified(int slot, GroupFixture.Version version, boolean copy) {
        return answer(slot, version, true, copy);
    }

    private PasisMessage.History answer(int slot, GroupFixture.Version version, boolean known, boolean copy) {
        return new PasisMessage.History(
                group.pasis().target(slot),
                ValidatingTimestamp.NONE,
                List.of(new PasisMessage.Entry(version.timestamp(), known)),
                false,
                ValidatingTimestamp.NONE,
                copy ? version.block() : null);
    }

    @Test
    void whatBPlusOneNodesHaveVerifiedIsNotWrittenBack() {
        read.start(0);
        tell(0, group.history(0, ValidatingTimestamp.NONE, true, fresh));
        tell(1, group.history(1, ValidatingTimestamp.NONE, true, fresh));
        tell(2, group.history(2, old));
        assertThat(tell(3, group.history(3, old))).isEmpty();
        assertRead(fresh);
    }
}
