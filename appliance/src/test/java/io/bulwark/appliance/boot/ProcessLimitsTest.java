package io.bulwark.appliance.boot;

import static org.assertj.core.api.Assertions.assertThat;

import io.bulwark.appliance.cluster.JavaCommand;
import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.OptionalLong;
import org.jspecify.annotations.NullMarked;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

@NullMarked
class ProcessLimitsTest {
    @TempDir
    Path directory = Path.of("");

    @Test
    void aLowLimitIsNamedWithTheRemedy() {
        assertThat(ProcessLimits.problem(OptionalLong.of(200), 1024))
                .hasValueSatisfying(problem -> assertThat(problem)
                        .contains("may open 200 files, and needs 1024", "ulimit -n 1024", "LimitNOFILE"));
        assertThat(ProcessLimits.problem(OptionalLong.of(1024), 1024)).isEmpty();
        assertThat(ProcessLimits.problem(OptionalLong.empty(), 1024)).isEmpty();
    }

    /** In processes of their own, as the limit of this one cannot be lowered and raised again. */
    @Test
    void withFewFilesProcessesEndAtOnceWithAMessage() throws Exception {
        for (String files : List.of("64", "200")) {
            assertEnds(files, "up", "--data", directory.resolve("data").toString());
            assertEnds(
                    files, "up", "--json", "--data", directory.resolve("data").toString());
            assertEnds(files, "node", "--config", directory.resolve("role.yaml").toString());
        }
        assertEnds("64", "ls", "--json");
        assertThat(directory).isEmptyDirectory();
    }

    private static void assertEnds(String files, String... arguments) throws IOException, InterruptedException {
        List<String> command =
                new ArrayList<>(List.of("/bin/sh", "-c", "ulimit -n " + files + " && exec \"$@\"", "sh"));
        command.addAll(JavaCommand.member(128));
        command.addAll(List.of(arguments));
        Process process = new ProcessBuilder(command).redirectErrorStream(true).start();
        process.getOutputStream().close();
        List<String> lines = new String(process.getInputStream().readAllBytes(), StandardCharsets.UTF_8)
                .lines()
                .filter(line -> !line.startsWith("WARNING: "))
                .toList();
        assertThat(process.waitFor()).as(String.join("\n", lines)).isEqualTo(ProcessLimits.EXIT_CODE);
        assertThat(lines).hasSize(1);
        assertThat(lines.getFirst()).contains("may open " + files + " files");
        assertThat(lines.getFirst().startsWith("{"))
                .isEqualTo(List.of(arguments).contains("--json"));
    }

    @Test
    void theLimitOfThisProcessIsKnownOnUnix() {
        if (Files.exists(Path.of("/proc/self/limits"))) {
            assertThat(ProcessLimits.filesMax()).isPresent();
            assertThat(ProcessLimits.filesOpen().orElseThrow()).isPositive();
        }
    }
}
