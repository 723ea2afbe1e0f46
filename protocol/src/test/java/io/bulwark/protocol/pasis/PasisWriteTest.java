package io.bulwark.protocol.pasis;

import static org.assertj.core.api.Assertions.assertThat;

import io.bulwark.protocol.effect.Effect;
import io.bulwark.protocol.kernel.Failure;
import io.bulwark.protocol.mutation.PlantedBug;
import io.bulwark.protocol.wire.Bytes;
import java.util.ArrayList;
import java.util.List;
import org.jspecify.annotations.NullMarked;
import org.junit.jupiter.api.Test;

/** WRITE (lazy verification paper, 2.2), with b = 1, m = 2, N = 5. */
@NullMarked
class PasisWriteTest {
    private final GroupFixture group = GroupFixture.of(1, 2, 5);
    private final Bytes data = group.version(1, 1).block();
    private final PasisWrite write = new PasisWrite(group.pasis(), GroupFixture.CLIENT, 5, data, GroupFixture.TIMES);
    private long now;

    private List<Effect> tell(int slot, PasisMessage answer) {
        return write.onMessage(now, GroupFixture.node(slot), answer);
    }

    private List<Effect> time(int slot, long time) {
        return tell(slot, new PasisMessage.FoundTime(group.pasis().target(slot), time));
    }

    private List<Effect> pass(long millis) {
        List<Effect> effects = new ArrayList<>();
        for (long end = now + millis; now < end; ) {
            now += 50;
            effects.addAll(write.onTick(now));
        }
        return effects;
    }

    private ValidatingTimestamp begun() {
        write.start(0);
        List<Effect> effects = new ArrayList<>();
        for (int slot = 0; slot < 4; slot++) {
            effects.addAll(time(slot, 6));
        }
        return GroupFixture.sent(effects, PasisMessage.Write.class).getFirst().timestamp();
    }

    @PlantedBug(
            in = PasisWrite.class,
            rule = "b liars cannot raise the time",
            replace = "long greatest = all.get(group.b());",
            with = "long greatest = all.get(0);")
    @Test
    void theTimeIsOneAfterTheBPlusFirstGreatestOfNMinusB() {
        assertThat(GroupFixture.sent(write.start(0), PasisMessage.FindTime.class))
                .hasSize(5);
        time(0, 900);
        time(1, 5);
        assertThat(time(2, 7)).isEmpty();
        List<PasisMessage.Write> writes = GroupFixture.sent(time(3, 6), PasisMessage.Write.class);
        assertThat(writes).hasSize(5).allMatch(sent -> sent.timestamp().time() == 8 && sent.session() == 5);
        assertThat(writes)
                .allMatch(sent ->
                        group.pasis().accepts(sent.timestamp(), sent.target().slot(), sent.fragment()));
    }

    @PlantedBug(
            in = PasisGroup.class,
            rule = "N - b answers are needed",
            replace = "return n() - (placement.lowersTo() == 0 ? b() : placement.lowersTo());",
            with = "return n() - 1 - (placement.lowersTo() == 0 ? b() : placement.lowersTo());")
    @Test
    void itIsDoneAtNMinusBAnswersAndGoesOnInTheBackground() {
        ValidatingTimestamp version = begun();
        for (int slot = 0; slot < 3; slot++) {
            tell(slot, group.written(slot, version));
            tell(slot, group.written(slot, version));
            assertThat(write.outcome()).isEmpty();
        }
        tell(3, group.written(3, version));
        assertThat(write.outcome()).contains(new PasisWriteOutcome.Written(version));
        assertThat(write.isFinished()).isFalse();
        assertThat(GroupFixture.sent(pass(500), PasisMessage.Write.class))
                .extracting(sent -> sent.target().slot())
                .containsOnly(4);
        pass(600);
        assertThat(write.isFinished()).isTrue();
    }

    @Test
    void whereNodesAreFarApartTheBlockIsReadFirst() {
        write.start(0);
        time(0, 1L << 40);
        time(1, 1L << 20);
        time(2, 3);
        assertThat(GroupFixture.sent(time(3, 3), PasisMessage.Write.class)).isEmpty();
        List<Effect> effects = time(4, 3);
        assertThat(GroupFixture.sent(effects, PasisMessage.Write.class)).isEmpty();
        assertThat(GroupFixture.sent(effects, PasisMessage.Read.class)).hasSize(4);
        GroupFixture.Version known = group.version(3, 3);
        effects.clear();
        for (int slot = 0; slot < 4; slot++) {
            effects.addAll(tell(slot, group.history(slot, known)));
        }
        assertThat(GroupFixture.sent(effects, PasisMessage.Write.class))
                .hasSize(5)
                .allMatch(sent -> sent.timestamp().time() == 4);
    }

    @Test
    void aVersionThatWasSentIsNotGivenUpForAnother() {
        ValidatingTimestamp version = begun();
        for (int slot = 0; slot < 4; slot++) {
            tell(slot, group.refused(slot, RequestKind.WRITE, version, PasisRefusal.FAR));
        }
        assertThat(GroupFixture.sent(pass(2_000), PasisMessage.Write.class))
                .isNotEmpty()
                .allMatch(sent -> sent.timestamp().equals(version));
        assertThat(write.outcome()).isEmpty();
    }

    @Test
    void moreThanBThatKnowTheSessionToBeClosedEndIt() {
        ValidatingTimestamp version = begun();
        tell(0, group.refused(0, RequestKind.WRITE, version, PasisRefusal.SESSION_CLOSED));
        pass(1_000);
        assertThat(write.outcome()).isEmpty();
        tell(1, group.refused(1, RequestKind.WRITE, version, PasisRefusal.SESSION_CLOSED));
        pass(50);
        assertThat(write.outcome()).contains(new PasisWriteOutcome.Failed(Failure.SESSION_CLOSED, true));
    }

    @Test
    void boundsAreWaitedForAndNamedWhenTimeIsUp() {
        ValidatingTimestamp version = begun();
        for (int slot = 0; slot < 4; slot++) {
            tell(slot, group.refused(slot, RequestKind.WRITE, version, PasisRefusal.POOL));
        }
        pass(50_000);
        assertThat(write.outcome()).isEmpty();
        pass(15_000);
        assertThat(write.outcome()).contains(new PasisWriteOutcome.Failed(Failure.POOL, true));
    }

    @Test
    void nodesThatAreAtDifferentBoundsCountTogetherAndTheCommonestIsNamed() {
        ValidatingTimestamp version = begun();
        tell(0, group.refused(0, RequestKind.WRITE, version, PasisRefusal.CLIENT_LIMIT));
        tell(1, group.refused(1, RequestKind.WRITE, version, PasisRefusal.BLOCK_LIMIT));
        tell(2, group.refused(2, RequestKind.WRITE, version, PasisRefusal.BLOCK_LIMIT));
        pass(65_000);
        assertThat(write.outcome()).contains(new PasisWriteOutcome.Failed(Failure.BLOCK_LIMIT, true));
    }

    @Test
    void oneNodeAtEachBoundIsEnoughToSayThatItIsOne() {
        ValidatingTimestamp version = begun();
        tell(0, group.refused(0, RequestKind.WRITE, version, PasisRefusal.CLIENT_LIMIT));
        tell(1, group.refused(1, RequestKind.WRITE, version, PasisRefusal.POOL));
        pass(65_000);
        assertThat(write.outcome())
                .hasValueSatisfying(outcome -> assertThat(outcome)
                        .isIn(
                                new PasisWriteOutcome.Failed(Failure.LIMIT, true),
                                new PasisWriteOutcome.Failed(Failure.POOL, true)));
    }

    @Test
    void timesThatAreUsedUpAreNotWrappedRound() {
        write.start(0);
        for (int slot = 0; slot < 4; slot++) {
            time(slot, -1);
        }
        assertThat(write.outcome()).contains(new PasisWriteOutcome.Failed(Failure.EXHAUSTED, false));
    }

    private PasisMessage.Refused laterEpoch(int slot, RequestKind asked, ValidatingTimestamp version) {
        return new PasisMessage.Refused(
                group.pasis().target(slot),
                asked,
                asked == RequestKind.WRITE ? version.name() : null,
                PasisRefusal.OTHER_EPOCH,
                2);
    }

    @Test
    void whenOneNamesALaterEpochThoseWhoHaveAnsweredAreAskedAgain() {
        ValidatingTimestamp version = begun();
        for (int slot = 0; slot < 3; slot++) {
            tell(slot, group.written(slot, version));
        }
        tell(3, laterEpoch(3, RequestKind.WRITE, version));
        assertThat(GroupFixture.sent(pass(400), PasisMessage.FindTime.class))
                .extracting(sent -> sent.target().slot())
                .contains(0, 1, 2, 4)
                .doesNotContain(3);
        tell(1, laterEpoch(1, RequestKind.FIND_TIME, version));
        pass(50);
        assertThat(write.outcome()).contains(new PasisWriteOutcome.EpochOver(version));
        assertThat(write.isFinished()).isTrue();
    }

    @Test
    void beforeAnythingWasSentItBeginsAgainInTheLaterEpoch() {
        write.start(0);
        tell(0, laterEpoch(0, RequestKind.FIND_TIME, ValidatingTimestamp.NONE));
        tell(1, laterEpoch(1, RequestKind.FIND_TIME, ValidatingTimestamp.NONE));
        pass(50);
        assertThat(write.outcome()).contains(new PasisWriteOutcome.Failed(Failure.OTHER_EPOCH, false));
    }

    /** Others may have read it, and written the block again. */
    @Test
    void whatWasSentInAnEarlierEpochGoesOnAtItsTimestamp() {
        ValidatingTimestamp version = begun();
        PasisWrite later = PasisWrite.continueInEpoch(group.pasis(), 5, data, version, GroupFixture.TIMES);
        List<Effect> effects = later.start(0);
        assertThat(GroupFixture.sent(effects, PasisMessage.FindTime.class)).isEmpty();
        assertThat(GroupFixture.sent(effects, PasisMessage.Write.class))
                .hasSize(5)
                .allMatch(sent -> sent.timestamp().equals(version) && sent.session() == 5);
        for (int slot = 0; slot < 4; slot++) {
            later.onMessage(0, GroupFixture.node(slot), group.written(slot, version));
        }
        assertThat(later.outcome()).contains(new PasisWriteOutcome.Written(version));
    }
}
