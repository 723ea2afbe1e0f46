package io.bulwark.storage.background;

import static org.assertj.core.api.Assertions.assertThat;

import java.util.concurrent.TimeUnit;
import org.jspecify.annotations.NullMarked;
import org.junit.jupiter.api.Test;

@NullMarked
class PoolShortageTest {
    private static final long MIB = 1 << 20;

    private long seconds = 1_000;
    private final PoolShortage shortage = new PoolShortage(() -> TimeUnit.SECONDS.toNanos(seconds));

    @Test
    void itTellsWhatIsNeededInWholeUnits() {
        assertThat(shortage.neededBytes()).isZero();
        shortage.note(1);
        assertThat(shortage.neededBytes()).isEqualTo(MIB);
        shortage.note(7 * MIB);
        assertThat(shortage.neededBytes()).isEqualTo(7 * MIB);
        shortage.note(7 * MIB + 1);
        assertThat(shortage.neededBytes()).isEqualTo(8 * MIB);
    }

    @Test
    void itIsOverWhenNobodyHasWrittenForAMinute() {
        shortage.note(3 * MIB);
        for (int write = 0; write < 5; write++) {
            seconds += 40;
            assertThat(shortage.neededBytes()).isEqualTo(3 * MIB);
            shortage.note(3 * MIB);
        }
        seconds += 60;
        assertThat(shortage.neededBytes()).isZero();
    }

    @Test
    void theVolumeThatNeedsMostCountsWhileItIsWritten() {
        shortage.note(9 * MIB);
        seconds += 40;
        shortage.note(2 * MIB);
        assertThat(shortage.neededBytes()).isEqualTo(9 * MIB);
        seconds += 30;
        shortage.note(2 * MIB);
        assertThat(shortage.neededBytes()).isEqualTo(2 * MIB);
    }

    @Test
    void itIsSaidOnceInAMinute() {
        assertThat(shortage.note(2 * MIB)).isTrue();
        assertThat(shortage.note(3 * MIB)).isFalse();
        seconds += 59;
        assertThat(shortage.note(3 * MIB)).isFalse();
        seconds += 1;
        assertThat(shortage.note(3 * MIB)).isTrue();
        assertThat(shortage.note(3 * MIB)).isFalse();
    }
}
