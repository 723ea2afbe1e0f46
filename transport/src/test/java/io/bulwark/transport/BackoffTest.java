package io.bulwark.transport;

import static org.assertj.core.api.Assertions.assertThat;

import java.util.SplittableRandom;
import org.jspecify.annotations.NullMarked;
import org.junit.jupiter.api.Test;

@NullMarked
class BackoffTest {
    @Test
    void pausesDoubleUpToTheBoundAndVaryByHalf() {
        SplittableRandom random = new SplittableRandom(1);
        for (int i = 0; i < 1_000; i++) {
            assertThat(Backoff.pauseMillis(0, 50, 5_000, random)).isBetween(25L, 50L);
            assertThat(Backoff.pauseMillis(3, 50, 5_000, random)).isBetween(200L, 400L);
            assertThat(Backoff.pauseMillis(7, 50, 5_000, random)).isBetween(2_500L, 5_000L);
            assertThat(Backoff.pauseMillis(Integer.MAX_VALUE, 50, 5_000, random))
                    .isBetween(2_500L, 5_000L);
            assertThat(Backoff.pauseMillis(5, 1, 1, random)).isBetween(1L, 1L);
        }
    }

    @Test
    void pausesDiffer() {
        SplittableRandom random = new SplittableRandom(1);
        assertThat(java.util.stream.LongStream.generate(() -> Backoff.pauseMillis(9, 50, 5_000, random))
                        .limit(20)
                        .distinct()
                        .count())
                .isGreaterThan(10);
    }
}
