package io.bulwark.appliance.up;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import io.bulwark.appliance.cluster.Member;
import io.bulwark.appliance.cluster.ProcessMember;
import java.io.IOException;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.net.ServerSocket;
import java.nio.file.Path;
import java.time.Duration;
import java.util.List;
import java.util.Optional;
import java.util.OptionalLong;
import org.jspecify.annotations.NullMarked;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** Processes that do nothing but sleep, killed. */
@NullMarked
class MemberWatchTest {
    private static final Duration LONG = Duration.ofSeconds(40);

    @TempDir
    Path directory = Path.of("");

    private Path log = Path.of("");
    private ProcessMember first = sleeper("node-0");
    private ProcessMember other = sleeper("node-1");

    @BeforeEach
    void start() throws Exception {
        log = directory.resolve("log");
        first = sleeper("node-0");
        other = sleeper("node-1");
        first.start();
        other.start();
    }

    @AfterEach
    void stop() throws Exception {
        first.stop();
        other.stop();
    }

    @Test
    void whoEndedByItselfIsStartedAgainAndNoOther() {
        long otherPid = other.pid().orElseThrow();
        try (MemberWatch _ = MemberWatch.start(List.of(first, other), _ -> false)) {
            awaitStartedAgain(first, kill(first));
            awaitStartedAgain(first, kill(first));
        }
        assertThat(other.pid()).hasValue(otherPid);
    }

    @Test
    void whoWasStoppedOrRemovedStaysSo() throws Exception {
        try (MemberWatch _ = MemberWatch.start(List.of(first, other), member -> member.equals(first))) {
            kill(first);
            kill(other);
            other.stop();
            assertThat(other.ended()).isEmpty();
            other.start();
            awaitStartedAgain(other, kill(other));
        }
        assertThat(first.isRunning()).isFalse();
    }

    @Test
    void aMemberThatWasKilledSaysHowItEndedUntilItIsStartedAgain() throws Exception {
        assertThat(first.ended()).isEmpty();
        kill(first);
        assertThat(first.ended()).contains("with exit code 137; see " + log);
        first.startAgain();
        assertThat(first.ended()).isEmpty();
        assertThat(first.isRunning()).isTrue();
    }

    @Test
    void whoWasStoppedMeanwhileIsNotStartedAgain() throws Exception {
        first.stop();
        first.startAgain();
        assertThat(first.isRunning()).isFalse();
    }

    private static long kill(Member member) {
        long pid = member.pid().orElseThrow();
        ProcessHandle.of(pid).orElseThrow().destroyForcibly();
        await().atMost(LONG).until(() -> !member.isRunning());
        return pid;
    }

    private static void awaitStartedAgain(Member member, long before) {
        await().atMost(LONG).until(() -> !member.pid().equals(OptionalLong.of(before)) && member.isRunning());
    }

    private ProcessMember sleeper(String name) {
        return new ProcessMember(name, nobody(), Optional.of(log), List.of("sleep"), List.of("600"));
    }

    private static InetSocketAddress nobody() {
        try (ServerSocket socket = new ServerSocket(0, 1, InetAddress.getLoopbackAddress())) {
            return new InetSocketAddress(socket.getInetAddress(), socket.getLocalPort());
        } catch (IOException e) {
            throw new AssertionError(e);
        }
    }
}
