package io.bulwark.client;

import static org.assertj.core.api.Assertions.assertThat;

import io.bulwark.client.ClusterStatus.Recoveries;
import io.bulwark.client.ClusterStatus.Recovery;
import io.bulwark.protocol.ordering.recovery.RecoveryReport.KnownRecovery;
import io.bulwark.protocol.ordering.recovery.RecoveryReport.Phase;
import io.bulwark.protocol.ordering.recovery.RecoveryStatus;
import java.time.Duration;
import java.time.Instant;
import java.util.ArrayList;
import java.util.List;
import java.util.SortedMap;
import java.util.TreeMap;
import java.util.stream.IntStream;
import org.jspecify.annotations.NullMarked;
import org.junit.jupiter.api.Test;

/** Four replicas, one of which may lie. */
@NullMarked
class RecoveryFactsTest {
    private static final long WALL = 1_700_000_000_000L;
    private static final long PERIOD = 600_000;
    private static final long KEY = 60_000;

    private final SortedMap<Integer, RecoveryStatus> answers = new TreeMap<>();

    @Test
    void theWindowIsWhatTwoSeeAtLeast() {
        for (int i = 0; i < 3; i++) {
            answers.put(i, status(KEY, all(WALL, 1_000 + i)));
        }
        assertThat(summary().window()).contains(Duration.ofMillis(2 * KEY + PERIOD + 1_001));
        answers.put(3, status(KEY, all(WALL, RecoveryStatus.MILLIS_MAX)));
        assertThat(summary().window()).as("a liar exaggerates").contains(Duration.ofMillis(2 * KEY + PERIOD + 1_002));
        answers.put(3, status(0, List.of()));
        assertThat(summary().window()).as("a liar hides it").contains(Duration.ofMillis(2 * KEY + PERIOD + 1_001));
        assertThat(summary().period()).isEqualTo(Duration.ofMillis(PERIOD));
        assertThat(summary().oldestKey()).isEqualTo(Duration.ofMillis(KEY));
    }

    @Test
    void thereIsNoWindowWhileTwoKnowOfAReplicaThatNeverRecovered() {
        answers.put(0, status(KEY, all(WALL, 1_000)));
        for (int i = 1; i < 4; i++) {
            answers.put(i, status(KEY, all(WALL, 1_000).subList(0, 3)));
        }
        assertThat(summary().window()).isEmpty();
        assertThat(summary().replicas().get(3).last()).isEmpty();
    }

    @Test
    void whoCameLaterCountsForTheWindowSinceThenAndHasNotRecovered() {
        List<KnownRecovery> known = new ArrayList<>(all(WALL, 1_000).subList(0, 3));
        known.add(new KnownRecovery(3, 128, 0, WALL - 2 * PERIOD, 0, false, false));
        for (int i = 0; i < 3; i++) {
            answers.put(i, status(KEY, known));
        }
        assertThat(summary().window()).contains(Duration.ofMillis(2 * KEY + 2 * PERIOD + 1_000));
        assertThat(summary().replicas().get(3)).satisfies(came -> {
            assertThat(came.last()).isEmpty();
            assertThat(came.joined()).contains(Instant.ofEpochMilli(WALL - 2 * PERIOD));
            assertThat(came.overdue()).isTrue();
        });
        assertThat(summary().replicas().getFirst().joined()).isEmpty();
    }

    @Test
    void anAlarmNeedsTwoOthers() {
        KnownRecovery slow = new KnownRecovery(2, 130, 384, WALL - 2 * PERIOD, 200_000, true, true);
        answers.put(0, status(KEY, List.of(slow)));
        answers.put(1, status(KEY, all(WALL, 1_000)));
        answers.put(2, status(KEY, List.of(slow)));
        assertThat(summary().replicas().get(2)).satisfies(this::isCalm);
        answers.put(3, status(KEY, List.of(slow)));
        assertThat(summary().replicas().get(2)).satisfies(alarmed -> {
            assertThat(alarmed.open()).isTrue();
            assertThat(alarmed.slow()).isTrue();
            assertThat(alarmed.overdue()).isTrue();
            assertThat(alarmed.last()).as("what two say at least").contains(Instant.ofEpochMilli(WALL - 2 * PERIOD));
        });
        assertThat(summary().replicas().get(1)).satisfies(this::isCalm);
    }

    @Test
    void whoDoesNotAnswerIsUnknownAndItsStepsAreItsOwn() {
        answers.put(
                0,
                new RecoveryStatus(
                        PERIOD,
                        KEY,
                        WALL,
                        true,
                        Phase.REACHING,
                        true,
                        new RecoveryStatus.Steps(900, 20, 40, RecoveryStatus.NEVER, RecoveryStatus.NEVER, 384, 10, 1),
                        List.of()));
        List<Recovery> replicas = summary().replicas();
        assertThat(replicas).extracting(Recovery::phase).containsExactly("reaching", "unknown", "unknown", "unknown");
        assertThat(replicas.getFirst().forgotten()).isTrue();
        assertThat(replicas.getFirst().steps()).hasValueSatisfying(steps -> {
            assertThat(steps.answered()).contains(Duration.ofMillis(40));
            assertThat(steps.checked()).isEmpty();
            assertThat(steps.damagedPages()).isEqualTo(1);
        });
        assertThat(replicas.get(1).steps()).isEmpty();
    }

    private void isCalm(Recovery recovery) {
        assertThat(recovery.open() || recovery.slow() || recovery.overdue()).isFalse();
    }

    private Recoveries summary() {
        return RecoveryFacts.summary(List.of(0, 1, 2, 3), 1, answers);
    }

    private static List<KnownRecovery> all(long agreedMillis, long tookMillis) {
        return IntStream.range(0, 4)
                .mapToObj(i -> new KnownRecovery(i, 130, 384, agreedMillis, tookMillis, false, false))
                .toList();
    }

    private static RecoveryStatus status(long oldestKeyMillis, List<KnownRecovery> known) {
        return new RecoveryStatus(
                PERIOD, oldestKeyMillis, WALL, true, Phase.NONE, false, RecoveryStatus.Steps.NONE, known);
    }
}
