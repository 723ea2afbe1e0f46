package io.bulwark.appliance.supervisor;

import static org.assertj.core.api.Assertions.assertThat;

import io.bulwark.protocol.mutation.PlantedBug;
import io.bulwark.protocol.ordering.recovery.RecoveryReport.KnownRecovery;
import io.bulwark.protocol.ordering.recovery.RecoveryReport.Phase;
import io.bulwark.protocol.ordering.recovery.RecoveryStatus;
import java.util.List;
import java.util.SortedMap;
import java.util.TreeMap;
import org.jspecify.annotations.NullMarked;
import org.junit.jupiter.api.Test;

@NullMarked
class GroupHealthTest {
    private static final int REPLICAS = 4;
    private static final long T = 5_000_000;

    private final SortedMap<Integer, RecoveryStatus> answers = new TreeMap<>();

    @Test
    void whereAllServeNothingSpeaksAgainstARecovery() {
        allServe();
        GroupHealth standing = GroupHealth.of(1, REPLICAS, answers);
        assertThat(standing.othersProblem()).isEmpty();
        assertThat(standing.ownProblem()).isEmpty();
        assertThat(standing.doubt()).isEmpty();
        assertThat(standing.lastMillis()).isEmpty();
        assertThat(standing.tookMillis()).isEmpty();
    }

    @Test
    void oneOtherThatIsSilentOrBehindOrRecoversIsEnough() {
        allServe();
        answers.remove(3);
        assertThat(GroupHealth.of(1, REPLICAS, answers).othersProblem()).isEqualTo("replica-3 does not answer");
        answers.put(3, status(false, Phase.NONE));
        assertThat(GroupHealth.of(1, REPLICAS, answers).othersProblem()).isEmpty();
        assertThat(GroupHealth.of(1, REPLICAS, answers).doubt()).isEqualTo("replica-3 takes no part in ordering");
        assertThat(GroupHealth.of(3, REPLICAS, answers).ownProblem()).isEmpty();
        assertThat(GroupHealth.of(3, REPLICAS, answers).doubt()).isEqualTo("replica-3 takes no part in ordering");
        answers.put(3, status(true, Phase.REACHING));
        assertThat(GroupHealth.of(1, REPLICAS, answers).othersProblem()).isEqualTo("replica-3 recovers");
        assertThat(GroupHealth.of(3, REPLICAS, answers).othersProblem()).isEmpty();
        assertThat(GroupHealth.of(3, REPLICAS, answers).ownProblem()).isEqualTo("replica-3 recovers");
    }

    @Test
    void withTwoFaultsTheFirstOneSpeaksNotAgainstIt() {
        for (int replica = 0; replica < 7; replica++) {
            answers.put(replica, status(true, Phase.NONE));
        }
        answers.remove(3);
        assertThat(GroupHealth.of(1, 7, answers).othersProblem()).isEmpty();
        answers.remove(6);
        assertThat(GroupHealth.of(1, 7, answers).othersProblem())
                .isEqualTo("replica-3 does not answer, replica-6 does not answer");
    }

    @PlantedBug(
            in = GroupHealth.class,
            rule = "one replica's word about another is not believed",
            replace = "open > faulty ?",
            with = "open > 0 ?")
    @Test
    void whatOneSaysOfAnotherCountsForNothingAloneAndTwoAreBelieved() {
        allServe();
        answers.put(0, status(true, Phase.NONE, known(2, T, true)));
        assertThat(GroupHealth.of(1, REPLICAS, answers).othersProblem()).isEmpty();
        assertThat(GroupHealth.of(2, REPLICAS, answers).lastMillis()).isEmpty();
        answers.put(3, status(true, Phase.NONE, known(2, T - 1, true)));
        assertThat(GroupHealth.of(1, REPLICAS, answers).othersProblem()).isEqualTo("replica-2 recovers");
        assertThat(GroupHealth.of(2, REPLICAS, answers).ownProblem()).isEqualTo("replica-2 recovers");
        assertThat(GroupHealth.of(2, REPLICAS, answers).lastMillis()).hasValue(T - 1);
    }

    @Test
    void aReplicasWordOfItsOwnRecoveryIsNoWordOfTheOthers() {
        allServe();
        answers.put(2, status(true, Phase.NONE, known(2, T, true)));
        answers.put(3, status(true, Phase.NONE, known(2, T, true)));
        assertThat(GroupHealth.of(1, REPLICAS, answers).othersProblem()).isEmpty();
        assertThat(GroupHealth.of(2, REPLICAS, answers).lastMillis()).isEmpty();
    }

    @Test
    void whoHasComeWithAConfigurationHasNotRecovered() {
        allServe();
        KnownRecovery came = new KnownRecovery(2, 128, 0, T, 0, false, false);
        answers.put(0, status(true, Phase.NONE, came));
        answers.put(3, status(true, Phase.NONE, came));
        assertThat(GroupHealth.of(2, REPLICAS, answers).lastMillis()).isEmpty();
    }

    private void allServe() {
        for (int replica = 0; replica < REPLICAS; replica++) {
            answers.put(replica, status(true, Phase.NONE));
        }
    }

    private static KnownRecovery known(int replica, long agreedMillis, boolean open) {
        return new KnownRecovery(replica, 7, 256, agreedMillis, 5, open, false);
    }

    private static RecoveryStatus status(boolean takesPart, Phase phase, KnownRecovery... known) {
        return new RecoveryStatus(600_000, 0, T, takesPart, phase, false, RecoveryStatus.Steps.NONE, List.of(known));
    }
}
