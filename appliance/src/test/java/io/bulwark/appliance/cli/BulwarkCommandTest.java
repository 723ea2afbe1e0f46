package io.bulwark.appliance.cli;

import static org.assertj.core.api.Assertions.assertThat;

import io.bulwark.client.error.Subject;
import io.bulwark.client.error.UnavailableException;
import org.junit.jupiter.api.Test;

class BulwarkCommandTest {
    @Test
    void exitCodesTellAnUnreachedApplianceFromAFailedOperation() {
        assertThat(BulwarkCommand.exitCode(new UnavailableException("nobody answers", Subject.NONE)))
                .isEqualTo(CommandFailure.UNAVAILABLE);
        assertThat(BulwarkCommand.exitCode(new CommandFailure(CommandFailure.USAGE, "wrong")))
                .isEqualTo(CommandFailure.USAGE);
        assertThat(BulwarkCommand.exitCode(new IllegalStateException("broken"))).isEqualTo(CommandFailure.FAILED);
    }
}
