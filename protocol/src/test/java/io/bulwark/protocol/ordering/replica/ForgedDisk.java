package io.bulwark.protocol.ordering.replica;

import static org.assertj.core.api.Assertions.assertThat;

import io.bulwark.protocol.fingerprint.Hashes;
import io.bulwark.protocol.ordering.message.ReplicaMessage.NewView;
import io.bulwark.protocol.ordering.message.ReplicaMessage.Numbered;
import io.bulwark.protocol.ordering.message.ReplicaMessage.Status;
import io.bulwark.protocol.ordering.message.ReplicaMessage.Support;
import io.bulwark.protocol.ordering.message.ReplicaMessage.ViewChange;
import io.bulwark.protocol.ordering.recovery.RecoveryReport.Phase;
import io.bulwark.protocol.wire.Bytes;
import java.util.ArrayList;
import java.util.List;
import org.jspecify.annotations.NullMarked;

/** What can be left on the disk of the last replica, and how the group goes on after its recovery. */
@NullMarked
final class ForgedDisk {
    static final int L = 16;
    static final Bytes NEVER = Hashes.sha256(Bytes.of((byte) 66));

    private ForgedDisk() {}

    static int last(TestCluster cluster) {
        return cluster.nodes.size() - 1;
    }

    static void assertRecovered(TestCluster cluster) {
        assertThat(phase(cluster)).as(cluster::toString).isEqualTo(Phase.NONE);
    }

    static Phase phase(TestCluster cluster) {
        return cluster.replica(last(cluster)).recoveries(cluster.nowMillis).phase();
    }

    /** What was said under the keys of before counts no more. */
    static void changeKeys(TestCluster cluster) {
        cluster.nodes.forEach(node -> cluster.nodes.forEach(peer -> {
            if (peer != node) {
                node.up().onKeyChange(peer.self);
            }
        }));
        cluster.run(500);
    }

    /** The primary gives its view up, and all come to a later one in which all take part. */
    static void changeView(TestCluster cluster) {
        long before = cluster.replica(0).view();
        cluster.replica((int) (before % cluster.nodes.size())).handOver(cluster.nowMillis);
        cluster.run(3_000);
        for (TestCluster.Node node : cluster.nodes) {
            assertThat(node.up().view()).as(cluster::toString).isGreaterThan(before);
            assertThat(node.up().isActive()).as(cluster::toString).isTrue();
            assertThat(node.up().isFetching()).as(cluster::toString).isFalse();
        }
    }

    static LogRecord asking(long view, long stable, List<Numbered> checkpoints) {
        return new LogRecord.ViewChange(new ViewChange(view, stable, checkpoints, List.of(), List.of()));
    }

    /** It begins with a checkpoint that never was, and chooses this for all numbers after it. */
    static LogRecord begun(TestCluster cluster, long view, long checkpoint, Bytes choice) {
        return begun(cluster, view, checkpoint, choice, L);
    }

    static LogRecord begun(TestCluster cluster, long view, long checkpoint, Bytes choice, int choices) {
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
