package io.bulwark.storage.background;

import static org.assertj.core.api.Assertions.assertThat;

import org.jspecify.annotations.NullMarked;
import org.junit.jupiter.api.Test;

@NullMarked
class ReadChoiceTest {
    private final ReadChoice choice = new ReadChoice();

    @Test
    void aNodeVerifiesBeforeReadsWhereMostAreReadsAndLittleIsGoingOn() {
        assertThat(choice.verifies(0, 1)).isTrue();
        assertThat(choice.verifies(0, 100)).as("loaded").isFalse();
        for (int i = 0; i < 10; i++) {
            choice.onWrite(10);
        }
        assertThat(choice.verifies(20, 1)).as("mostly writes").isFalse();
        for (int i = 0; i < 20; i++) {
            choice.verifies(30, 1);
        }
        assertThat(choice.verifies(40, 1)).as("mostly reads").isTrue();
    }

    @Test
    void whatIsLongAgoCountsLittle() {
        for (int i = 0; i < 1_000; i++) {
            choice.onWrite(0);
        }
        assertThat(choice.verifies(10_000, 1)).isFalse();
        assertThat(choice.verifies(70_000, 1)).isTrue();
    }
}
