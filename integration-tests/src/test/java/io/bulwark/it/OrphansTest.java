package io.bulwark.it;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.IOException;
import org.jspecify.annotations.NullMarked;
import org.junit.jupiter.api.Test;

/** Tests that processes of a killed test are ended, and those of a living one are not. */
@NullMarked
class OrphansTest {
    @Test
    void whoseTestIsGoneIsEndedThoughItWasStopped() throws IOException, InterruptedException {
        Process gone = new ProcessBuilder("true").start();
        gone.waitFor();
        Process orphan = shell("kill -STOP $$; read word", gone.pid());
        Process kept = shell("read word", ProcessHandle.current().pid());
        try {
            Orphans.end();
            assertThat(orphan.waitFor()).as("killed").isEqualTo(128 + 9);
            assertThat(kept.isAlive()).isTrue();
        } finally {
            orphan.destroyForcibly();
            kept.destroyForcibly();
        }
    }

    private static Process shell(String script, long owner) throws IOException {
        return new ProcessBuilder("sh", "-c", script, Orphans.markOf(owner)).start();
    }
}
