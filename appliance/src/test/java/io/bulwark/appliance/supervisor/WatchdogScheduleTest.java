package io.bulwark.appliance.supervisor;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.bulwark.appliance.supervisor.WatchdogSchedule.Decision;
import io.bulwark.protocol.mutation.PlantedBug;
import java.util.OptionalLong;
import java.util.stream.IntStream;
import org.jspecify.annotations.NullMarked;
import org.junit.jupiter.api.Test;

@NullMarked
class WatchdogScheduleTest {
    private static final long PERIOD = 600_000;
    private static final long SLOT = PERIOD / 4;

    /** A multiple of the period: replica 0's turn. */
    private static final long DAY = 1_000_000 * PERIOD;

    private static final GroupHealth GOOD = standing("", "", "");
    private static final GroupHealth OTHERS = standing("replica-2 does not answer", "", "replica-2 does not answer");
    private static final GroupHealth OWN = standing("", "replica-0 recovers", "replica-0 recovers");
    private static final GroupHealth IDLE = standing("", "", "replica-2 takes no part in ordering");

    @PlantedBug(
            in = WatchdogSchedule.class,
            rule = "replicas recover one after the other",
            replace = "long offset = replica * (periodMillis / replicas);",
            with = "long offset = 0;")
    @Test
    void eachReplicaHasItsTurnOncePerPeriodAndNoTwoAtATime() {
        long[] last = new long[4];
        for (int replica = 0; replica < 4; replica++) {
            WatchdogSchedule turns = new WatchdogSchedule(replica, 4, PERIOD, DAY);
            for (int round = 0; round < 3; round++) {
                long due = turns.nextMillis();
                assertThat(due % PERIOD).isEqualTo(replica * SLOT);
                assertThat(turns.isDue(due - 1)).isFalse();
                assertThat(turns.isDue(due)).isTrue();
                assertThat(turns.decide(due, GOOD)).isInstanceOf(Decision.Begin.class);
                turns.begun(due);
                assertThat(turns.nextMillis()).isEqualTo(due + PERIOD);
                last[replica] = due;
            }
        }
        assertThat(IntStream.range(0, 4).mapToLong(replica -> last[replica] % PERIOD))
                .containsExactly(0L, SLOT, 2 * SLOT, 3 * SLOT);
    }

    @Test
    void theFirstTurnComesHalfAPeriodAfterTheStartOrLater() {
        for (long start = DAY; start < DAY + PERIOD; start += 10_000) {
            for (int replica = 0; replica < 4; replica++) {
                assertThat(new WatchdogSchedule(replica, 4, PERIOD, start).nextMillis())
                        .isBetween(start + PERIOD / 2, start + PERIOD / 2 + PERIOD - 1);
            }
        }
    }

    @Test
    void itIsNeverTheReplicaTooManyHoweverLateItsTurnIs() {
        WatchdogSchedule turns = new WatchdogSchedule(0, 4, PERIOD, DAY);
        long due = turns.nextMillis();
        for (long late = 0; late <= PERIOD / 2; late += 10_000) {
            assertThat(turns.isDue(due + late)).isTrue();
            assertThat(turns.decide(due + late, OTHERS)).isEqualTo(new Decision.Postpone("replica-2 does not answer"));
            assertThat(turns.isDue(due + late + 100)).as("not at every tick").isFalse();
        }
        assertThat(turns.decide(due + PERIOD / 2 + 10_000, OTHERS))
                .isEqualTo(new Decision.Missed("replica-2 does not answer"));
        assertThat(turns.nextMillis()).isEqualTo(due + PERIOD);
        assertThat(turns.isDue(due + PERIOD - 1)).isFalse();
    }

    @Test
    void aTurnThatWasPutOffBeginsOnceTheOthersServeAndTheNextStaysInItsPlace() {
        WatchdogSchedule turns = new WatchdogSchedule(0, 4, PERIOD, DAY);
        long due = turns.nextMillis();
        assertThat(turns.decide(due, OTHERS)).isInstanceOf(Decision.Postpone.class);
        assertThat(turns.decide(due + PERIOD / 2, GOOD)).isInstanceOf(Decision.Begin.class);
        turns.begun(due + PERIOD / 2);
        assertThat(turns.nextMillis()).isEqualTo(due + PERIOD);
    }

    @Test
    void whoHasNotFinishedIsLeftAloneButNotForeverOnAnyonesOwnWord() {
        WatchdogSchedule turns = new WatchdogSchedule(0, 4, PERIOD, DAY);
        long due = turns.nextMillis();
        for (GroupHealth standing : new GroupHealth[] {OWN, IDLE}) {
            assertThat(turns.decide(due, standing)).isEqualTo(new Decision.Postpone(standing.doubt()));
            assertThat(turns.decide(due + PERIOD / 4, standing)).isInstanceOf(Decision.Postpone.class);
            assertThat(turns.decide(due + PERIOD / 4 + 1, standing)).isInstanceOf(Decision.Begin.class);
        }
    }

    @Test
    void whoHasJustRecoveredByHandNeedsNoTurn() {
        WatchdogSchedule turns = new WatchdogSchedule(0, 4, PERIOD, DAY);
        long due = turns.nextMillis();
        GroupHealth lately = new GroupHealth("", "", "", OptionalLong.of(due - PERIOD / 2 + 1), OptionalLong.empty());
        assertThat(turns.decide(due, lately)).isInstanceOf(Decision.NotNeeded.class);
        assertThat(turns.nextMillis()).isEqualTo(due + PERIOD);
        GroupHealth before = new GroupHealth("", "", "", OptionalLong.of(due + PERIOD / 2), OptionalLong.empty());
        assertThat(turns.decide(due + PERIOD, before)).isInstanceOf(Decision.Begin.class);
    }

    @Test
    void anOperatorIsToldWhatSpeaksAgainstIt() {
        WatchdogSchedule turns = new WatchdogSchedule(0, 4, PERIOD, DAY);
        assertThat(turns.objection(DAY, GOOD)).isEmpty();
        assertThat(turns.objection(DAY, OTHERS)).isEqualTo("replica-2 does not answer");
        assertThat(turns.objection(DAY, OWN)).isEqualTo("replica-0 recovers");
        assertThat(turns.objection(DAY, IDLE)).isEmpty();
        assertThat(turns.objection(
                        DAY, new GroupHealth("", "", "", OptionalLong.of(DAY - 10_000), OptionalLong.empty())))
                .contains("half of T_w");
        assertThat(turns.objection(
                        DAY, new GroupHealth("", "", "", OptionalLong.of(DAY - PERIOD / 2), OptionalLong.empty())))
                .isEmpty();
    }

    @Test
    void aReplicaThatCannotBeStartedFromCorrectCodeHasAnEighthOfThePeriodAndIsThenStopped() {
        WatchdogSchedule turns = new WatchdogSchedule(1, 4, PERIOD, DAY);
        long due = turns.nextMillis();
        assertThat(turns.refuse(due, "not allowed")).isEqualTo(new Decision.Postpone("not allowed"));
        assertThat(turns.nextMillis()).isEqualTo(due);
        assertThat(turns.refuse(due + SLOT / 2, "not allowed")).isInstanceOf(Decision.Postpone.class);
        assertThat(turns.refuse(due + SLOT / 2 + 1, "not allowed")).isEqualTo(new Decision.Stop("not allowed"));
        assertThat(turns.nextMillis()).isEqualTo(due + PERIOD);
    }

    @Test
    void whereNobodySaysWhatMayBeStartedTheReplicaGoesOn() {
        WatchdogSchedule turns = new WatchdogSchedule(1, 4, PERIOD, DAY);
        long due = turns.nextMillis();
        assertThat(turns.decideUnsure(due + PERIOD / 2, "no list")).isEqualTo(new Decision.Postpone("no list"));
        assertThat(turns.decideUnsure(due + PERIOD / 2 + 1, "no list")).isEqualTo(new Decision.Missed("no list"));
        assertThat(turns.nextMillis()).isEqualTo(due + PERIOD);
    }

    @Test
    void aClockThatIsSetBackOrForwardStopsNoTurns() {
        WatchdogSchedule turns = new WatchdogSchedule(1, 4, PERIOD, DAY);
        long back = DAY - 100 * PERIOD;
        assertThat(turns.isDue(back)).isFalse();
        assertThat(turns.nextMillis()).isBetween(back + PERIOD / 2, back + 2 * PERIOD);
        long forward = DAY + 100 * PERIOD;
        assertThat(turns.isDue(forward)).isFalse();
        assertThat(turns.nextMillis()).isBetween(forward, forward + PERIOD);
        assertThat(turns.isDue(turns.nextMillis())).isTrue();
    }

    @Test
    void afterAMachineHasSleptNotAllAreDueAtOnce() {
        for (long woken = DAY + 2 * PERIOD; woken < DAY + 4 * PERIOD; woken += SLOT / 10) {
            long due = 0;
            for (int replica = 0; replica < 4; replica++) {
                due += new WatchdogSchedule(replica, 4, PERIOD, DAY).isDue(woken) ? 1 : 0;
            }
            assertThat(due).as("at %d", woken).isLessThanOrEqualTo(1);
        }
    }

    @Test
    void aPeriodThatLeavesRecoveriesNoRoomIsTold() {
        WatchdogSchedule turns = new WatchdogSchedule(0, 4, PERIOD, DAY);
        assertThat(turns.isTooShortFor(SLOT / 2)).isFalse();
        assertThat(turns.isTooShortFor(SLOT / 2 + 1)).isTrue();
    }

    @Test
    void restartsComeSoonAndThenLessOften() {
        RestartPauses pauses = new RestartPauses();
        assertThat(IntStream.range(0, 8).mapToObj(_ -> pauses.afterEnd(500)))
                .containsExactly(1_000L, 2_000L, 4_000L, 8_000L, 16_000L, 32_000L, 60_000L, 60_000L);
        assertThat(pauses.afterEnd(60_000)).isEqualTo(1_000);
        assertThat(pauses.afterEnd(0)).isEqualTo(2_000);
    }

    @Test
    void turnsThatCannotBeAreRefused() {
        assertThatThrownBy(() -> new WatchdogSchedule(4, 4, PERIOD, DAY)).isInstanceOf(IllegalArgumentException.class);
        assertThatThrownBy(() -> new WatchdogSchedule(0, 4, 3, DAY)).isInstanceOf(IllegalArgumentException.class);
    }

    private static GroupHealth standing(String others, String own, String doubt) {
        return new GroupHealth(others, own, doubt, OptionalLong.empty(), OptionalLong.empty());
    }
}
