package io.bulwark.appliance.cli;

import static org.assertj.core.api.Assertions.assertThat;

import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
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

    @Test
    void policiesOfPasisAreCheckedBeforeTheClusterIsAsked() {
        assertThat(create("--blocks", "9", "--protocol", "pasis")).isEqualTo(CommandFailure.UNAVAILABLE);
        assertThat(create("--blocks", "9", "--protocol", "pasis", "--verification", "none"))
                .isEqualTo(CommandFailure.UNAVAILABLE);
        assertThat(create("--blocks", "9", "--protocol", "pasis", "--faults", "2", "--fragments", "10"))
                .isEqualTo(CommandFailure.UNAVAILABLE);
        assertThat(create("--blocks", "9", "--protocol", "pasis", "--fragments", "4"))
                .isEqualTo(CommandFailure.USAGE);
        assertThat(create("--blocks", "9", "--protocol", "pasis", "--data-fragments", "3"))
                .isEqualTo(CommandFailure.USAGE);
        assertThat(create("--blocks", "9", "--protocol", "pasis", "--verification", "late"))
                .isEqualTo(CommandFailure.USAGE);
        assertThat(create("--blocks", "9", "--protocol", "raft")).isEqualTo(CommandFailure.USAGE);
        assertThat(create("--blocks", "9", "--verification", "lazy")).isEqualTo(CommandFailure.USAGE);
        assertThat(create("--protocol", "pasis", "--verification", "none"))
                .as("objects")
                .isEqualTo(CommandFailure.USAGE);
    }

    @Test
    void policiesOfMaskingQuorumsAreCheckedBeforeTheClusterIsAsked() {
        assertThat(create("--blocks", "9", "--protocol", "masking", "--faults", "2"))
                .isEqualTo(CommandFailure.UNAVAILABLE);
        assertThat(create("--blocks", "9", "--protocol", "masking", "--faults", "2", "--fragments", "12"))
                .isEqualTo(CommandFailure.UNAVAILABLE);
        assertThat(create("--blocks", "9", "--protocol", "masking", "--faults", "2", "--fragments", "8"))
                .isEqualTo(CommandFailure.USAGE);
        assertThat(create("--blocks", "9", "--protocol", "masking", "--faults", "255"))
                .isEqualTo(CommandFailure.USAGE);
        assertThat(create("--blocks", "9", "--protocol", "masking", "--data-fragments", "2"))
                .isEqualTo(CommandFailure.USAGE);
        assertThat(create("--blocks", "9", "--protocol", "masking", "--verification", "lazy"))
                .isEqualTo(CommandFailure.USAGE);
    }

    private int create(String... options) {
        List<String> arguments = new ArrayList<>(List.of("volume", "create", "v"));
        arguments.addAll(List.of(options));
        arguments.addAll(List.of("--data", noAppliance.toString()));
        return BulwarkCommand.run(arguments.toArray(String[]::new));
    }
}
