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

    @Test
    void policiesOfTheArchiveAreCheckedBeforeTheClusterIsAsked() {
        assertThat(create("--protocol", "archive", "--availability", "0.9", "--faults", "4"))
                .isEqualTo(CommandFailure.UNAVAILABLE);
        assertThat(create("--protocol", "archive", "--fragments", "14", "--data-fragments", "4", "--faults", "2"))
                .isEqualTo(CommandFailure.UNAVAILABLE);
        assertThat(create("--protocol", "archive")).as("no number of nodes").isEqualTo(CommandFailure.USAGE);
        assertThat(create("--protocol", "archive", "--availability", "1")).isEqualTo(CommandFailure.USAGE);
        assertThat(create("--protocol", "archive", "--availability", "0.9", "--target", "0.7"))
                .isEqualTo(CommandFailure.USAGE);
        assertThat(create("--protocol", "archive", "--availability", "0.9", "--fragments", "256"))
                .isEqualTo(CommandFailure.USAGE);
        assertThat(create("--protocol", "archive", "--availability", "0.5", "--fragments", "40", "--faults", "4"))
                .isEqualTo(CommandFailure.USAGE);
        assertThat(create("--protocol", "fp", "--availability", "0.9")).isEqualTo(CommandFailure.USAGE);
        assertThat(create("--protocol", "archive", "--fragments", "14", "--data-fragments", "12", "--faults", "2"))
                .isEqualTo(CommandFailure.USAGE);
    }

    private int create(String... options) {
        List<String> arguments = new ArrayList<>(List.of("volume", "create", "v"));
        arguments.addAll(List.of(options));
        arguments.addAll(List.of("--data", noAppliance.toString()));
        return BulwarkCommand.run(arguments.toArray(String[]::new));
    }
}
