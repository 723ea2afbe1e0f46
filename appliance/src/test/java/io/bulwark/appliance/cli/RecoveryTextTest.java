package io.bulwark.appliance.cli;

import static org.assertj.core.api.Assertions.assertThat;

import io.bulwark.console.StatusView;
import java.util.List;
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
        List<String> parts =
                RecoveryText.of(new StatusView.Recoveries(600_000, 50_000, 701_240L, List.of(calm, alarming)), NOW);
        assertThat(parts.getFirst())
                .contains(
                        "replica-0  none        3 min 5 s ago  20 ms      45 ms     310 ms   1.2 s      120 checked, 0"
                                + " replaced")
                .contains("replica-1  estimating  never")
                .contains("SLOW, OVERDUE, promises lost");
        assertThat(parts.get(1))
                .isEqualTo(
                        "Window of vulnerability: 11 min 41 s at most = 2 x oldest key in force (50.0 s) + T_w (10 min)"
                                + " + longest recovery and what is overdue (1.2 s).");
    }

    @Test
    void thereIsNoBoundBeforeAllHaveRecoveredAndNothingToTellWhereNoneDoes() {
        assertThat(RecoveryText.of(new StatusView.Recoveries(90_000, 0, null, List.of()), NOW)
                        .getLast())
                .contains("no bound", "1 min 30 s");
        assertThat(RecoveryText.of(new StatusView.Recoveries(0, 0, null, List.of()), NOW))
                .isEmpty();
    }

    @Test
    void whoCameLaterIsShownWithThatAndWhoNeverRecoveredIsNamed() {
        StatusView.Recovery recovered =
                new StatusView.Recovery(0, "none", false, NOW - 5_000, null, false, false, false, null);
        StatusView.Recovery joined =
                new StatusView.Recovery(4, "none", false, null, NOW - 61_000, false, false, false, null);
        StatusView.Recovery never = new StatusView.Recovery(2, "none", false, null, null, false, false, false, null);
        List<String> parts =
                RecoveryText.of(new StatusView.Recoveries(600_000, 0, null, List.of(recovered, joined, never)), NOW);
        assertThat(parts.getFirst()).contains("replica-4  none  never; joined 1 min 1 s ago");
        assertThat(parts.getLast())
                .isEqualTo("Window of vulnerability: no bound before replica-2 has recovered once (T_w is 10 min).");
    }

    @Test
    void durationsHaveTwoUnitsAtMost() {
        assertThat(Text.duration(0)).isEqualTo("0 ms");
        assertThat(Text.duration(59_900)).isEqualTo("59.9 s");
        assertThat(Text.duration(60_000)).isEqualTo("1 min");
        assertThat(Text.duration(3_725_000)).isEqualTo("1 h 2 min");
    }
}
