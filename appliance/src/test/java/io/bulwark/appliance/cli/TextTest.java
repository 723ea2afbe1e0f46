package io.bulwark.appliance.cli;

import static org.assertj.core.api.Assertions.assertThat;

import java.util.List;
import org.jspecify.annotations.NullMarked;
import org.junit.jupiter.api.Test;

@NullMarked
class TextTest {
    @Test
    void whileNodesCatchUpTheTruthLiesBetweenTwoNumbers() {
        assertThat(Text.faults(1, 1, 1, List.of())).isEqualTo("1 of 1");
        assertThat(Text.faults(-2, 1, 1, List.of())).isEqualTo("0 to 1 of 1, nodes catch up");
        assertThat(Text.faults(0, 2, 2, List.of())).isEqualTo("0 to 2 of 2, nodes catch up");
        assertThat(Text.faults(0, 1, 1, List.of(3))).isEqualTo("0 to 1 of 1, node-3 is unverified");
        assertThat(Text.faults(0, 2, 2, List.of(1, 3))).isEqualTo("0 to 2 of 2, 2 nodes are unverified");
        assertThat(Text.faults(-2, 0, 1, List.of(3))).as("not less than none").isEqualTo("0 of 1");
        assertThat(Text.faults(-2, -1, 1, List.of())).isEqualTo("0 of 1, 1 over the limit");
    }
}
