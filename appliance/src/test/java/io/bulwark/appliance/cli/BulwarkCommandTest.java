package io.bulwark.appliance.cli;

import static org.assertj.core.api.Assertions.assertThat;

import io.bulwark.client.error.InvalidNameException;
import io.bulwark.client.error.InvalidRequestException;
import io.bulwark.client.error.Subject;
import io.bulwark.client.error.UnavailableException;
import java.nio.file.Files;
import java.nio.file.Path;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import picocli.CommandLine;

class BulwarkCommandTest {
    @TempDir
    private Path directory = Path.of("");

    @Test
    void exitCodesTellAnUnreachedApplianceFromWrongArgumentsAndAFailedOperation() {
        assertThat(BulwarkCommand.exitCode(new UnavailableException("nobody answers", Subject.NONE)))
                .isEqualTo(CommandFailure.UNAVAILABLE);
        assertThat(BulwarkCommand.exitCode(new CommandFailure(CommandFailure.USAGE, "wrong")))
                .isEqualTo(CommandFailure.USAGE);
        assertThat(BulwarkCommand.exitCode(new InvalidNameException("bad", Subject.bucket("Bad_Name"))))
                .isEqualTo(CommandFailure.USAGE);
        assertThat(BulwarkCommand.exitCode(new InvalidRequestException("too few nodes", Subject.volume("wide"))))
                .isEqualTo(CommandFailure.USAGE);
        assertThat(BulwarkCommand.exitCode(new IllegalStateException("broken"))).isEqualTo(CommandFailure.FAILED);
    }

    @Test
    void aRefusedNameComesWithTheRule() {
        assertThat(BulwarkCommand.advice(new InvalidNameException("bad", Subject.bucket("Bad_Name"))))
                .contains("3 to 63", "a-z, 0-9");
        assertThat(BulwarkCommand.advice(new InvalidNameException("bad", Subject.key("photos", "a\u0007"))))
                .contains("1024 bytes", "control characters");
        assertThat(BulwarkCommand.advice(new UnavailableException("too few nodes", Subject.NONE)))
                .contains("bulwark status");
    }

    /** The list of commands shows the first line of each description, and nothing of the others. */
    @Test
    void eachCommandIsDescribedByAWholeSentence() {
        check(new CommandLine(new BulwarkCommand()));
    }

    @Test
    void whatAnApplianceWasFirstStartedWithCannotBeAskedForOtherwise() {
        String data = directory.resolve("data").toString();
        assertThat(BulwarkCommand.run("init", "--data", data, "--nodes", "6", "--port-base", "9000"))
                .isZero();
        assertThat(BulwarkCommand.run("init", "--data", data)).isZero();
        assertThat(BulwarkCommand.run("init", "--data", data, "--nodes", "6")).isZero();
        assertThat(BulwarkCommand.run("init", "--data", data, "--nodes", "5")).isEqualTo(CommandFailure.USAGE);
        assertThat(BulwarkCommand.run("up", "--data", data, "--port-base", "9400"))
                .isEqualTo(CommandFailure.USAGE);
    }

    @Test
    void aShapeThatCannotWorkLeavesNothingBehind() {
        Path data = directory.resolve("few");
        assertThat(BulwarkCommand.run("init", "--data", data.toString(), "--nodes", "3"))
                .isEqualTo(CommandFailure.USAGE);
        assertThat(BulwarkCommand.run("up", "--data", data.toString(), "--replicas", "5"))
                .isEqualTo(CommandFailure.USAGE);
        assertThat(Files.exists(data)).isFalse();
    }

    @Test
    void anApplianceThatIsDownIsSaidToBeDownAtOnce() {
        String data = directory.resolve("down").toString();
        assertThat(BulwarkCommand.run("init", "--data", data, "--port-base", "1024"))
                .isZero();
        assertThat(BulwarkCommand.run("ls", "--data", data)).isEqualTo(CommandFailure.UNAVAILABLE);
        assertThat(BulwarkCommand.run("status", "--data", data)).isEqualTo(CommandFailure.UNAVAILABLE);
        assertThat(BulwarkCommand.run("down", "--data", data)).isEqualTo(CommandFailure.UNAVAILABLE);
    }

    private static void check(CommandLine command) {
        command.getSubcommands().forEach((name, each) -> {
            String[] description = each.getCommandSpec().usageMessage().description();
            assertThat(description).as(name).isNotEmpty();
            assertThat(description[0]).as(name).endsWith(".");
            assertThat(description[0].length()).as(name).isLessThanOrEqualTo(100);
            if (!name.equals("help")) {
                check(each);
            }
        });
    }
}
