package io.bulwark.appliance.cli;

import static org.assertj.core.api.Assertions.assertThat;

import java.nio.file.Path;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

class VolumeCommandTest {
    @TempDir
    private Path noAppliance = Path.of("");

    @Test
    void aNumberOfBlocksThatCannotBeIsNotTakenForAnObjectVolume() {
        assertThat(create("--blocks", "0")).isEqualTo(CommandFailure.USAGE);
        assertThat(create("--blocks", "-5")).isEqualTo(CommandFailure.USAGE);
    }

    @Test
    void goodArgumentsGoOnToTheCluster() {
        assertThat(create("--blocks", "1")).isEqualTo(CommandFailure.UNAVAILABLE);
    }

    private int create(String option, String value) {
        return BulwarkCommand.run("volume", "create", "v", option, value, "--data", noAppliance.toString());
    }
}
