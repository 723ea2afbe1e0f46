package io.bulwark.metadata.bft;

import static org.assertj.core.api.Assertions.assertThat;

import io.bulwark.protocol.mutation.PlantedBug;
import org.jspecify.annotations.NullMarked;
import org.junit.jupiter.api.Test;

@NullMarked
class GracefulLeaveTest {
    private final GracefulLeave leaving = new GracefulLeave();

    @PlantedBug(
            in = GracefulLeave.class,
            rule = "a replica stops only after its last promise is durable",
            replace = "if (durableUpTo >= index) {",
            with = "if (index < Long.MAX_VALUE) {")
    @Test
    void whatItSaysIsDurableFirst() {
        leaving.look(100, true);
        assertThat(leaving.isOver()).as("it does not stop yet").isFalse();
        leaving.begin(7, false);
        leaving.look(6, true);
        assertThat(leaving.isOver()).isFalse();
        leaving.look(7, false);
        assertThat(leaving.isOver()).as("a backup keeps nobody waiting").isTrue();
        leaving.await(0);
    }

    @Test
    void aPrimaryStaysUntilAnotherOneLeads() {
        leaving.begin(7, true);
        leaving.look(7, false);
        leaving.look(9, false);
        assertThat(leaving.isOver()).isFalse();
        leaving.look(9, true);
        assertThat(leaving.isOver()).isTrue();
        leaving.await(0);
    }
}
