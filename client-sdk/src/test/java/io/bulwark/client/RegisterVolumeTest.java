package io.bulwark.client;

import static org.assertj.core.api.Assertions.assertThat;

import io.bulwark.client.error.LimitReachedException;
import io.bulwark.client.error.Subject;
import io.bulwark.client.error.UnavailableException;
import io.bulwark.protocol.kernel.Failure;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;

/** Tests of the repetition of a write in another session. */
class RegisterVolumeTest {
    private static final Subject SUBJECT = Subject.volume("registers");

    @ParameterizedTest
    @EnumSource(
            value = Failure.class,
            names = {"SESSION_CLOSED", "SESSION_UNKNOWN"})
    void onlyAWriteOfWhichNoCommitWasSentIsRepeated(Failure reason) {
        assertThat(RegisterVolume.failure(reason, 3, false, SUBJECT))
                .isInstanceOf(RegisterVolume.SessionClosedException.class);
        assertThat(RegisterVolume.failure(reason, 3, true, SUBJECT))
                .isInstanceOf(UnavailableException.class)
                .hasMessageContaining("may still return this write");
    }

    @Test
    void aWriteThatHasNoRoomIsRepeatedUnlessACommitWasSent() {
        assertThat(RegisterVolume.failure(Failure.LIMIT, 3, false, SUBJECT))
                .isInstanceOf(RegisterVolume.SessionFullException.class)
                .hasMessageContaining("too many unfinished writes");
        assertThat(RegisterVolume.failure(Failure.LIMIT, 3, true, SUBJECT)).isInstanceOf(LimitReachedException.class);
    }

    @Test
    void anOperationBeginsAgainInALaterEpochUnlessACommitWasSent() {
        assertThat(RegisterVolume.failure(Failure.OTHER_EPOCH, 3, false, SUBJECT))
                .isInstanceOf(RegisterVolume.OtherEpochException.class);
        assertThat(RegisterVolume.failure(Failure.OTHER_EPOCH, 3, true, SUBJECT))
                .isInstanceOf(UnavailableException.class)
                .hasMessageContaining("may still return this write");
    }
}
