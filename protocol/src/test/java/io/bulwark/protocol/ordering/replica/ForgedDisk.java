package io.bulwark.protocol.ordering.replica;

import static io.bulwark.protocol.ordering.replica.ClusterAssertions.allEqual;
import static io.bulwark.protocol.ordering.replica.ClusterAssertions.finish;
import static org.assertj.core.api.Assertions.assertThat;

import io.bulwark.protocol.fingerprint.Hashes;
import io.bulwark.protocol.ordering.driver.LogRecord;
import io.bulwark.protocol.ordering.driver.ReplicaConfig;
import io.bulwark.protocol.ordering.driver.StartReason;
import io.bulwark.protocol.ordering.message.ReplicaMessage;
import io.bulwark.protocol.ordering.message.ReplicaMessage.NewView;
import io.bulwark.protocol.ordering.message.ReplicaMessage.Numbered;
import io.bulwark.protocol.ordering.message.ReplicaMessage.Status;
import io.bulwark.protocol.ordering.message.ReplicaMessage.Support;
import io.bulwark.protocol.ordering.message.ReplicaMessage.ViewChange;
import io.bulwark.protocol.ordering.recovery.RecoveryReport.Phase;
import io.bulwark.protocol.wire.Bytes;
import java.util.ArrayList;
import java.util.List;
import java.util.Set;
import org.jspecify.annotations.NullMarked;

/**
 * Possible contents of the last replica's disk, and progress of the group after its recovery. K = 8, L = 16. Before a
 * recovery at least 20 numbers are executed and the low water mark is 16, so that H_M and the recovery point are 32.
 */
@NullMarked
final class ForgedDisk {
    static final int L = 16;
    static final long KEY_MILLIS = 1_000;
    static final Bytes NEVER = Hashes.sha256(Bytes.of((byte) 66));

    final TestCluster cluster;

    /** View changes that the last replica sends after it has begun to recover. */
    final List<ViewChange> said = new ArrayList<>();

    final List<ReplicaMessage.Phase> votes = new ArrayList<>();
    private int numbers;

    ForgedDisk(int faulty) {
        cluster = new TestCluster(
                faulty,
                3,
                config -> config.withLog(8, L).withRecoveries(new ReplicaConfig.Recoveries(20_000, KEY_MILLIS, 5_000)));
        submit(20);
        finish(cluster, 2_000);
        cluster.run(100);
        assertThat(cluster.replica(0).lowWaterMark()).isEqualTo(16);
        assertThat(cluster.replica(0).executed()).isLessThan(24);
    }

    void submit(int count) {
        for (int i = 0; i < count; i++) {
            cluster.submit(i % 3, numbers, TestCluster.operation(numbers++));
            cluster.run(10);
        }
    }

    /** The last replica starts again with this on its disk, and recovers. */
    void recoverWith(LogRecord... left) {
        cluster.crash(last());
        cluster.nodes.get(last()).disk.addAll(List.of(left));
        TestCluster.Wire wire = cluster.wire;
        cluster.wire = (from, to, message) -> {
            if (from == last()) {
                switch (message) {
                    case ViewChange change -> said.add(change);
                    case ReplicaMessage.Phase vote -> votes.add(vote);
                    default -> {}
                }
            }
            return wire.carry(from, to, message);
        };
        cluster.start(last(), StartReason.RECOVERING);
    }

    /** Makes f others claim to be in this view of the last replica's disk, which then believes that it had begun. */
    void believe(long view) {
        TestCluster.Wire wire = cluster.wire;
        cluster.wire = (from, to, message) -> from < cluster.faulty && to == last() && message instanceof Status status
                ? List.of(isIn(view, status))
                : wire.carry(from, to, message);
    }

    int last() {
        return cluster.nodes.size() - 1;
    }

    void assertAllWorks() {
        submit(20);
        finish(cluster, 3_000);
        // A replica with a forged disk may have accused others.
        cluster.nodes.getLast().evidence.clear();
        allEqual(cluster);
    }

    void assertRecovered() {
        assertThat(phase()).as(cluster::toString).isEqualTo(Phase.NONE);
    }

    Phase phase() {
        return cluster.replica(last()).recoveries(cluster.nowMillis).phase();
    }

    /** Changes all session keys: messages under the earlier keys no longer count. */
    void changeKeys() {
        cluster.nodes.forEach(node -> cluster.nodes.forEach(peer -> {
            if (peer != node) {
                node.up().onKeyChange(peer.self);
            }
        }));
        cluster.run(500);
    }

    /** The primary gives its view up, and all come to a later one in which all take part. */
    void changeView() {
        changeView(Set.of());
    }

    /** @param liars whose VIEW-CHANGE is not the one that they know of: they may wait for the next view */
    void changeView(Set<Integer> liars) {
        long before = cluster.replica(0).view();
        cluster.replica((int) (before % cluster.nodes.size())).handOver(cluster.nowMillis);
        cluster.run(3_000);
        for (TestCluster.Node node : cluster.nodes) {
            assertThat(node.up().view()).as(cluster::toString).isGreaterThan(before);
            assertThat(liars.contains(node.self) || node.up().isActive())
                    .as(cluster::toString)
                    .isTrue();
            assertThat(node.up().isFetching()).as(cluster::toString).isFalse();
        }
    }

    static LogRecord asking(long view, long stable, List<Numbered> checkpoints) {
        return new LogRecord.ViewChange(new ViewChange(view, stable, checkpoints, List.of(), List.of()));
    }

    /** It begins with a checkpoint that never was, and chooses this for all numbers after it. */
    LogRecord begun(long view, long checkpoint, Bytes choice) {
        return begun(view, checkpoint, choice, L);
    }

    LogRecord begun(long view, long checkpoint, Bytes choice, int choices) {
        List<Support> support = new ArrayList<>();
        for (int replica = 0; replica < 2 * cluster.faulty + 1; replica++) {
            support.add(new Support(replica, NEVER));
        }
        List<Numbered> chosen = new ArrayList<>();
        for (long number = checkpoint + 1; number <= checkpoint + choices; number++) {
            chosen.add(new Numbered(number, choice));
        }
        return new LogRecord.NewView(new NewView(view, support, new Numbered(checkpoint, NEVER), chosen));
    }

    /** The sender takes part in this view, as it says. */
    static Status isIn(long view, Status said) {
        return new Status(
                view,
                true,
                said.stable(),
                said.executed(),
                said.prepared(),
                said.prePrepared(),
                said.viewChanges(),
                said.newView());
    }
}
