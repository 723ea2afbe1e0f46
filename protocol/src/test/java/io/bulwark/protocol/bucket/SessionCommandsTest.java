package io.bulwark.protocol.bucket;

import static org.assertj.core.api.Assertions.assertThat;

import io.bulwark.protocol.metadata.Command;
import io.bulwark.protocol.metadata.MetadataError;
import io.bulwark.protocol.metadata.Reply;
import io.bulwark.protocol.metadata.Submission;
import java.util.List;
import org.junit.jupiter.api.Test;

class SessionCommandsTest {
    private static final Command COMMAND = new Command.AbandonRanges(List.of(), List.of(1L));

    private final SessionCommands commands = new SessionCommands(5);

    private Submission.InSession next() {
        return commands.next().orElseThrow().submission();
    }

    @Test
    void numbersRiseAndTheLowestUnansweredIsNamed() {
        assertThat(commands.next()).isEmpty();
        for (int token = 1; token <= 3; token++) {
            commands.add(token, COMMAND);
        }
        assertThat(commands.next())
                .contains(new SessionCommands.NumberedCommand(1, new Submission.InSession(5, 1, 1, COMMAND)));
        assertThat(next().lowestUnanswered()).isEqualTo(1);
        commands.done(1);
        Submission.InSession third = next();
        assertThat(third.number()).isEqualTo(3);
        assertThat(third.lowestUnanswered()).isEqualTo(2);
        commands.done(2);
        commands.done(3);
        commands.add(4, COMMAND);
        assertThat(next().lowestUnanswered()).isEqualTo(4);
    }

    @Test
    void soManyAreOutstandingCountedFromTheLowest() {
        for (int token = 0; token <= Submission.WINDOW; token++) {
            commands.add(token, COMMAND);
        }
        for (int number = 1; number <= Submission.WINDOW; number++) {
            assertThat(next().number()).isEqualTo(number);
        }
        commands.done(2);
        assertThat(commands.next()).as("number 1 is outstanding").isEmpty();
        commands.done(1);
        assertThat(next().number()).isEqualTo(Submission.WINDOW + 1);
    }

    @Test
    void aSessionIsLostWhenItIsClosedOrUnknown() {
        for (MetadataError error : MetadataError.values()) {
            assertThat(SessionCommands.isLost(new Reply.Failed(error, "")))
                    .isEqualTo(error == MetadataError.SESSION_CLOSED || error == MetadataError.SESSION_UNKNOWN);
            assertThat(SessionCommands.mayBeExecuted(new Reply.Failed(error, "")))
                    .isEqualTo(error == MetadataError.SESSION_CLOSED || error == MetadataError.NUMBER_TOO_OLD);
        }
        assertThat(SessionCommands.renewAfterMillis(8_000)).isEqualTo(2_000);
        assertThat(SessionCommands.renewAfterMillis(1_000)).isEqualTo(1_000);
        assertThat(SessionCommands.renewAfterMillis(80_000)).isEqualTo(10_000);
    }
}
