package io.bulwark.it;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import io.bulwark.appliance.boot.RoleFile;
import io.bulwark.appliance.cli.BulwarkCommand;
import io.bulwark.appliance.cluster.ClusterPlan;
import io.bulwark.appliance.cluster.ClusterShape;
import io.bulwark.appliance.cluster.DataDirectory;
import io.bulwark.appliance.cluster.DefaultVolume;
import io.bulwark.appliance.cluster.Member;
import io.bulwark.appliance.cluster.Ordering;
import io.bulwark.appliance.cluster.OwnCommand;
import io.bulwark.appliance.cluster.ProcessMember;
import io.bulwark.appliance.cluster.ReplicaSetup;
import io.bulwark.appliance.supervisor.GroupView;
import io.bulwark.appliance.supervisor.Release;
import io.bulwark.appliance.supervisor.Supervisor;
import io.bulwark.client.BucketInfo;
import io.bulwark.client.Bulwark;
import io.bulwark.client.error.BulwarkException;
import io.bulwark.protocol.id.PrincipalId;
import io.bulwark.protocol.ordering.recovery.RecoveryReport.Phase;
import io.bulwark.protocol.ordering.recovery.RecoveryStatus;
import io.micrometer.core.instrument.simple.SimpleMeterRegistry;
import java.io.File;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Objects;
import java.util.Optional;
import java.util.Queue;
import java.util.concurrent.ConcurrentLinkedQueue;
import java.util.concurrent.TimeUnit;
import java.util.stream.Stream;
import org.jspecify.annotations.NullMarked;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/**
 * Replicas in processes of their own with supervisors: one of them as {@code bulwark supervise}, three as {@code up --processes} has
 * them. Each recovers once, always the primary, while commands are given; one is killed, and one's release is tampered with.
 */
@NullMarked
class SupervisorIT {
    private static final Duration LONG = Duration.ofSeconds(150);
    private static final int NODES = 4;
    private static final int REPLICAS = 4;
    private static final int ALONE = 1;
    private static final int HEAP_MEBIBYTES = 256;
    private static final long END_SECONDS_MAX = 60;
    private static final Duration POLL = Duration.ofMillis(500);
    private static final long PAUSE_MILLIS = 150;

    @TempDir
    Path root = Path.of("");

    private final List<Process> alone = new ArrayList<>();
    private final List<Member> members = new ArrayList<>();
    private final List<Supervisor> supervisors = new ArrayList<>();
    private final Queue<String> acknowledged = new ConcurrentLinkedQueue<>();
    private volatile boolean stopped;
    private boolean passed;
    private @Nullable ClusterPlan plan;
    private @Nullable GroupView group;

    @Test
    void eachRecoversUnderLoadOneIsKilledAndATamperedReleaseIsRefused() throws Exception {
        Path more = Files.createDirectories(root.resolve("more"));
        Path added = Files.writeString(more.resolve("added"), "as released");
        Release tampered = new Release(Release.own().classPath() + File.pathSeparator + more);
        startAll(tampered);
        try (Bulwark client = Bulwark.connect(plan().data().clientProperties())) {
            DefaultVolume.ensure(client);
            client.releases().allow(Release.own().hash());
            client.releases().allow(tampered.hash());
            Thread load = Thread.ofVirtual().start(() -> load(client));
            awaitMore();
            for (int replica = 0; replica < REPLICAS - 1; replica++) {
                recover(replica);
            }
            Files.writeString(added, "otherwise");
            long before = members.getLast().pid().orElseThrow();
            assertThat(supervisors.getLast().recoverNow()).contains("is not allowed");
            assertThat(members.getLast().pid()).hasValue(before);
            Files.writeString(added, "as released");
            recover(REPLICAS - 1);
            assertThat(members.getLast().pid().orElseThrow()).isNotEqualTo(before);
            assertThat(command(0)).as("again at once").isEqualTo(1);
            assertThat(client.status().recoveries().window()).isPresent();
            kill(0);
            stopped = true;
            load.join();
            assertThat(client.buckets().stream().map(BucketInfo::name)).containsAll(acknowledged);
        }
        alone.getFirst().toHandle().destroy();
        assertThat(alone.getFirst().waitFor(END_SECONDS_MAX, TimeUnit.SECONDS)).isTrue();
        assertThat(alone.getFirst().exitValue()).isZero();
        passed = true;
    }

    /** A replica that is killed is started again by its supervisor, and serves. */
    private void kill(int replica) throws InterruptedException {
        ProcessHandle killed = childOf(replica).orElseThrow();
        killed.destroyForcibly();
        await().atMost(LONG)
                .until(() -> childOf(replica)
                        .filter(child -> child.pid() != killed.pid())
                        .isPresent());
        await().atMost(LONG).pollInterval(POLL).until(() -> serves(replica));
        awaitMore();
    }

    private Optional<ProcessHandle> childOf(int replica) {
        return alone.get(replica).toHandle().children().findFirst();
    }

    /** Has it recover, once the others let it, and waits until it has. */
    private void recover(int replica) throws Exception {
        await().atMost(LONG)
                .pollInterval(POLL)
                .until(() -> replica < ALONE
                        ? command(replica) == 0
                        : supervisors.get(replica - ALONE).recoverNow().isEmpty());
        await().atMost(LONG).pollInterval(POLL).until(() -> hasRecovered(replica));
        awaitMore();
    }

    private int command(int replica) {
        String data = plan().data().replica(replica).toString();
        return BulwarkCommand.run("replica", "recover", "" + replica, "--data", data);
    }

    private boolean serves(int replica) throws InterruptedException {
        RecoveryStatus status = Objects.requireNonNull(group).recoveries().get(replica);
        return status != null && status.phase() == Phase.NONE;
    }

    /** By its own word and that of f+1 others. */
    private boolean hasRecovered(int replica) throws InterruptedException {
        var all = Objects.requireNonNull(group).recoveries();
        RecoveryStatus own = all.get(replica);
        long others = all.entrySet().stream()
                .filter(each -> each.getKey() != replica
                        && each.getValue().known().stream()
                                .anyMatch(known -> known.replica() == replica && !known.open()))
                .count();
        return own != null
                && own.phase() == Phase.NONE
                && own.own().recoveredMillis() != RecoveryStatus.NEVER
                && others >= 2;
    }

    private void load(Bulwark client) {
        for (int i = 0; !stopped; i++) {
            String name = "bucket-" + i;
            try {
                client.createBucket(name);
                acknowledged.add(name);
                TimeUnit.MILLISECONDS.sleep(PAUSE_MILLIS);
            } catch (BulwarkException e) {
                System.out.println("SupervisorIT: " + name + ": " + e.getMessage());
            } catch (InterruptedException e) {
                Thread.currentThread().interrupt();
                return;
            }
        }
    }

    private void awaitMore() {
        int wanted = acknowledged.size() + 5;
        await().atMost(LONG).until(() -> acknowledged.size() >= wanted);
    }

    /** @param last the last replica's */
    private void startAll(Release last) throws Exception {
        ClusterShape shape =
                new ClusterShape(NODES, REPLICAS, LiveCluster.freePortBase(NODES, REPLICAS), Ordering.BFT, "sync");
        plan = new ClusterPlan(DataDirectory.create(root.resolve("data")), shape);
        plan().prepare();
        List<Path> files = new ArrayList<>();
        for (int i = 0; i < REPLICAS; i++) {
            Path file = root.resolve("replica-" + i + ".yaml");
            RoleFile.write(setup(i), file);
            files.add(file);
        }
        for (int i = 0; i < ALONE; i++) {
            alone.add(supervise(i, files.get(i)));
        }
        for (int i = ALONE; i < REPLICAS; i++) {
            Member member = new ProcessMember(
                    "replica-" + i,
                    setup(i).listen(),
                    Optional.of(log(i)),
                    java(),
                    List.of("replica", "--config", files.get(i).toString(), "--end-with-input"));
            members.add(member);
            member.start();
        }
        GroupView view = GroupView.open(
                PrincipalId.client(1),
                Objects.requireNonNull(plan().consoleClient().keyRing()),
                plan().consoleClient().channels(),
                root.resolve("supervisor.registry"),
                setup(0).replicas());
        group = view;
        for (int i = ALONE; i < REPLICAS; i++) {
            Member member = members.get(i - ALONE);
            member.awaitListening();
            Supervisor.Watchdog watchdog = new Supervisor.Watchdog(
                    view,
                    Optional.of(i == REPLICAS - 1 ? last : Release.own()),
                    REPLICAS,
                    setup(i).recoveries().watchdogMillis());
            supervisors.add(Supervisor.start(member, i, Optional.of(watchdog), new SimpleMeterRegistry()));
        }
        await().atMost(LONG)
                .pollInterval(POLL)
                .until(() -> view.recoveries().size() == REPLICAS && serves(0) && serves(1) && serves(2) && serves(3));
    }

    private Process supervise(int replica, Path file) throws IOException {
        List<String> command = new ArrayList<>(java());
        command.addAll(List.of("supervise", "--config", file.toString()));
        return new ProcessBuilder(command)
                .redirectErrorStream(true)
                .redirectOutput(log(replica).toFile())
                .start();
    }

    /** None of these processes lives for so long that the second compiler pays off. */
    private static List<String> java() {
        List<String> command = new ArrayList<>(OwnCommand.java(HEAP_MEBIBYTES));
        command.add(1, "-XX:TieredStopAtLevel=1");
        return command;
    }

    private ReplicaSetup setup(int replica) {
        return plan().replica(replica, plan().data().replica(replica));
    }

    private Path log(int replica) {
        return plan().data().log("replica-" + replica);
    }

    private ClusterPlan plan() {
        return Objects.requireNonNull(plan);
    }

    @AfterEach
    void end() throws Exception {
        stopped = true;
        supervisors.forEach(Supervisor::close);
        for (Member member : members) {
            member.stop();
        }
        for (Process process : alone) {
            List<ProcessHandle> children = process.children().toList();
            process.destroyForcibly().waitFor();
            children.forEach(ProcessHandle::destroyForcibly);
        }
        if (group != null) {
            group.close();
        }
        if (passed || plan == null) {
            return;
        }
        try (Stream<Path> logs = Files.list(plan.data().log("any").getParent())) {
            for (Path log : logs.sorted().toList()) {
                List<String> lines = Files.readAllLines(log);
                System.out.println("--- " + log.getFileName());
                lines.subList(Math.max(0, lines.size() - 25), lines.size()).forEach(System.out::println);
            }
        }
    }
}
