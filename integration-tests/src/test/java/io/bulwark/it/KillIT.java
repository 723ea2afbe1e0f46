package io.bulwark.it;

import static org.assertj.core.api.Assertions.assertThat;

import io.bulwark.appliance.cluster.DataDirectory;
import io.bulwark.appliance.cluster.JavaCommand;
import io.bulwark.appliance.cluster.Ordering;
import io.bulwark.appliance.control.ControlRequest;
import io.bulwark.appliance.control.ControlSocket;
import io.bulwark.client.Bulwark;
import io.bulwark.client.VolumeSpec;
import io.bulwark.protocol.cluster.ProtectionPolicy;
import io.bulwark.simulation.history.HistoryCheck;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.concurrent.TimeUnit;
import org.jspecify.annotations.NullMarked;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/**
 * kill -9 of {@code up --processes} while reads and writes go on: its members end with it, the same command starts everything
 * again, and nothing acknowledged is lost.
 */
@NullMarked
@Tag("long")
class KillIT {
    private static final int NODES = 5;
    private static final int REPLICAS = 4;
    private static final int HEAP_MEBIBYTES = 512;
    private static final int CLIENTS = 3;
    private static final int BLOCK = 4096;
    private static final long OPERATIONS = 60;
    private static final long UP_MILLIS_MAX = 240_000;
    private static final long END_SECONDS_MAX = 60;

    @TempDir
    Path data = Path.of("");

    @Test
    void nothingAcknowledgedIsLostWhenTheWholeApplianceIsKilled() throws Exception {
        kill(List.of());
    }

    @Test
    @Tag("nightly")
    void withBftSmartNothingIsLostEither() throws Exception {
        kill(List.of("--ordering", Ordering.BFT_SMART.toString()));
    }

    private void kill(List<String> chosen) throws Exception {
        System.out.println("KillIT: -Dbulwark.seed=" + LiveCluster.SEED);
        int portBase = LiveCluster.freePortBase(NODES, REPLICAS);
        Process killed = up(portBase, chosen);
        Process ended = killed;
        try (Bulwark client = Bulwark.connect(DataDirectory.clientProperties(data))) {
            client.createVolume(VolumeSpec.registers("disk", new ProtectionPolicy(1, 2, 4, BLOCK), MixedLoad.BLOCKS));
            client.createBucket("kept");
            MixedLoad load = new MixedLoad("kept", "disk", BLOCK, LiveCluster.SEED);
            try (load) {
                for (int i = 0; i < CLIENTS; i++) {
                    load.start(client, "client-" + i);
                }
                load.awaitOperations(OPERATIONS);
                List<Long> members = members();
                assertThat(members).hasSize(NODES + REPLICAS);
                killed.destroyForcibly().waitFor();
                ended = up(portBase, chosen);
                assertThat(members())
                        .as("members of its own")
                        .hasSize(NODES + REPLICAS)
                        .doesNotContainAnyElementsOf(members);
                // Operations in flight may have failed; the clients themselves continue.
                load.awaitOperations(OPERATIONS);
                load.stop();
            }
            assertThat(load.readAll(client, "reader")).isEmpty();
            assertThat(HistoryCheck.of(load.history()).problem()).isEmpty();
            down(ended);
        } finally {
            killed.destroyForcibly();
            ended.destroyForcibly();
        }
    }

    private void down(Process up) throws IOException, InterruptedException {
        assertThat(ControlSocket.ask(data, new ControlRequest("down", null, null))
                        .error())
                .isEmpty();
        assertThat(up.waitFor(END_SECONDS_MAX, TimeUnit.SECONDS)).isTrue();
        assertThat(up.exitValue()).isZero();
    }

    /** The command as a user gives it; returns when the appliance is up. */
    private Process up(int portBase, List<String> chosen) throws IOException, InterruptedException {
        List<String> command = new ArrayList<>(JavaCommand.member(HEAP_MEBIBYTES));
        command.addAll(List.of("up", "--processes", "--data", data.toString()));
        command.addAll(List.of("--nodes", "" + NODES, "--replicas", "" + REPLICAS, "--port-base", "" + portBase));
        command.addAll(chosen);
        Path log = data.resolve("up.log");
        Process process = new ProcessBuilder(command)
                .redirectErrorStream(true)
                .redirectOutput(ProcessBuilder.Redirect.appendTo(log.toFile()))
                .start();
        long end = System.nanoTime() + UP_MILLIS_MAX * 1_000_000;
        while (!ControlSocket.progress(data).ready()) {
            if (!process.isAlive() || System.nanoTime() > end) {
                process.destroyForcibly();
                throw new AssertionError("the appliance does not come up: " + Files.readString(log));
            }
            Thread.sleep(100);
        }
        return process;
    }

    private List<Long> members() throws IOException {
        Object members = ControlSocket.ask(data, new ControlRequest("status", null, null))
                .body()
                .get("members");
        List<Long> pids = new ArrayList<>();
        if (members instanceof List<?> list) {
            for (Object member : list) {
                if (member instanceof Map<?, ?> map && map.get("pid") instanceof Number pid) {
                    pids.add(pid.longValue());
                }
            }
        }
        return pids;
    }
}
