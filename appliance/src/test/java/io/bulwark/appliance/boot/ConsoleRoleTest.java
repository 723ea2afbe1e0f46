package io.bulwark.appliance.boot;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.bulwark.client.error.BulwarkException;
import io.bulwark.client.error.ConfigException;
import io.bulwark.client.error.NotBelievedException;
import io.bulwark.client.error.NotBelievedException.Reason;
import io.bulwark.client.error.Subject;
import io.bulwark.client.error.UnavailableException;
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

    /** The order in which members are started is a courtesy. */
    @Test
    void whoIsStartedBeforeTheReplicasWaitsForThemAndIsRefusedAllTheSame() throws InterruptedException {
        Deque<BulwarkException> failures = new ArrayDeque<>(List.of(
                new UnavailableException("no agreement", Subject.NONE),
                new NotBelievedException(Reason.NOT_KNOWN, "refused", Subject.NONE),
                new UnavailableException("no agreement", Subject.NONE)));
        assertThat(ConsoleRole.connected(() -> failing(failures), 1)).isEqualTo("let in");
        assertThat(failures).isEmpty();

        failures.add(new UnavailableException("no agreement", Subject.NONE));
        failures.add(new NotBelievedException(Reason.REVOKED, "refused", Subject.NONE));
        failures.add(new UnavailableException("no agreement", Subject.NONE));
        assertThatThrownBy(() -> ConsoleRole.connected(() -> failing(failures), 1))
                .isInstanceOf(NotBelievedException.class);
        assertThat(failures).as("it tries no more").hasSize(1);
    }

    /** What no waiting mends. */
    @Test
    void aConfigurationThatCannotBeEndsAtOnce() {
        Deque<BulwarkException> failures = new ArrayDeque<>(List.of(new ConfigException("no key", Subject.NONE)));
        assertThatThrownBy(() -> ConsoleRole.connected(() -> failing(failures), 1))
                .isInstanceOf(ConfigException.class);
    }

    private static String failing(Deque<BulwarkException> failures) {
        BulwarkException failure = failures.poll();
        if (failure != null) {
            throw failure;
        }
        return "let in";
    }

    private static String next(Deque<Reason> refusals) {
        Reason reason = refusals.poll();
        if (reason != null) {
            throw new NotBelievedException(reason, "refused", Subject.NONE);
        }
        return "let in";
    }
}
