package io.bulwark.appliance.cli;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

class HistoryCommandTest {
    private static final String HEADER = "{\"format\":\"bulwark-history\",\"version\":1,\"times\":\"micros\"}";

    @TempDir
    private Path directory = Path.of("");

    private int check(String... lines) throws IOException {
        Path file = directory.resolve("history.json");
        Files.write(file, List.of(lines));
        return BulwarkCommand.run("history", "check", file.toString());
    }

    private static String operation(String what, String value, int from, int to) {
        return "{\"client\":\"c\",\"correct\":true,\"operation\":\"" + what + "\",\"key\":\"k\",\"value\":" + value
                + ",\"invoked\":" + from + ",\"completed\":" + to + ",\"outcome\":\"ok\"}";
    }

    @Test
    void theExitCodeTellsAViolation() throws IOException {
        String write = operation("write", "\"a\"", 0, 1);
        assertThat(check(HEADER, write, operation("read", "\"a\"", 2, 3))).isZero();
        assertThat(check(HEADER, write, operation("read", "null", 2, 3))).isEqualTo(CommandFailure.FAILED);
    }

    /** Else a recorder that recorded nothing would pass for a system that does everything right. */
    @Test
    void aHistoryOfNothingIsNotLinearizableButEmpty() throws IOException {
        assertThat(check(HEADER)).isEqualTo(CommandFailure.FAILED);
    }

    @Test
    void whatIsNoHistoryIsRefused() throws IOException {
        assertThat(check("nothing")).isEqualTo(CommandFailure.FAILED);
        assertThat(check(HEADER, "x".repeat(100_000))).isEqualTo(CommandFailure.FAILED);
        assertThat(BulwarkCommand.run(
                        "history", "check", directory.resolve("none").toString()))
                .isEqualTo(CommandFailure.FAILED);
    }
}
