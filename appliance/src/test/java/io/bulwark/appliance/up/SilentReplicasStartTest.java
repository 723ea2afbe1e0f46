package io.bulwark.appliance.up;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;
import static org.awaitility.Awaitility.await;

import io.bulwark.appliance.cluster.ClusterPlan;
import io.bulwark.appliance.cluster.ClusterShape;
import io.bulwark.appliance.cluster.DataDirectory;
import io.bulwark.appliance.cluster.Member;
import io.bulwark.appliance.cluster.Ordering;
import io.bulwark.appliance.cluster.PortConflicts;
import io.bulwark.appliance.cluster.ReplicaMember;
import io.bulwark.appliance.cluster.ReplicaProcess;
import io.bulwark.appliance.control.ControlReply;
import io.bulwark.appliance.control.ControlRequest;
import io.bulwark.appliance.control.ControlSocket;
import java.net.InetAddress;
import java.net.ServerSocket;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionException;
import java.util.concurrent.CopyOnWriteArrayList;
import java.util.concurrent.TimeUnit;
import org.jspecify.annotations.NullMarked;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** An appliance whose replicas never listen: it waits, says for whom, and can be ended. */
@NullMarked
class SilentReplicasStartTest {
    private static final Duration LONG = Duration.ofSeconds(40);
    private static final int PORT_MAX = 64_535;

    @TempDir
    private Path directory = Path.of("");

    private final List<Member> made = new ArrayList<>();
    private final List<String> said = new CopyOnWriteArrayList<>();
    private final StartupListener story = new StartupListener() {
        @Override
        public void tell(String line) {
            said.add(line);
        }

        @Override
        public void awaits(String line) {
            said.add(line);
        }
    };

    private Appliance appliance;

    /** Processes that do nothing but sleep. */
    private final class Sleepers implements Members {
        private final ClusterPlan plan;

        private Sleepers(ClusterPlan plan) {
            this.plan = plan;
        }

        @Override
        public Member node(int number) {
            throw new IllegalStateException("the replicas do not listen yet");
        }

        @Override
        public ReplicaMember replica(int number) {
            ReplicaProcess sleeper = new ReplicaProcess(
                    "replica-" + number,
                    plan.replica(number, directory).listen(),
                    Optional.empty(),
                    List.of("sleep"),
                    List.of("600"));
            made.add(sleeper);
            return sleeper;
        }
    }

    private ClusterPlan plan;

    SilentReplicasStartTest() throws Exception {
        plan = new ClusterPlan(DataDirectory.at(directory), new ClusterShape(5, 4, 7400, Ordering.BFT, "sync"));
        appliance = Appliance.of(plan);
    }

    @BeforeEach
    void make() throws Exception {
        DataDirectory data = DataDirectory.create(directory.toRealPath());
        do {
            int base;
            try (ServerSocket socket = new ServerSocket(0, 1, InetAddress.getLoopbackAddress())) {
                base = socket.getLocalPort();
            }
            plan = new ClusterPlan(data, new ClusterShape(5, 4, Math.min(base, PORT_MAX), Ordering.BFT, "sync"));
        } while (PortConflicts.findHolder(plan.ports(true), 0).isPresent());
        appliance = Appliance.of(plan);
    }

    private CompletableFuture<Void> start() {
        return CompletableFuture.runAsync(
                () -> {
                    try {
                        appliance.start(new Sleepers(plan), story);
                    } catch (Exception e) {
                        throw new CompletionException(e);
                    }
                },
                task -> Thread.ofPlatform().start(task));
    }

    private void assertAbandoned(CompletableFuture<Void> started) {
        assertThatThrownBy(() -> started.get(LONG.toSeconds(), TimeUnit.SECONDS))
                .hasCauseInstanceOf(StartAbandonedException.class);
        assertThat(made).hasSize(4).noneMatch(Member::isRunning);
        assertThat(ControlSocket.isServed(plan.data().root())).isFalse();
    }

    @Test
    void whoIsAwaitedIsSaidAndDownEndsTheStart() throws Exception {
        CompletableFuture<Void> started = start();
        Path root = plan.data().root();
        await().atMost(LONG).until(() -> ControlSocket.progress(root).doing().endsWith("and 1 more"));
        assertThat(ControlSocket.progress(root).ready()).isFalse();
        assertThat(said)
                .contains("starting 4 metadata replicas")
                .anyMatch(line -> line.startsWith("waiting for replica-0 (process "
                        + made.getFirst().pid().orElseThrow() + " does not listen yet"));
        ControlReply status = ControlSocket.ask(root, ControlRequest.of("status"));
        assertThat(status.body().get("starting")).asString().startsWith("waiting for replica-0");
        ControlReply down = ControlSocket.ask(root, ControlRequest.of("down"));
        assertThat(down.body().get("pid"))
                .isEqualTo((int) ProcessHandle.current().pid());
        assertAbandoned(started);
    }

    @Test
    void aSignalEndsTheStart() {
        CompletableFuture<Void> started = start();
        await().atMost(LONG).until(() -> made.size() == 4);
        appliance.shutDown();
        assertAbandoned(started);
    }

    @Test
    void aReplicaThatEndsWhileItStartsEndsTheStart() {
        CompletableFuture<Void> started = start();
        await().atMost(LONG)
                .until(() -> made.size() == 4 && made.getLast().pid().isPresent());
        ProcessHandle.of(made.getFirst().pid().orElseThrow()).orElseThrow().destroyForcibly();
        assertThatThrownBy(() -> started.get(LONG.toSeconds(), TimeUnit.SECONDS))
                .hasMessageContaining("replica-0 terminated during startup with exit code 137");
        assertThat(made).noneMatch(Member::isRunning);
    }
}
