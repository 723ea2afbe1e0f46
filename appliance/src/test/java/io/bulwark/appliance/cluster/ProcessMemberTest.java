package io.bulwark.appliance.cluster;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;
import static org.awaitility.Awaitility.await;

import io.bulwark.client.error.ConfigException;
import java.io.IOException;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.net.ServerSocket;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.List;
import java.util.Optional;
import org.jspecify.annotations.NullMarked;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** The wait for a process returns the reason. */
@NullMarked
class ProcessMemberTest {
    private static final Duration LONG = Duration.ofSeconds(40);

    @TempDir
    private Path directory = Path.of("");

    private ProcessMember member(InetSocketAddress address, String script) {
        return new ProcessMember(
                "node-7", address, Optional.of(directory.resolve("log")), List.of("sh", "-c"), List.of(script));
    }

    private static InetSocketAddress free() throws IOException {
        try (ServerSocket socket = new ServerSocket(0, 1, InetAddress.getLoopbackAddress())) {
            return new InetSocketAddress(socket.getInetAddress(), socket.getLocalPort());
        }
    }

    @Test
    void aProcessThatDoesNotListenSaysWhatItDoes() throws Exception {
        Files.writeString(directory.resolve("log"), "of an earlier start\n");
        ProcessMember member = member(free(), "echo replaying the log; exec sleep 600");
        member.start();
        try {
            assertThat(member.awaited().orElseThrow())
                    .startsWith("process " + member.pid().orElseThrow() + " does not listen yet")
                    .doesNotContain("earlier start");
            await().atMost(LONG)
                    .until(() -> member.awaited().orElseThrow().endsWith("; last log line: replaying the log"));
            assertThat(member.activity().logBytes()).isEqualTo("replaying the log\n".length());
        } finally {
            member.stop();
        }
        assertThatThrownBy(member::awaited).hasMessageContaining("node-7 was stopped during startup");
    }

    @Test
    void aProcessThatEndsWhileItStartsSaysWhy() throws Exception {
        ProcessMember member = member(free(), "echo the disk is gone; exit 3");
        member.start();
        assertThatThrownBy(member::awaitListening)
                .hasMessageContaining("node-7 terminated during startup with exit code 3")
                .hasMessageContaining("the disk is gone");
    }

    @Test
    void aMemberWithWrongConfigurationSaysSoInFull() throws Exception {
        String advice = "x".repeat(300) + " empty the directory";
        ProcessMember member = member(free(), "echo " + advice + "; exit 78");
        member.start();
        assertThatThrownBy(member::awaitListening)
                .isInstanceOf(ConfigException.class)
                .hasMessageContaining(advice);
    }

    @Test
    void aProcessThatListensIsNotAwaited() throws Exception {
        InetSocketAddress address = free();
        ProcessMember member = member(address, "exec sleep 600");
        member.start();
        try (ServerSocket _ = new ServerSocket(address.getPort(), 1, address.getAddress())) {
            assertThat(member.awaited()).isEmpty();
        } finally {
            member.stop();
        }
    }
}
