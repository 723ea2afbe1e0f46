package io.bulwark.appliance.cli;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

class SimulateCommandTest {
    @TempDir
    Path directory;

    @Test
    void aRunEndsWithCode0AndLeavesItsHistory() throws IOException {
        Path history = directory.resolve("history.json");
        assertThat(BulwarkCommand.run(
                        "simulate",
                        "--seed",
                        "1",
                        "--seconds",
                        "0",
                        "--steps",
                        "30",
                        "--faults",
                        "1",
                        "--fragments",
                        "2",
                        "--byzantine-clients",
                        "1",
                        "--history",
                        history.toString()))
                .isZero();
        assertThat(Files.readAllLines(history)).hasSizeGreaterThan(10);
    }

    @Test
    void everyOrderOfTinyWorldsEndsWithCode0() {
        assertThat(BulwarkCommand.run(
                        "simulate", "--exhaustive", "--protocol", "extent", "--states", "1000", "--seconds", "60"))
                .isZero();
        assertThat(BulwarkCommand.run("simulate", "--exhaustive", "--depth", "5", "--seconds", "0"))
                .isZero();
        assertThat(BulwarkCommand.run("simulate", "--exhaustive", "--protocol", "objects"))
                .isEqualTo(CommandFailure.USAGE);
        assertThat(BulwarkCommand.run("simulate", "--exhaustive", "--depth", "0"))
                .isEqualTo(CommandFailure.USAGE);
    }

    @Test
    void whatCannotBeSimulatedIsCode2() {
        assertThat(BulwarkCommand.run("simulate", "--protocol", "none")).isEqualTo(CommandFailure.USAGE);
        assertThat(BulwarkCommand.run("simulate", "--nodes", "3", "--faults", "1", "--fragments", "2"))
                .isEqualTo(CommandFailure.USAGE);
        assertThat(BulwarkCommand.run("simulate", "--jobs", "0")).isEqualTo(CommandFailure.USAGE);
        assertThat(BulwarkCommand.run("simulate", "--seed", "x")).isEqualTo(CommandFailure.USAGE);
    }

    @Test
    void whatWouldBePassedOverIsCode2() {
        assertThat(BulwarkCommand.run("simulate", "--exhaustive", "--faults", "2"))
                .isEqualTo(CommandFailure.USAGE);
        assertThat(BulwarkCommand.run("simulate", "--depth", "5")).isEqualTo(CommandFailure.USAGE);
        assertThat(BulwarkCommand.run("simulate", "--states", "5")).isEqualTo(CommandFailure.USAGE);
        assertThat(BulwarkCommand.run("simulate", "--protocol", "ordering", "--nodes", "9"))
                .isEqualTo(CommandFailure.USAGE);
        String here = directory.resolve("history.json").toString();
        assertThat(BulwarkCommand.run("simulate", "--protocol", "extent", "--history", here))
                .isEqualTo(CommandFailure.USAGE);
        String nowhere = directory.resolve("none").resolve("history.json").toString();
        assertThat(BulwarkCommand.run("simulate", "--history", nowhere)).isEqualTo(CommandFailure.USAGE);
        assertThat(BulwarkCommand.run("simulate", "--history", directory.toString()))
                .isEqualTo(CommandFailure.USAGE);
    }
}
