package io.bulwark.appliance.cli;

import static org.assertj.core.api.Assertions.assertThat;

import io.bulwark.appliance.cluster.ClusterPlan;
import io.bulwark.appliance.cluster.ClusterShape;
import io.bulwark.appliance.cluster.DataDirectory;
import io.bulwark.appliance.cluster.JavaCommand;
import io.bulwark.appliance.cluster.Ordering;
import io.bulwark.appliance.cluster.PortConflicts;
import io.bulwark.protocol.id.PrincipalId;
import io.bulwark.transport.identity.Identity;
import java.io.IOException;
import java.net.InetAddress;
import java.net.ServerSocket;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.stream.Stream;
import org.jspecify.annotations.NullMarked;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

@NullMarked
class UpCommandTest {
    private static final int PORT_MAX = 64_535;

    @TempDir
    Path directory = Path.of("");

    /** A retry with the option that the message names must not fail because the ports cannot be changed. */
    @Test
    void aFirstStartThatFindsAPortTakenKeepsNothing() throws IOException {
        try (ServerSocket other = taken()) {
            int port = other.getLocalPort();
            for (String more : new String[] {"--detach", "--processes", "--json"}) {
                CommandOutput up = up(directory.resolve("new/data"), "--port-base", Integer.toString(port), more);
                assertThat(up.exitCode()).isEqualTo(CommandFailure.FAILED);
                assertThat(up.err()).contains("port " + port + " (console) is taken", "--port-base N");
                if (Files.isReadable(Path.of("/proc/net/tcp"))) {
                    assertThat(up.err())
                            .contains("process " + ProcessHandle.current().pid());
                }
            }
        }
        assertThat(directory).as("of the data directory's parents, too").isEmptyDirectory();
    }

    @Test
    void aLaterStartSaysThatThePortsStay() throws IOException {
        try (ServerSocket other = taken()) {
            int port = other.getLocalPort();
            DataDirectory.create(directory).keep(new ClusterShape(5, 4, port, Ordering.BFT, "sync"));
            assertThat(up(directory).err())
                    .contains("port " + port + " (console) is taken", "the ports of " + directory)
                    .doesNotContain("--port-base");
        }
    }

    @Test
    void whatDoesNotStartInTheBackgroundEndsAsInTheForegroundAndSaysWhy() throws Exception {
        DataDirectory data = DataDirectory.create(directory);
        data.keep(freeShape(data));
        new ClusterPlan(data, data.shape().orElseThrow()).prepare();
        Files.delete(Identity.file(data.keys(), PrincipalId.replica(0)));
        Files.writeString(data.log("appliance"), "bulwark: of an earlier start\n");
        CommandOutput up = up(directory, "--detach");
        assertThat(up.exitCode()).isEqualTo(CommandFailure.CONFIG);
        assertThat(up.err())
                .contains(
                        "the appliance did not start; last log line:", "replica-0.pem", "see " + data.log("appliance"))
                .doesNotContain("earlier start");
        assertThat(up(directory).exitCode()).as("in the foreground").isEqualTo(CommandFailure.CONFIG);
    }

    /** Before it listens for commands: here it waits for a port. */
    @Test
    void downEndsAnApplianceThatHasHardlyBegun() throws Exception {
        DataDirectory data = DataDirectory.create(directory.resolve("data"));
        try (ServerSocket other = taken()) {
            data.keep(new ClusterShape(5, 4, other.getLocalPort(), Ordering.BFT, "sync"));
            List<String> command = new ArrayList<>(JavaCommand.member(256));
            command.addAll(List.of("up", "--data", data.root().toString()));
            Process up = new ProcessBuilder(command)
                    .redirectErrorStream(true)
                    .redirectOutput(directory.resolve("log").toFile())
                    .start();
            try {
                while (data.holder().orElse(0) != up.pid()) {
                    assertThat(up.isAlive())
                            .as(Files.readString(directory.resolve("log")))
                            .isTrue();
                    Thread.sleep(20);
                }
                CommandOutput down =
                        CommandOutput.of("down", "--data", data.root().toString());
                assertThat(down.exitCode()).as(down.err()).isZero();
                assertThat(data.holder()).isEmpty();
                // It has ended; this process, its parent, may not have read its exit code yet.
                assertThat(up.waitFor()).isNotZero();
            } finally {
                up.destroyForcibly();
            }
        }
        assertThat(CommandOutput.of("down", "--data", data.root().toString()).exitCode())
                .isEqualTo(CommandFailure.UNAVAILABLE);
    }

    private static ClusterShape freeShape(DataDirectory data) throws Exception {
        while (true) {
            int base;
            try (ServerSocket socket = taken()) {
                base = socket.getLocalPort();
            }
            ClusterShape shape = new ClusterShape(5, 4, base, Ordering.BFT, "sync");
            if (PortConflicts.findHolder(new ClusterPlan(data, shape).ports(false), 0)
                    .isEmpty()) {
                return shape;
            }
        }
    }

    @Test
    void eachProcessOfItsOwnHasAPortForItsHealth() throws IOException {
        ClusterPlan plan =
                new ClusterPlan(DataDirectory.create(directory), new ClusterShape(5, 4, 7400, Ordering.BFT, "sync"));
        assertThat(plan.ports(false))
                .hasSize(12)
                .containsEntry("replica-3", 7603)
                .containsEntry("s3", 7401)
                .containsEntry("health of console", 7900);
        assertThat(plan.ports(true)).hasSize(21).containsEntry("health of node-4", 7914);
    }

    @Test
    void aDemoSaysWhichPortsItMayHave() throws IOException {
        try (ServerSocket other = taken()) {
            CommandOutput demo = CommandOutput.of("demo", "--port-base", Integer.toString(other.getLocalPort()));
            assertThat(demo.exitCode()).isEqualTo(CommandFailure.FAILED);
            assertThat(demo.err()).contains("port " + other.getLocalPort() + " (console) is taken", "--port-base N");
        }
        assertThat(CommandOutput.of("demo", "--port-base", "80").exitCode()).isEqualTo(CommandFailure.USAGE);
    }

    private static CommandOutput up(Path data, String... more) {
        return CommandOutput.of(Stream.concat(Stream.of("up", "--data", data.toString()), Stream.of(more))
                .toArray(String[]::new));
    }

    /** One that can be a port base. */
    private static ServerSocket taken() throws IOException {
        while (true) {
            ServerSocket socket = new ServerSocket(0, 1, InetAddress.getLoopbackAddress());
            if (socket.getLocalPort() <= PORT_MAX) {
                return socket;
            }
            socket.close();
        }
    }
}
