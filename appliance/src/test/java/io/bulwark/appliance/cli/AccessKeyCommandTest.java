package io.bulwark.appliance.cli;

import static org.assertj.core.api.Assertions.assertThat;

import java.nio.file.Path;
import java.util.List;
import org.jspecify.annotations.NullMarked;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** Command lines that are wrong whatever the cluster says: they are refused before anybody is asked. */
@NullMarked
class AccessKeyCommandTest {
    @TempDir
    Path directory = Path.of("");

    private CommandOutput run(String... arguments) {
        List<String> all = new java.util.ArrayList<>(List.of(arguments));
        all.addAll(List.of("--data", directory.toString()));
        return CommandOutput.of(all.toArray(String[]::new));
    }

    private void assertUsageError(String message, String... arguments) {
        CommandOutput output = run(arguments);
        assertThat(output.exitCode()).as(output.err()).isEqualTo(CommandFailure.USAGE);
        assertThat(output.err()).contains(message);
    }

    @Test
    void wrongOptionsAreRefused() {
        assertUsageError("--prefix goes with exactly one --bucket", "access-key", "create", "--prefix", "a/");
        assertUsageError(
                "--prefix goes with exactly one --bucket",
                "access-key",
                "limit",
                "BWK23456789012345678",
                "--bucket",
                "films",
                "--bucket",
                "music",
                "--prefix",
                "a/");
        assertUsageError("--rights is read, write or admin", "access-key", "create", "--rights", "all");
        assertUsageError("--expires is a time", "access-key", "create", "--expires", "soon");
        assertUsageError("--overlap is a time", "access-key", "rotate", "BWK23456789012345678", "--overlap", "1y");
        assertUsageError("node-1 is no client", "s3", "enable", "--door", "node-1");
        assertUsageError("node-1 is no client", "s3", "anonymous", "node-1");
    }

    /** Groups of commands have no option of a data directory. */
    @Test
    void groupsAloneNameWhatIsMissing() {
        CommandOutput keys = CommandOutput.of("access-key");
        assertThat(keys.exitCode()).isEqualTo(CommandFailure.USAGE);
        assertThat(keys.err()).contains("access-key needs one of create, list, show, rotate, limit, revoke");
        CommandOutput gateway = CommandOutput.of("s3");
        assertThat(gateway.exitCode()).isEqualTo(CommandFailure.USAGE);
        assertThat(gateway.err()).contains("s3 needs --config FILE");
    }

    @Test
    void commandWithoutAnApplianceSaysSo() {
        for (String[] command : List.of(
                new String[] {"access-key", "create"}, new String[] {"access-key", "list"}, new String[] {"s3", "list"
                })) {
            assertThat(run(command).exitCode()).isEqualTo(CommandFailure.UNAVAILABLE);
        }
    }
}
