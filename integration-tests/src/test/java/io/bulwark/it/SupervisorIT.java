package io.bulwark.it;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import io.bulwark.appliance.cli.BulwarkCommand;
import io.bulwark.appliance.supervisor.Installation;
import io.bulwark.appliance.supervisor.Release;
import io.bulwark.appliance.supervisor.Supervisor;
import io.bulwark.client.Bulwark;
import io.bulwark.client.ClusterStatus;
import io.bulwark.protocol.ordering.driver.ReplicaConfig.Recoveries;
import io.micrometer.core.instrument.simple.SimpleMeterRegistry;
import java.io.File;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.HashSet;
import java.util.List;
import java.util.Objects;
import java.util.Optional;
import java.util.OptionalLong;
import java.util.Set;
import java.util.concurrent.TimeUnit;
import org.jspecify.annotations.NullMarked;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/**
 * Replicas in processes of their own with supervisors: one of them as {@code bulwark supervise}, three as {@code up --processes} has
 * them. Each recovers once, always the primary, while commands are given; one is killed, and one's release is tampered with. Then all of
 * them in their turns, by the clock.
 */
@NullMarked
@Tag("long")
class SupervisorIT {
    private static final int ALONE = 1;
    private static final int LAST = ReplicaGroup.REPLICAS - 1;
    private static final long END_SECONDS_MAX = 60;
    private static final long PAUSE_MILLIS = 150;

    /** A replica's turn each 8 s: a busy machine puts some of them off, or misses one. */
    private static final long PERIOD_MILLIS = 32_000;

    @TempDir
    Path root = Path.of("");

    private final List<Process> alone = new ArrayList<>();
    private final List<Supervisor> supervisors = new ArrayList<>();
    private @Nullable ReplicaGroup group;
    private boolean passed;

    @Test
    void eachRecoversUnderLoadOneIsKilledAndATamperedReleaseIsRefused() throws Exception {
        Path more = Files.createDirectories(root.resolve("more"));
        Path added = Files.writeString(more.resolve("added"), "as released");
        Release tampered = new Release(Release.own().classPath() + File.pathSeparator + more);
        startAll(Recoveries.DEFAULT, tampered);
        Bulwark client = group().client();
        client.releases().allow(Release.own().hash());
        client.releases().allow(tampered.hash());
        for (int replica = 0; replica < LAST; replica++) {
            recover(replica);
        }
        Files.writeString(added, "otherwise");
        long before = pids().get(LAST);
        assertThat(supervisors.getLast().recoverNow()).contains("is not allowed");
        assertThat(pids().get(LAST)).isEqualTo(before);
        killAndAwaitRefusal();
        Files.writeString(added, "as released");
        await().atMost(ReplicaGroup.LONG).pollInterval(ReplicaGroup.POLL).until(() -> group().serves(LAST));
        assertThat(supervisors.getLast().problem()).isEmpty();
        recover(LAST);
        assertThat(command(0)).as("again at once").isEqualTo(1);
        assertThat(client.status().recoveries().window()).isPresent();
        kill(0);
        assertThat(group().lost()).isEmpty();
        alone.getFirst().toHandle().destroy();
        assertThat(alone.getFirst().waitFor(END_SECONDS_MAX, TimeUnit.SECONDS)).isTrue();
        assertThat(alone.getFirst().exitValue()).isZero();
        passed = true;
    }

    @Test
    @Tag("nightly")
    void theScheduleAloneHasEachRecoverUnderLoad() throws Exception {
        startAll(new Recoveries(PERIOD_MILLIS, PERIOD_MILLIS / 2, PERIOD_MILLIS / 2), Release.own());
        List<Long> before = pids();
        Set<Integer> recovered = new HashSet<>();
        await().atMost(ReplicaGroup.LONG.multipliedBy(2))
                .pollInterval(ReplicaGroup.POLL)
                .until(() -> {
                    for (int replica = 0; replica <= LAST; replica++) {
                        // On a busy machine the first have had a turn before this test knows of them.
                        long first = before.get(replica);
                        if (pid(replica).filter(pid -> pid != first).isPresent() && group().hasRecovered(replica)) {
                            recovered.add(replica);
                        }
                    }
                    return recovered.size() == ReplicaGroup.REPLICAS;
                });
        group().awaitMore();
        assertThat(pids()).doesNotContainAnyElementsOf(before);
        ClusterStatus.Recoveries shown = group().client().status().recoveries();
        assertThat(shown.replicas()).allMatch(each -> each.last().isPresent());
        assertThat(shown.window()).isPresent();
        assertThat(group().lost()).isEmpty();
        passed = true;
    }

    /** Returns the process ids by replica number; waits for a replica that is between two processes. */
    private List<Long> pids() {
        List<Long> pids = new ArrayList<>();
        for (int replica = 0; replica <= LAST; replica++) {
            int number = replica;
            await().atMost(ReplicaGroup.LONG).until(() -> pid(number).isPresent());
            pid(number).ifPresent(pids::add);
        }
        return pids;
    }

    private Optional<Long> pid(int replica) {
        if (replica < ALONE) {
            return childOf(replica).map(ProcessHandle::pid);
        }
        var pid = group().member(replica).pid();
        return pid.isPresent() ? Optional.of(pid.getAsLong()) : Optional.empty();
    }

    /** Kills the replica and checks that it is not restarted from a release that was tampered with. */
    private void killAndAwaitRefusal() throws InterruptedException {
        LiveCluster.kill(group().member(LAST));
        await().atMost(ReplicaGroup.LONG)
                .until(() -> supervisors.getLast().problem().contains("is not allowed"));
        assertThat(group().member(LAST).isRunning()).isFalse();
        group().awaitMore();
    }

    /** A replica that is killed is started again by its supervisor, and serves. */
    private void kill(int replica) throws InterruptedException {
        ProcessHandle killed = childOf(replica).orElseThrow();
        killed.destroyForcibly();
        await().atMost(ReplicaGroup.LONG)
                .until(() -> childOf(replica)
                        .filter(child -> child.pid() != killed.pid())
                        .isPresent());
        await().atMost(ReplicaGroup.LONG).pollInterval(ReplicaGroup.POLL).until(() -> group().serves(replica));
        group().awaitMore();
    }

    private Optional<ProcessHandle> childOf(int replica) {
        return alone.get(replica).toHandle().children().findFirst();
    }

    /** Has it recover, once the others let it, and waits until it has. */
    private void recover(int replica) {
        await().atMost(ReplicaGroup.LONG)
                .pollInterval(ReplicaGroup.POLL)
                .until(() -> replica < ALONE
                        ? command(replica) == 0
                        : supervisors.get(replica - ALONE).recoverNow().isEmpty());
        await().atMost(ReplicaGroup.LONG).pollInterval(ReplicaGroup.POLL).until(() -> group().hasRecovered(replica));
        group().awaitMore();
    }

    private int command(int replica) {
        String data = group().plan().data().replica(replica).toString();
        return BulwarkCommand.run("replica", "recover", "" + replica, "--data", data);
    }

    /** @param last the last replica's */
    private void startAll(Recoveries recoveries, Release last) throws Exception {
        ReplicaGroup made = new ReplicaGroup(root, recoveries);
        group = made;
        for (int i = 0; i < ALONE; i++) {
            alone.add(supervise(i));
        }
        for (int i = ALONE; i <= LAST; i++) {
            made.member(i).start();
        }
        for (int i = ALONE; i <= LAST; i++) {
            made.member(i).awaitListening();
            Installation installed = Installation.of(
                    i == LAST ? last : Release.own(),
                    made.roleFile(i),
                    made.setup(i).channels());
            Supervisor.Watchdog watchdog = new Supervisor.Watchdog(
                    made.view(),
                    Optional.of(installed),
                    ReplicaGroup.REPLICAS,
                    OptionalLong.of(recoveries.watchdogMillis()));
            supervisors.add(Supervisor.start(made.member(i), i, watchdog, new SimpleMeterRegistry()));
        }
        made.awaitServing();
        made.load(PAUSE_MILLIS);
    }

    private Process supervise(int replica) throws IOException {
        List<String> command = new ArrayList<>(ReplicaGroup.java());
        command.addAll(
                List.of("supervise", "--config", group().roleFile(replica).toString()));
        return new ProcessBuilder(command)
                .redirectErrorStream(true)
                .redirectOutput(group().log(replica).toFile())
                .start();
    }

    private ReplicaGroup group() {
        return Objects.requireNonNull(group);
    }

    @AfterEach
    void end() throws Exception {
        supervisors.forEach(Supervisor::close);
        if (!passed && group != null) {
            group.showLogs();
        }
        for (Process process : alone) {
            List<ProcessHandle> children = process.children().toList();
            process.destroyForcibly().waitFor();
            children.forEach(ProcessHandle::destroyForcibly);
        }
        if (group != null) {
            group.close();
        }
    }
}
