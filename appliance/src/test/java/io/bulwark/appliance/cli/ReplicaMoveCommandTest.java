package io.bulwark.appliance.cli;

import static org.assertj.core.api.Assertions.assertThat;

import io.bulwark.appliance.boot.RoleFile;
import io.bulwark.appliance.cluster.ClusterPlan;
import io.bulwark.appliance.cluster.ClusterShape;
import io.bulwark.appliance.cluster.DataDirectory;
import io.bulwark.appliance.cluster.Ordering;
import io.bulwark.appliance.cluster.RunningReplica;
import java.io.IOException;
import java.net.InetAddress;
import java.net.ServerSocket;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Random;
import org.jspecify.annotations.NullMarked;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

@NullMarked
class ReplicaMoveCommandTest {
    private static final int REPLICAS = 4;

    @TempDir
    private Path directory = Path.of("");

    @Test
    void anApplianceIsMovedAndTakenBackUntilItHasRun() throws IOException {
        assertThat(run("init", "--ordering", "bft-smart", "--port-base", "" + freePortBase()))
                .isZero();
        DataDirectory data = DataDirectory.create(directory);
        assertThat(run("replica", "move", "--to", "bft")).as("nothing to move").isEqualTo(CommandFailure.FAILED);
        for (int number = 0; number < REPLICAS; number++) {
            start(data, number).close();
        }
        try (RunningReplica running = start(data, 2)) {
            assertThat(running.problem()).isNotEmpty();
            assertThat(run("replica", "move", "--to", "bft")).isEqualTo(CommandFailure.FAILED);
        }
        assertChosen(data, Ordering.BFT_SMART);

        assertThat(run("replica", "move", "--to", "bft")).isZero();
        assertChosen(data, Ordering.BFT);
        assertThat(Files.exists(data.root().resolve("moving"))).isFalse();
        assertThat(run("replica", "move", "--to", "bft-smart")).isZero();
        assertChosen(data, Ordering.BFT_SMART);

        assertThat(run("replica", "move", "--to", "bft")).isZero();
        start(data, 0).close();
        assertThat(run("replica", "move", "--to", "bft-smart"))
                .as("it has run since")
                .isEqualTo(CommandFailure.FAILED);
        assertThat(run("replica", "move", "--to", "bft")).isEqualTo(CommandFailure.FAILED);
        assertChosen(data, Ordering.BFT);
    }

    @Test
    void whatCannotBeMeantIsRefused() throws IOException {
        Path missing = directory.resolve("missing");
        assertThat(BulwarkCommand.run("replica", "move", "--to", "bft", "--data", missing.toString()))
                .isEqualTo(CommandFailure.USAGE);
        assertThat(Files.exists(missing)).isFalse();
        assertThat(run("replica", "move", "--to", "bft")).as("never started").isEqualTo(CommandFailure.USAGE);
        assertThat(run("init")).isZero();
        assertThat(run("replica", "move", "--to", "raft")).isEqualTo(CommandFailure.USAGE);
        assertThat(run("replica", "move")).isEqualTo(CommandFailure.USAGE);
        assertThat(run("replica", "move", "--to", "bft", "--replica-data", "elsewhere"))
                .as("one directory for four replicas")
                .isEqualTo(CommandFailure.USAGE);
        assertThat(BulwarkCommand.run("replica")).isEqualTo(CommandFailure.USAGE);
    }

    private int run(String... arguments) {
        String[] all = new String[arguments.length + 2];
        System.arraycopy(arguments, 0, all, 0, arguments.length);
        all[arguments.length] = "--data";
        all[arguments.length + 1] = directory.toString();
        return BulwarkCommand.run(all);
    }

    private static RunningReplica start(DataDirectory data, int number) throws IOException {
        ClusterShape shape = data.shape().orElseThrow();
        return RunningReplica.start(new ClusterPlan(data, shape).replica(number, data.replica(number)));
    }

    private static void assertChosen(DataDirectory data, Ordering ordering) throws IOException {
        assertThat(data.shape().orElseThrow().ordering()).isEqualTo(ordering);
        Path file = data.root().resolve("config").resolve("replica-3.yaml");
        assertThat(RoleFile.replica(file).ordering()).isEqualTo(ordering);
    }

    private static int freePortBase() {
        Random random = new Random();
        while (true) {
            int base = 10_000 + random.nextInt(40) * 500;
            if (areFree(base + 200)) {
                return base;
            }
        }
    }

    private static boolean areFree(int first) {
        for (int port = first; port < first + REPLICAS; port++) {
            try (ServerSocket socket = new ServerSocket(port, 1, InetAddress.getLoopbackAddress())) {
                if (!socket.isBound()) {
                    return false;
                }
            } catch (IOException e) {
                return false;
            }
        }
        return true;
    }
}
