package io.bulwark.protocol.ordering.view;

import static org.assertj.core.api.Assertions.assertThat;

import io.bulwark.protocol.mutation.PlantedBug;
import io.bulwark.protocol.ordering.message.ReplicaMessage.Status;
import io.bulwark.protocol.wire.Bytes;
import org.jspecify.annotations.NullMarked;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

@NullMarked
class StartedViewCheckTest {
    private static final long VIEW = 5;

    private static StartedViewCheck begun(int faulty) {
        return new StartedViewCheck(new ViewGroup(faulty, 8, 16), VIEW);
    }

    private static Status in(long view, boolean active) {
        return new Status(view, active, 0, 0, Bytes.EMPTY, Bytes.EMPTY, 0, false);
    }

    @PlantedBug(
            in = StartedViewCheck.class,
            rule = "f others must say that a view had begun before a replica believes it",
            replace = "return count(true) >= group.faulty();",
            with = "return count(true) >= group.faulty() - 1;")
    @ParameterizedTest
    @ValueSource(ints = {1, 2})
    void fOthersAreBelievedThatItHasBegunAndNoFewer(int faulty) {
        StartedViewCheck begun = begun(faulty);
        for (int replica = 0; replica < faulty; replica++) {
            assertThat(begun.isTrue()).isFalse();
            begun.onStatus(replica, in(VIEW, true));
        }
        assertThat(begun.isTrue()).isTrue();
        begun.forget(0);
        assertThat(begun.isTrue()).isFalse();
    }

    @PlantedBug(
            in = StartedViewCheck.class,
            rule = "2f + 1 others must say that a view had not begun before a replica believes it",
            replace = "return count(false) >= group.quorum();",
            with = "return count(false) >= 2 * group.faulty();")
    @ParameterizedTest
    @ValueSource(ints = {1, 2})
    void twoFPlusOneOthersAreBelievedThatItHasNotAndNoFewer(int faulty) {
        StartedViewCheck begun = begun(faulty);
        for (int replica = 0; replica < 2 * faulty + 1; replica++) {
            assertThat(begun.isFalse()).isFalse();
            begun.onStatus(replica, in(VIEW - 1, true));
        }
        assertThat(begun.isFalse()).isTrue();
        assertThat(begun.isTrue()).isFalse();
    }

    @Test
    void whoAsksForItHasNotBegunItAndWhoAsksForALaterOneHas() {
        StartedViewCheck begun = begun(1);
        begun.onStatus(0, in(VIEW, false));
        assertThat(begun.isTrue()).isFalse();
        begun.onStatus(0, in(VIEW + 1, false));
        assertThat(begun.isTrue()).isTrue();
    }
}
