package io.bulwark.appliance.cluster;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import java.io.BufferedReader;
import java.time.Duration;
import org.jspecify.annotations.NullMarked;
import org.junit.jupiter.api.Test;

@NullMarked
class RunningProcessTest {
    private static final Duration LONG = Duration.ofSeconds(40);

    @Test
    void aProcessRunsUntilItHasEnded() throws Exception {
        Process sleeping = new ProcessBuilder("sleep", "600").start();
        RunningProcess process = RunningProcess.of(sleeping.pid());
        assertThat(process.isAlive()).isTrue();
        sleeping.destroyForcibly().waitFor();
        assertThat(process.isAlive()).isFalse();
        assertThat(RunningProcess.of(0).isAlive()).isFalse();
    }

    /** The parent does not read exit codes, as the first process of some containers. */
    @Test
    void whoseExitCodeNobodyAsksForHasEnded() throws Exception {
        Process parent = new ProcessBuilder("sh", "-c", "sleep 0.1 & echo $!; exec sleep 600").start();
        try (BufferedReader out = parent.inputReader()) {
            RunningProcess child = RunningProcess.of(Long.parseLong(out.readLine()));
            await().atMost(LONG).until(() -> !child.isAlive());
        } finally {
            parent.destroyForcibly();
        }
    }
}
