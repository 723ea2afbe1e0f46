package io.bulwark.protocol.pasis;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.tuple;

import io.bulwark.protocol.effect.Effect;
import io.bulwark.protocol.effect.Verdict;
import io.bulwark.protocol.kernel.Failure;
import io.bulwark.protocol.mutation.PlantedBug;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import org.jspecify.annotations.NullMarked;
import org.junit.jupiter.api.Test;

/** Classification, validation and repair (lazy verification paper, 2.2), with b = 1, m = 2, N = 5. */
@NullMarked
class PasisReadTest {
    private final GroupFixture group = GroupFixture.of(1, 2, 5);
    private final GroupFixture.Version old = group.version(1, 1);
    private final GroupFixture.Version fresh = group.version(2, 2);
    private final PasisRead read = PasisRead.withWriteBack(
            group.pasis(), GroupFixture.CLIENT, 5, GroupFixture.TIMES, ReadPlan.full(group.pasis()));
    private long now;

    private List<Effect> tell(int slot, PasisMessage answer) {
        return tell(read, slot, answer);
    }

    private List<Effect> tell(PasisRead to, int slot, PasisMessage answer) {
        return to.onMessage(now, GroupFixture.node(slot), answer);
    }

    private List<Effect> pass(PasisRead to, long millis) {
        List<Effect> effects = new ArrayList<>();
        for (long end = now + millis; now < end; ) {
            now += 50;
            effects.addAll(to.onTick(now));
        }
        return effects;
    }

    private static void assertRead(PasisRead read, GroupFixture.Version version) {
        assertThat(read.outcome())
                .contains(new PasisReadOutcome.Value(version.timestamp(), version.block(), version.block()));
    }

    @Test
    void oneRoundIsEnoughWhereNothingIsWrongAndOnlyMNodesSendData() {
        List<PasisMessage.Read> asked = GroupFixture.sent(read.start(0), PasisMessage.Read.class);
        assertThat(asked).hasSize(4);
        assertThat(asked)
                .filteredOn(PasisMessage.Read::withFragment)
                .hasSize(2)
                .allMatch(ask -> ask.target().slot() < 2);
        for (int slot = 0; slot < 3; slot++) {
            assertThat(tell(slot, group.history(slot, fresh))).isEmpty();
            assertThat(read.outcome()).isEmpty();
        }
        tell(3, group.history(3, fresh));
        assertRead(read, fresh);
        assertThat(read.isFinished()).isTrue();
    }

    @Test
    void whatIsAtFewerThanNMinusBIsRepairedBeforeItIsReturned() {
        read.start(0);
        tell(0, group.history(0, fresh, old));
        tell(1, group.history(1, fresh, old));
        tell(2, group.history(2, old));
        List<Effect> effects = tell(3, group.history(3, old));
        assertThat(read.outcome()).isEmpty();
        assertThat(GroupFixture.sent(effects, PasisMessage.Write.class))
                .extracting(write -> write.target().slot())
                .containsExactly(2, 3, 4);
        tell(2, group.written(2, fresh.timestamp()));
        assertThat(read.outcome()).isEmpty();
        tell(4, group.written(4, fresh.timestamp()));
        assertRead(read, fresh);
    }

    @Test
    void whatIsAtFewerThanNMinus3BIsPassedOver() {
        read.start(0);
        tell(0, group.history(0, fresh, old));
        tell(1, group.history(1, old));
        tell(2, group.history(2, old));
        List<Effect> effects = tell(3, group.history(3, old));
        // Slot 0 sent the fragment of the version that was passed over.
        assertThat(GroupFixture.sent(effects, PasisMessage.ReadFragment.class))
                .extracting(ask -> ask.target().slot())
                .containsExactly(0);
        tell(0, group.fragment(0, old));
        assertRead(read, old);
    }

    @PlantedBug(
            in = PasisGroup.class,
            rule = "timestamps are validated",
            replace = ".equals(timestamp)",
            with = ".fragments() == n()")
    @Test
    void aPoisonousVersionIsPassedOver() {
        GroupFixture.Version poisonous = group.poisonous(2, 2);
        read.start(0);
        for (int slot = 0; slot < 4; slot++) {
            tell(slot, group.history(slot, poisonous, old));
        }
        assertThat(read.outcome()).isEmpty();
        assertThat(read.poisonous()).containsExactly(poisonous.timestamp());
        tell(0, group.fragment(0, old));
        tell(1, group.fragment(1, old));
        assertRead(read, old);
    }

    /** For 32 times the time of a retry. */
    @Test
    void whoseConnectionMovesIsNotWaitedForWithoutEnd() {
        assertThat(read.start(0)).hasSize(4);
        long untilMillis = 32 * GroupFixture.TIMES.retryMillis();
        List<Effect> effects = new ArrayList<>();
        for (long now = 0; now < untilMillis + GroupFixture.TIMES.hedgeMillis(); now += 10) {
            assertThat(effects).noneMatch(effect -> effect instanceof Effect.Evidence);
            for (int slot = 0; slot < 4; slot++) {
                read.onMoving(GroupFixture.node(slot), now);
            }
            effects.addAll(read.onTick(now));
        }
        assertThat(GroupFixture.sent(
                        read.onTick(untilMillis + GroupFixture.TIMES.hedgeMillis()), PasisMessage.Read.class))
                .extracting(ask -> ask.target().slot())
                .contains(4);
    }

    @Test
    void whoseConnectionMovesIsNotSlowUnlessUpToBMoveTheirsAlone() {
        assertThat(read.start(0)).hasSize(4);
        for (int slot = 0; slot < 4; slot++) {
            read.onMoving(GroupFixture.node(slot), GroupFixture.TIMES.hedgeMillis());
        }
        assertThat(pass(read, GroupFixture.TIMES.hedgeMillis())).isEmpty();
        for (int slot = 0; slot < 3; slot++) {
            tell(slot, group.history(slot, fresh));
        }
        read.onMoving(GroupFixture.node(3), 2 * GroupFixture.TIMES.hedgeMillis());
        assertThat(GroupFixture.sent(pass(read, GroupFixture.TIMES.hedgeMillis()), PasisMessage.Read.class))
                .extracting(ask -> ask.target().slot())
                .contains(4);
    }

    @PlantedBug(
            in = PasisGroup.class,
            rule = "b + 1 verified flags are needed",
            replace = "return b() + 1;",
            with = "return b();")
    @Test
    void bVerifiedFlagsSpareNoValidation() {
        GroupFixture.Version poisonous = group.poisonous(2, 2);
        read.start(0);
        tell(0, group.history(0, ValidatingTimestamp.NONE, true, poisonous, old));
        for (int slot = 1; slot < 4; slot++) {
            tell(slot, group.history(slot, poisonous, old));
        }
        assertThat(read.poisonous()).containsExactly(poisonous.timestamp());
        assertThat(read.outcome()).isEmpty();
    }

    @Test
    void bPlusOneVerifiedFlagsSayThatItIsCompleteAndValid() {
        read.start(0);
        tell(0, group.history(0, ValidatingTimestamp.NONE, true, fresh));
        tell(1, group.history(1, ValidatingTimestamp.NONE, true, fresh));
        tell(2, group.history(2, old));
        assertThat(read.outcome()).isEmpty();
        assertThat(GroupFixture.sent(tell(3, group.history(3, old)), PasisMessage.Write.class))
                .isEmpty();
        assertRead(read, fresh);
    }

    @PlantedBug(
            in = HistoryGatherer.class,
            rule = "fragments that do not match do not count",
            replace = "if (group.accepts(version, slot, fragment)) {",
            with = "if (fragment.length() > 0) {")
    @Test
    void onlyFragmentsThatMatchTheCrossChecksumCount() {
        read.start(0);
        PasisMessage.History wrong = new PasisMessage.History(
                group.pasis().target(0),
                ValidatingTimestamp.NONE,
                List.of(new PasisMessage.Entry(fresh.timestamp(), false)),
                false,
                ValidatingTimestamp.NONE,
                old.fragments().getFirst());
        List<Effect> effects = tell(0, wrong);
        assertThat(effects)
                .filteredOn(Effect.Evidence.class::isInstance)
                .extracting(effect -> ((Effect.Evidence) effect).verdict())
                .containsExactly(Verdict.CORRUPT);
        tell(1, group.history(1, fresh));
        tell(2, group.history(2, old));
        tell(3, group.history(3, old));
        // One valid fragment is fewer than N - 3b: incomplete. The old one is repairable.
        List<Effect> later = tell(2, group.fragment(2, old));
        later.addAll(tell(3, group.fragment(3, old)));
        assertThat(GroupFixture.sent(later, PasisMessage.Write.class))
                .isNotEmpty()
                .allMatch(write -> write.timestamp().equals(old.timestamp()));
    }

    @Test
    void whoClaimsAVersionAndSendsNoFragmentHidesNothing() {
        read.start(0);
        tell(0, withoutFragment(group.history(0, fresh)));
        tell(1, group.history(1, fresh, old));
        tell(2, group.history(2, old));
        List<Effect> effects = tell(3, group.history(3, old));
        assertThat(GroupFixture.sent(effects, PasisMessage.ReadFragment.class))
                .extracting(ask -> ask.target().slot())
                .containsExactly(0);
        // The read asks slot 4 in its place. Four slots have answered then, and three of them deny the version.
        pass(read, 150);
        effects = tell(4, group.history(4, old));
        assertThat(GroupFixture.sent(effects, PasisMessage.ReadFragment.class))
                .extracting(ask -> ask.target().slot())
                .containsExactly(1, 2);
        tell(1, group.fragment(1, old));
        tell(2, group.fragment(2, old));
        assertRead(read, old);
    }

    @Test
    void nodesThatHaveCollectedMayHideALaterVersion() {
        ValidatingTimestamp later = group.version(9, 9).timestamp();
        read.start(0);
        tell(0, group.history(0, later, false));
        tell(1, group.history(1, later, false));
        tell(2, group.history(2, old));
        tell(3, group.history(3, old));
        assertThat(read.outcome()).isEmpty();
        // All are asked anew.
        assertThat(GroupFixture.sent(pass(read, 200), PasisMessage.Read.class)).hasSizeGreaterThanOrEqualTo(4);
        assertThat(read.outcome()).isEmpty();
    }

    /** A complete version that all who hold it collect while they are asked for its fragments does not give way to an older one. */
    @Test
    void whatNodesClaimedBeforeTheyCollectedSomethingLaterIsNotTakenForTheLatest() {
        ValidatingTimestamp later = group.version(9, 9).timestamp();
        read.start(0);
        for (int slot = 1; slot < 4; slot++) {
            tell(slot, withoutFragment(group.history(slot, fresh, old)));
        }
        pass(read, 150);
        tell(4, group.history(4, fresh));
        pass(read, 200);
        tell(1, group.collected(1, fresh, ValidatingTimestamp.NONE));
        for (int slot = 2; slot < 5; slot++) {
            tell(slot, group.collected(slot, fresh, later));
        }
        List<Effect> effects = new ArrayList<>(tell(0, group.history(0, old)));
        effects.addAll(tell(1, group.fragment(1, old)));
        assertThat(GroupFixture.sent(effects, PasisMessage.Write.class)).isEmpty();
        assertThat(read.outcome()).isEmpty();
        assertThat(GroupFixture.sent(pass(read, 200), PasisMessage.Read.class)).hasSizeGreaterThanOrEqualTo(4);
    }

    private static PasisMessage.History withoutFragment(PasisMessage.History whole) {
        return new PasisMessage.History(
                whole.target(), whole.before(), whole.versions(), whole.more(), whole.collected(), null);
    }

    @PlantedBug(
            in = PasisRead.class,
            rule = "a version that nodes have collected hides earlier ones",
            replace = "boolean hides = hidden >= group.minShown(answered);",
            with = "boolean hides = false;")
    @Test
    void nothingIsReadAsNeverWrittenWhileNodesHaveCollected() {
        ValidatingTimestamp later = group.version(9, 9).timestamp();
        read.start(0);
        tell(0, group.history(0, later, false));
        tell(1, group.history(1, later, false));
        tell(2, group.history(2));
        tell(3, group.history(3));
        assertThat(read.outcome()).isEmpty();
    }

    @PlantedBug(
            in = PasisGroup.class,
            rule = "liars alone cannot hide a version",
            replace = "return answered - 2 * b();",
            with = "return answered - 3 * b();")
    @Test
    void oneLiarThatHasCollectedHidesNothing() {
        ValidatingTimestamp later = group.version(9, 9).timestamp();
        read.start(0);
        tell(0, group.history(0, later, false));
        for (int slot = 1; slot < 4; slot++) {
            tell(slot, group.history(slot));
        }
        assertThat(read.outcome()).containsInstanceOf(PasisReadOutcome.NeverWritten.class);
    }

    @Test
    void aVersionThatBPlusOneNodesCallFarIsPassedOver() {
        read.start(0);
        tell(0, group.history(0, fresh, old));
        tell(1, group.history(1, fresh, old));
        tell(2, group.history(2, old));
        tell(3, group.history(3, old));
        tell(2, group.refused(2, RequestKind.WRITE, fresh.timestamp(), PasisRefusal.FAR));
        assertThat(read.outcome()).isEmpty();
        List<Effect> effects = tell(3, group.refused(3, RequestKind.WRITE, fresh.timestamp(), PasisRefusal.FAR));
        assertThat(GroupFixture.sent(effects, PasisMessage.ReadFragment.class)).hasSize(2);
        tell(0, group.fragment(0, old));
        tell(1, group.fragment(1, old));
        assertRead(read, old);
    }

    @PlantedBug(
            in = RepairRequests.class,
            rule = "N - b repaired fragments make a version complete",
            replace = "return holders.size() >= group.quorum();",
            with = "return holders.size() > group.repairable();")
    @Test
    void aReaderThatMayNotWriteHasNodesRepair() {
        PasisRead other = PasisRead.withRepairRequests(group.pasis(), GroupFixture.TIMES, ReadPlan.full(group.pasis()));
        other.start(0);
        tell(other, 0, group.history(0, fresh, old));
        tell(other, 1, group.history(1, fresh, old));
        tell(other, 2, group.history(2, old));
        List<Effect> effects = tell(other, 3, group.history(3, old));
        assertThat(GroupFixture.sent(effects, PasisMessage.Repair.class)).hasSize(3);
        tell(
                other,
                2,
                new PasisMessage.Repaired(
                        group.pasis().target(2), fresh.timestamp().name()));
        assertThat(other.outcome()).isEmpty();
        tell(
                other,
                3,
                new PasisMessage.Repaired(
                        group.pasis().target(3), fresh.timestamp().name()));
        assertRead(other, fresh);
    }

    /** The nodes that claimed it may be gone, and others have collected a later version. */
    @Test
    void aRepairThatComesToNoEndIsGivenUpForALaterVersion() {
        PasisRead reader =
                PasisRead.withRepairRequests(group.pasis(), GroupFixture.TIMES, ReadPlan.full(group.pasis()));
        reader.start(0);
        tell(reader, 0, group.history(0, fresh));
        tell(reader, 1, group.history(1, fresh));
        tell(reader, 2, group.history(2, old));
        assertThat(GroupFixture.sent(tell(reader, 3, group.history(3, old)), PasisMessage.Repair.class))
                .isNotEmpty();
        assertThat(GroupFixture.sent(pass(reader, 8 * GroupFixture.TIMES.retryMillis()), PasisMessage.Read.class))
                .hasSizeGreaterThanOrEqualTo(4);
        GroupFixture.Version later = group.version(9, 9);
        for (int slot = 0; slot < 4; slot++) {
            tell(reader, slot, group.history(slot, later));
        }
        assertRead(reader, later);
    }

    @Test
    void aVerificationStopsAtTheFirstCompleteVersionAndRepairsNothing() {
        OwnHistory own = new OwnHistory(
                4,
                List.of(
                        new PasisMessage.Entry(fresh.timestamp(), false),
                        new PasisMessage.Entry(old.timestamp(), false)),
                ValidatingTimestamp.NONE,
                Map.of());
        PasisRead verification = PasisRead.forVerification(group.pasis(), own, GroupFixture.TIMES, null);
        List<Effect> effects = new ArrayList<>(verification.start(0));
        // N - b - 1 others.
        assertThat(GroupFixture.sent(effects, PasisMessage.Read.class)).hasSize(3);
        effects.addAll(tell(verification, 0, group.history(0, fresh, old)));
        effects.addAll(tell(verification, 1, group.history(1, old)));
        effects.addAll(tell(verification, 2, group.history(2, old)));
        effects.addAll(tell(verification, 0, group.fragment(0, old)));
        assertThat(GroupFixture.sent(effects, PasisMessage.Repair.class)).isEmpty();
        assertThat(GroupFixture.sent(effects, PasisMessage.Write.class)).isEmpty();
        assertRead(verification, old);
    }

    @Test
    void aHistoryIsReadFiveVersionsAtATime() {
        read.start(0);
        List<GroupFixture.Version> stutter = new ArrayList<>();
        for (int i = 0; i < 5; i++) {
            stutter.add(group.version(20 - i, 20 - i));
        }
        PasisMessage.History unit = group.history(0, stutter.toArray(GroupFixture.Version[]::new));
        tell(
                0,
                new PasisMessage.History(
                        unit.target(), unit.before(), unit.versions(), true, unit.collected(), unit.fragment()));
        tell(1, group.history(1, old));
        tell(2, group.history(2, old));
        List<Effect> effects = tell(3, group.history(3, group.version(9, 9), old));
        // Slot 0 may hold the version that slot 3 claims below its first five; and slot 4 was not asked yet.
        ValidatingTimestamp last = stutter.getLast().timestamp();
        assertThat(GroupFixture.sent(effects, PasisMessage.Read.class))
                .extracting(ask -> ask.target().slot(), PasisMessage.Read::before)
                .containsExactly(tuple(0, last), tuple(4, ValidatingTimestamp.NONE));
        assertThat(read.outcome()).isEmpty();
        effects = tell(
                0, new PasisMessage.History(unit.target(), last, List.of(), false, ValidatingTimestamp.NONE, null));
        assertThat(GroupFixture.sent(effects, PasisMessage.ReadFragment.class)).isNotEmpty();
    }

    private PasisMessage.Refused lostSlot(int slot) {
        return new PasisMessage.Refused(
                group.pasis().target(slot), RequestKind.WRITE, fresh.timestamp().name(), PasisRefusal.WRONG_SLOT, 2);
    }

    private PasisMessage.Refused laterEpoch(int slot, RequestKind asked) {
        return new PasisMessage.Refused(group.pasis().target(slot), asked, null, PasisRefusal.OTHER_EPOCH, 2);
    }

    @Test
    void whenOneNamesALaterEpochThoseWhoHaveAnsweredAreAskedAgain() {
        read.start(0);
        for (int slot = 0; slot < 3; slot++) {
            tell(slot, group.history(slot, fresh));
        }
        tell(3, laterEpoch(3, RequestKind.READ));
        assertThat(GroupFixture.sent(pass(read, 400), PasisMessage.FindTime.class))
                .extracting(ask -> ask.target().slot())
                .contains(0, 1, 2)
                .doesNotContain(3);
        tell(0, laterEpoch(0, RequestKind.FIND_TIME));
        pass(read, 50);
        assertThat(read.outcome()).contains(new PasisReadOutcome.Failed(Failure.OTHER_EPOCH));
    }

    @Test
    void whatCannotBeWrittenBackInItsEpochIsNotReturned() {
        read.start(0);
        tell(0, group.history(0, fresh, old));
        tell(1, group.history(1, fresh, old));
        tell(2, group.history(2, old));
        tell(3, group.history(3, old));
        tell(2, lostSlot(2));
        tell(3, lostSlot(3));
        pass(read, 50);
        assertThat(read.outcome()).contains(new PasisReadOutcome.Failed(Failure.OTHER_EPOCH));
        assertThat(read.isFinished()).isTrue();
    }
}
