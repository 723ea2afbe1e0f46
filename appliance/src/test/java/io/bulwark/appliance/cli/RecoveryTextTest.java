package io.bulwark.appliance.cli;

import static org.assertj.core.api.Assertions.assertThat;

import io.bulwark.client.ClusterStatus;
import io.bulwark.console.StatusView;
import java.time.Duration;
import java.time.Instant;
import java.util.List;
import java.util.Optional;
import org.jspecify.annotations.NullMarked;
import org.junit.jupiter.api.Test;

@NullMarked
class RecoveryTextTest {
    private static final long NOW = 1_700_000_000_000L;

    @Test
    void eachReplicasStepsAndAlarmsAreShownAndWhatTheWindowConsistsOf() {
        StatusView.Recovery calm = new StatusView.Recovery(
                0,
                "none",
                false,
                NOW - 185_000,
                null,
                false,
                false,
                false,
                new StatusView.Steps(185_000, 20L, 45L, 310L, 1_240L, 120, 0));
        StatusView.Recovery alarming =
                new StatusView.Recovery(1, "estimating", true, null, null, true, true, true, null);
        List<String> parts = RecoveryText.of(
                new StatusView.Recoveries(600_000, 50_000, 701_240L, null, List.of(calm, alarming)), NOW);
        assertThat(parts.getFirst())
                .contains(
                        "replica-0  none        3 min 5 s ago  20 ms      45 ms     310 ms   1.2 s      120 checked, 0"
                                + " replaced")
                .contains("replica-1  estimating  never")
                .contains("SLOW, OVERDUE, promises lost");
        assertThat(parts.get(1))
                .isEqualTo(
                        "Window of vulnerability: 11 min 41 s at most = 2 x oldest key in force (50.0 s) + T_w (10 min)"
                                + " + longest recovery and overdue time (1.2 s).");
    }

    @Test
    void thereIsNoBoundBeforeAllHaveRecoveredAndNothingToTellWhereNoneDoes() {
        assertThat(text(90_000, recovery(0, Optional.empty(), Optional.empty())).getLast())
                .isEqualTo("Window of vulnerability: no bound before each replica has recovered once (T_w is 1 min 30"
                        + " s).");
        assertThat(text(0)).isEmpty();
    }

    @Test
    void whoCameLaterIsShownWithThatAndWhoNeverRecoveredIsNamed() {
        List<String> parts = text(
                600_000,
                recovery(0, Optional.of(Instant.ofEpochMilli(NOW - 5_000)), Optional.empty()),
                recovery(4, Optional.empty(), Optional.of(Instant.ofEpochMilli(NOW - 61_000))),
                recovery(2, Optional.empty(), Optional.empty()));
        assertThat(parts.getFirst()).contains("replica-4  none  never; joined 1 min 1 s ago");
        assertThat(parts.getLast())
                .isEqualTo("Window of vulnerability: no bound before replica-2 has recovered once (T_w is 10 min).");
    }

    /** Formats the recoveries of a cluster of which nothing else is known, and whose window has no bound. */
    private static List<String> text(long periodMillis, ClusterStatus.Recovery... replicas) {
        ClusterStatus status = new ClusterStatus(
                List.of(),
                List.of(),
                List.of(),
                List.of(),
                List.of(),
                new ClusterStatus.Recoveries(
                        Duration.ofMillis(periodMillis), Duration.ZERO, Optional.empty(), List.of(replicas)));
        return RecoveryText.of(StatusView.of(status).recoveries(), NOW);
    }

    private static ClusterStatus.Recovery recovery(int replica, Optional<Instant> last, Optional<Instant> joined) {
        return new ClusterStatus.Recovery(replica, "none", false, Optional.empty(), last, joined, false, false, false);
    }

    @Test
    void durationsHaveTwoUnitsAtMost() {
        assertThat(Text.duration(0)).isEqualTo("0 ms");
        assertThat(Text.duration(59_900)).isEqualTo("59.9 s");
        assertThat(Text.duration(60_000)).isEqualTo("1 min");
        assertThat(Text.duration(3_725_000)).isEqualTo("1 h 2 min");
    }
}
