package io.bulwark.appliance.boot;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.bulwark.client.error.NotBelievedException;
import io.bulwark.client.error.NotBelievedException.Reason;
import io.bulwark.client.error.Subject;
import java.util.ArrayDeque;
import java.util.Deque;
import java.util.List;
import org.jspecify.annotations.NullMarked;
import org.junit.jupiter.api.Test;

@NullMarked
class ConsoleRoleTest {
    /** At a start the clock may not be set, and anybody may answer for the replicas. */
    @Test
    void whatMayPassHasItTryAgain() throws InterruptedException {
        Deque<Reason> refusals = new ArrayDeque<>(
                List.of(Reason.SERVERS_EXPIRED, Reason.SERVERS_NOT_KNOWN, Reason.EXPIRED, Reason.NOT_KNOWN));
        assertThat(ConsoleRole.connected(() -> next(refusals), 1)).isEqualTo("let in");
        assertThat(refusals).isEmpty();
    }

    @Test
    void whoWasRevokedEnds() {
        Deque<Reason> refusals = new ArrayDeque<>(List.of(Reason.NOT_KNOWN, Reason.REVOKED));
        assertThatThrownBy(() -> ConsoleRole.connected(() -> next(refusals), 1))
                .isInstanceOf(NotBelievedException.class);
    }

    private static String next(Deque<Reason> refusals) {
        Reason reason = refusals.poll();
        if (reason != null) {
            throw new NotBelievedException(reason, "refused", Subject.NONE);
        }
        return "let in";
    }
}
