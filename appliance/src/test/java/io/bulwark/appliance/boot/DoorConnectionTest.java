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
import java.util.concurrent.CompletableFuture;
import org.jspecify.annotations.NullMarked;
import org.junit.jupiter.api.Test;

@NullMarked
class DoorConnectionTest {
    private final DoorConnection connection = new DoorConnection("the console", 1);

    /** At a start the clock may not be set, and anybody may answer for the replicas. */
    @Test
    void whatMayPassHasItTryAgain() throws InterruptedException {
        Deque<BulwarkException> failures = new ArrayDeque<>(List.of(
                refused(Reason.SERVERS_EXPIRED),
                refused(Reason.SERVERS_NOT_KNOWN),
                refused(Reason.EXPIRED),
                refused(Reason.NOT_KNOWN)));
        assertThat(connection.open(() -> failing(failures))).isEqualTo("let in");
        assertThat(failures).isEmpty();
    }

    /** The order in which members are started is a courtesy. */
    @Test
    void whoIsStartedBeforeTheReplicasWaitsForThemAndIsRefusedAllTheSame() throws InterruptedException {
        Deque<BulwarkException> failures = new ArrayDeque<>(List.of(
                new UnavailableException("no agreement", Subject.NONE),
                refused(Reason.NOT_KNOWN),
                new UnavailableException("no agreement", Subject.NONE)));
        assertThat(connection.open(() -> failing(failures))).isEqualTo("let in");
        assertThat(failures).isEmpty();

        failures.add(new UnavailableException("no agreement", Subject.NONE));
        failures.add(refused(Reason.REVOKED));
        failures.add(new UnavailableException("no agreement", Subject.NONE));
        assertThatThrownBy(() -> connection.open(() -> failing(failures))).isInstanceOf(NotBelievedException.class);
        assertThat(failures).as("it tries no more").hasSize(1);
    }

    @Test
    void whoIsRevokedWhileItRunsEndsAndElseItRunsOn() {
        CompletableFuture<Integer> over = new CompletableFuture<>();
        connection.runOrEnd(() -> "a status", over);
        for (Reason reason : Reason.values()) {
            if (reason != Reason.REVOKED) {
                assertThatThrownBy(() ->
                                connection.runOrEnd(() -> failing(new ArrayDeque<>(List.of(refused(reason)))), over))
                        .as("not ready")
                        .isInstanceOf(NotBelievedException.class);
            }
        }
        assertThat(over).isNotDone();
        assertThatThrownBy(() ->
                        connection.runOrEnd(() -> failing(new ArrayDeque<>(List.of(refused(Reason.REVOKED)))), over))
                .isInstanceOf(NotBelievedException.class);
        assertThat(over).isCompletedWithValue(78);
    }

    /** Retries cannot solve this problem. */
    @Test
    void aConfigurationThatCannotBeEndsAtOnce() {
        Deque<BulwarkException> failures = new ArrayDeque<>(List.of(new ConfigException("no key", Subject.NONE)));
        assertThatThrownBy(() -> connection.open(() -> failing(failures))).isInstanceOf(ConfigException.class);
    }

    private static String failing(Deque<BulwarkException> failures) {
        BulwarkException failure = failures.poll();
        if (failure != null) {
            throw failure;
        }
        return "let in";
    }

    private static NotBelievedException refused(Reason reason) {
        return new NotBelievedException(reason, "refused", Subject.NONE);
    }
}
