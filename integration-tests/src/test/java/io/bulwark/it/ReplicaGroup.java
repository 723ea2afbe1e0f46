package io.bulwark.it;

import static org.awaitility.Awaitility.await;

import io.bulwark.appliance.boot.RoleFile;
import io.bulwark.appliance.cluster.ClusterPlan;
import io.bulwark.appliance.cluster.ClusterShape;
import io.bulwark.appliance.cluster.DataDirectory;
import io.bulwark.appliance.cluster.DefaultVolume;
import io.bulwark.appliance.cluster.JavaCommand;
import io.bulwark.appliance.cluster.Ordering;
import io.bulwark.appliance.cluster.ReplicaMember;
import io.bulwark.appliance.cluster.ReplicaProcess;
import io.bulwark.appliance.cluster.ReplicaSetup;
import io.bulwark.appliance.supervisor.GroupView;
import io.bulwark.client.BucketInfo;
import io.bulwark.client.Bulwark;
import io.bulwark.client.error.BulwarkException;
import io.bulwark.protocol.id.PrincipalId;
import io.bulwark.protocol.ordering.driver.ReplicaConfig.Recoveries;
import io.bulwark.protocol.ordering.recovery.RecoveryReport.Phase;
import io.bulwark.protocol.ordering.recovery.RecoveryStatus;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.HashSet;
import java.util.List;
import java.util.Objects;
import java.util.Optional;
import java.util.Queue;
import java.util.Set;
import java.util.SortedMap;
import java.util.concurrent.ConcurrentLinkedQueue;
import java.util.concurrent.TimeUnit;
import java.util.stream.Stream;
import org.jspecify.annotations.NullMarked;
import org.jspecify.annotations.Nullable;

/** Four replicas in processes of their own without storage nodes, and a client that makes one bucket after the other. */
@NullMarked
final class ReplicaGroup implements AutoCloseable {
    static final int REPLICAS = 4;
    static final Duration LONG = Duration.ofSeconds(150);
    static final Duration POLL = Duration.ofMillis(500);
    private static final int NODES = 4;
    private static final int HEAP_MEBIBYTES = 256;
    private static final int LOG_LINES_SHOWN = 25;

    private final Path root;
    private final ClusterPlan plan;
    private final Recoveries recoveries;
    private final List<ReplicaMember> members = new ArrayList<>();
    private final Queue<String> acknowledged = new ConcurrentLinkedQueue<>();
    private final GroupView view;
    private volatile boolean stopped;
    private @Nullable Bulwark client;
    private @Nullable Thread load;

    /** One whose replicas do not run yet. */
    ReplicaGroup(Path root, Recoveries recoveries) throws Exception {
        this.root = root;
        this.recoveries = recoveries;
        ClusterShape shape =
                new ClusterShape(NODES, REPLICAS, LiveCluster.freePortBase(NODES, REPLICAS), Ordering.BFT, "sync");
        plan = new ClusterPlan(DataDirectory.create(root.resolve("data")), shape);
        plan.prepare();
        for (int i = 0; i < REPLICAS; i++) {
            RoleFile.write(setup(i), roleFile(i));
            members.add(new ReplicaProcess(
                    "replica-" + i,
                    setup(i).listen(),
                    Optional.of(log(i)),
                    java(),
                    List.of("replica", "--config", roleFile(i).toString(), "--end-with-input")));
        }
        view = GroupView.open(
                PrincipalId.client(1),
                Objects.requireNonNull(plan.consoleClient().keyRing()),
                plan.consoleClient().channels(),
                root.resolve("supervisor.registry"),
                setup(0).replicas());
    }

    static List<String> java() {
        return JavaCommand.member(HEAP_MEBIBYTES);
    }

    ClusterPlan plan() {
        return plan;
    }

    ReplicaSetup setup(int replica) {
        return plan.replica(replica, plan.data().replica(replica)).withRecoveries(recoveries);
    }

    Path roleFile(int replica) {
        return root.resolve("replica-" + replica + ".yaml");
    }

    Path log(int replica) {
        return plan.data().log("replica-" + replica);
    }

    ReplicaMember member(int replica) {
        return members.get(replica);
    }

    GroupView view() {
        return view;
    }

    Bulwark client() {
        return Objects.requireNonNull(client);
    }

    void startAll() throws Exception {
        for (ReplicaMember member : members) {
            member.start();
        }
        for (ReplicaMember member : members) {
            member.awaitListening();
        }
        awaitServing();
    }

    void awaitServing() {
        await().atMost(LONG).pollInterval(POLL).until(() -> {
            SortedMap<Integer, RecoveryStatus> all = view.recoveries();
            return all.size() == REPLICAS
                    && all.values().stream().allMatch(status -> status.phase() == Phase.NONE && status.takesPart());
        });
    }

    /** From now on a bucket is made after the other. */
    void load(long pauseMillis) {
        Bulwark connected = Bulwark.connect(plan.data().clientProperties());
        client = connected;
        DefaultVolume.ensure(connected);
        load = Thread.ofVirtual().start(() -> makeBuckets(connected, pauseMillis));
        awaitMore();
    }

    private void makeBuckets(Bulwark connected, long pauseMillis) {
        for (int i = 0; !stopped; i++) {
            String name = "bucket-" + i;
            try {
                connected.createBucket(name);
                acknowledged.add(name);
                TimeUnit.MILLISECONDS.sleep(pauseMillis);
            } catch (BulwarkException e) {
                System.out.println(name + ": " + e.getMessage());
            } catch (InterruptedException e) {
                Thread.currentThread().interrupt();
                return;
            }
        }
    }

    void awaitMore() {
        int wanted = acknowledged.size() + 5;
        await().atMost(LONG).until(() -> acknowledged.size() >= wanted);
    }

    /** Ends the load; what was acknowledged and is not there any more. */
    Set<String> lost() throws InterruptedException {
        stopped = true;
        Objects.requireNonNull(load).join();
        Set<String> lost = new HashSet<>(acknowledged);
        client().buckets().stream().map(BucketInfo::name).forEach(lost::remove);
        return lost;
    }

    boolean serves(int replica) throws InterruptedException {
        RecoveryStatus status = view.recoveries().get(replica);
        return status != null && status.phase() == Phase.NONE;
    }

    boolean takesPart(int replica) throws InterruptedException {
        RecoveryStatus status = view.recoveries().get(replica);
        return status != null && status.takesPart();
    }

    /** Returns whether it has recovered, by its own report and f+1 others'. */
    boolean hasRecovered(int replica) throws InterruptedException {
        SortedMap<Integer, RecoveryStatus> all = view.recoveries();
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

    /** The members' last words, of a test that failed. */
    void showLogs() throws IOException {
        try (Stream<Path> logs = Files.list(plan.data().log("any").getParent())) {
            for (Path log : logs.sorted().toList()) {
                List<String> lines = Files.readAllLines(log);
                System.out.println("--- " + log.getFileName());
                lines.subList(Math.max(0, lines.size() - LOG_LINES_SHOWN), lines.size())
                        .forEach(System.out::println);
            }
        }
    }

    @Override
    public void close() {
        stopped = true;
        for (ReplicaMember member : members) {
            try {
                member.stop();
            } catch (Exception e) {
                System.out.println(member.name() + ": " + e);
            }
        }
        if (client != null) {
            client.close();
        }
        view.close();
    }
}
