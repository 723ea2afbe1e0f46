package io.bulwark.appliance.cli;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.ByteArrayOutputStream;
import java.io.PrintStream;
import java.nio.charset.StandardCharsets;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicLong;
import org.jspecify.annotations.NullMarked;
import org.junit.jupiter.api.Test;

@NullMarked
class StartupLinesTest {
    private final ByteArrayOutputStream bytes = new ByteArrayOutputStream();
    private final AtomicLong now = new AtomicLong();

    private StartupLines lines(boolean terminal) {
        return new StartupLines(new PrintStream(bytes, true, StandardCharsets.UTF_8), terminal, now::get);
    }

    private String waitSeconds(StartupLines lines, int seconds) {
        for (int i = 1; i <= 5 * seconds; i++) {
            now.addAndGet(TimeUnit.MILLISECONDS.toNanos(200));
            lines.awaits("waiting for node-" + i / 5);
        }
        String said = bytes.toString(StandardCharsets.UTF_8);
        bytes.reset();
        return said;
    }

    @Test
    void aLogHasALineNowAndThen() {
        StartupLines lines = lines(false);
        assertThat(waitSeconds(lines, 1))
                .as("what is short is not worth a line")
                .isEmpty();
        assertThat(waitSeconds(lines, 59).lines())
                .hasSizeBetween(3, 6)
                .allMatch(line -> line.startsWith("bulwark: waiting for node-"));
        lines.tell("starting nodes");
        bytes.reset();
        assertThat(waitSeconds(lines, 3).lines()).hasSize(1);
    }

    @Test
    void aTerminalHasOneLineThatChangesEachSecond() {
        StartupLines lines = lines(true);
        String said = waitSeconds(lines, 10);
        assertThat(said).doesNotContain("\n").contains("node-2", "node-9");
        assertThat(said.split("\r", -1)).hasSizeBetween(10, 12);
        lines.tell("starting nodes");
        assertThat(bytes.toString(StandardCharsets.UTF_8))
                .isEqualTo("\r\u001b[Kbulwark: starting nodes" + System.lineSeparator());
    }

    @Test
    void aLongLineStaysOneLineOnATerminal() {
        StartupLines lines = lines(true);
        now.addAndGet(TimeUnit.SECONDS.toNanos(1));
        lines.awaits("x".repeat(500) + "\nmore");
        assertThat(bytes.toString(StandardCharsets.UTF_8)).doesNotContain("\n").hasSizeLessThan(90);
    }
}
