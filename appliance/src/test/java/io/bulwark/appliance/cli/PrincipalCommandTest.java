package io.bulwark.appliance.cli;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.bulwark.protocol.id.PrincipalId;
import io.bulwark.protocol.id.PrincipalKey;
import io.bulwark.transport.identity.Identity;
import java.nio.file.Path;
import java.security.SecureRandom;
import java.util.List;
import org.jspecify.annotations.NullMarked;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

@NullMarked
class PrincipalCommandTest {
    private static final PrincipalId GUEST = PrincipalId.client(20);

    @TempDir
    Path directory = Path.of("");

    @Test
    void aKeyIsTakenAsKeygenPrintsIt() {
        CommandOutput made = CommandOutput.of(
                "keygen", "client-20", "--out", directory.resolve("own.pem").toString());
        String printed = made.out().lines().reduce("", (_, last) -> last);
        assertThat(printed).startsWith("key.client-20=");
        PrincipalKey key = PrincipalCommand.key("--key", GUEST, printed);
        assertThat(PrincipalCommand.key("--key", GUEST, key.text())).isEqualTo(key);
        assertThat("key.client-20=" + key.text()).isEqualTo(printed);
    }

    @Test
    void aKeyOfAnotherIsSaidToBeAnothers() {
        String text = Identity.generate(GUEST, new SecureRandom()).publicKey().text();
        for (String other : List.of("client-2", "client-200", "node-20")) {
            assertThatThrownBy(() -> PrincipalCommand.key("--key", GUEST, "key." + other + "=" + text))
                    .isInstanceOfSatisfying(
                            CommandFailure.class,
                            failure -> assertThat(failure.exitCode()).isEqualTo(CommandFailure.USAGE))
                    .hasMessage("--key belongs to " + other + ", but this command is about client-20");
        }
        CommandOutput replica = CommandOutput.of(
                "replica", "add", "replica-4=key.replica-5=" + text + "@a", "replica-5=k@b", "replica-6=k@c");
        assertThat(replica.exitCode()).isEqualTo(CommandFailure.USAGE);
        assertThat(replica.err())
                .contains("the key of replica-4 belongs to replica-5, but this command is about replica-4");
    }

    @Test
    void whatIsNoKeyIsSaidToBeNone() {
        for (String command : List.of("add", "rotate")) {
            for (String wrong : List.of("WRONG", "key.client-20", "key.client-20=", "key.client-20=MFkwE")) {
                CommandOutput output = CommandOutput.of("principal", command, "client-20", "--key", wrong);
                assertThat(output.exitCode()).isEqualTo(CommandFailure.USAGE);
                assertThat(output.err()).as(wrong).startsWith("bulwark: --key is not a public key, or not the whole");
            }
        }
    }
}
