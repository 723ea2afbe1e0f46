package io.bulwark.metadata.bft;

import static org.assertj.core.api.Assertions.assertThat;

import org.jspecify.annotations.NullMarked;
import org.junit.jupiter.api.Test;

@NullMarked
class RehearsalTest {
    @Test
    void allFourComeToTheNextView() {
        assertThat(Rehearsal.viewChange()).containsExactly(1L, 1L, 1L, 1L);
    }
}
