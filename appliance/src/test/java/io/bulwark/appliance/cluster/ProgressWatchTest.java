package io.bulwark.appliance.cluster;

import static org.assertj.core.api.Assertions.assertThat;

import java.util.concurrent.atomic.AtomicLong;
import org.jspecify.annotations.NullMarked;
import org.junit.jupiter.api.Test;

@NullMarked
class ProgressWatchTest {
    private final AtomicLong now = new AtomicLong();
    private final ProgressWatch watch = new ProgressWatch(now::get);

    private boolean isStalledAfter(double share, String observed) {
        now.addAndGet((long) (ProgressWatch.PATIENCE.toNanos() * share));
        return watch.isStalled(observed);
    }

    @Test
    void whatMovesMayTakeAsLongAsItLikes() {
        for (int i = 0; i < 100; i++) {
            assertThat(isStalledAfter(0.9, "step " + i)).isFalse();
        }
    }

    @Test
    void whatMovesNoMoreIsStalled() {
        assertThat(isStalledAfter(2, "a")).isFalse();
        assertThat(isStalledAfter(0.6, "a")).isFalse();
        assertThat(isStalledAfter(0.6, "a")).isTrue();
        assertThat(isStalledAfter(0.6, "b")).isFalse();
    }

    @Test
    void whatGoesToAndFroIsStalled() {
        watch.isStalled("a");
        watch.isStalled("b");
        assertThat(isStalledAfter(0.6, "a")).isFalse();
        assertThat(isStalledAfter(0.6, "b")).isTrue();
    }
}
