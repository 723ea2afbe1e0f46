package io.bulwark.protocol.ordering.replica;

import static org.assertj.core.api.Assertions.assertThat;

import io.bulwark.protocol.id.PrincipalId;
import io.bulwark.protocol.ordering.message.Batch;
import io.bulwark.protocol.ordering.message.ReplicaMessage;
import io.bulwark.protocol.ordering.message.ReplicaMessage.Commit;
import io.bulwark.protocol.ordering.message.ReplicaMessage.NewView;
import io.bulwark.protocol.ordering.message.ReplicaMessage.PrePrepare;
import io.bulwark.protocol.ordering.message.ReplicaMessage.Prepare;
import io.bulwark.protocol.ordering.message.Request;
import java.util.List;
import org.jspecify.annotations.NullMarked;
import org.junit.jupiter.api.Test;

/** What the primary of a new view can say of numbers that lie before where its NEW-VIEW begins. */
@NullMarked
class NewViewLiesTest {
    private static final int INTERVAL = 4;
    private static final Request OTHER = new Request(PrincipalId.client(7), 1, false, TestCluster.operation(777));

    private long begins = -1;

    /**
     * Replica 0 and the liar, replica 1, have executed number 4 and have its checkpoint; replicas 2 and 3 have voted for it and lack the others'
     * COMMITs. The liar's view begins with that checkpoint, and for number 4 it proposes another batch there.
     */
    @Test
    void noNumberUpToTheCheckpointThatAViewBeginsWithIsProposedInIt() {
        TestCluster cluster = new TestCluster(1, 1, config -> config.withLog(INTERVAL, 2 * INTERVAL));
        cluster.maxDelayMillis = 1;
        cluster.syncMillis = 1;
        for (int call = 1; call < INTERVAL; call++) {
            cluster.submit(1, call, TestCluster.operation(call));
            assertThat(cluster.runUntilDone(1_000)).isTrue();
        }
        cluster.run(100);
        cluster.wire = (from, to, message) -> carry(cluster, from, to, message);
        cluster.submit(1, INTERVAL, TestCluster.operation(INTERVAL));
        cluster.run(100);
        assertThat(executed(cluster)).containsExactly(4L, 4L, 3L, 3L);
        for (int to = 2; to < 4; to++) {
            cluster.deliver(OTHER, to);
        }
        while (begins < 0
                || !cluster.replica(2).isActive()
                || !cluster.replica(3).isActive()) {
            cluster.run(1);
            assertThat(cluster.nowMillis).as(cluster::toString).isLessThan(20_000);
        }
        assertThat(begins).isEqualTo(INTERVAL);
        assertThat(cluster.replica(2).executed()).isEqualTo(INTERVAL - 1);
        cluster.run(TestCluster.TICK_MILLIS - 2);
        for (int backup = 2; backup < 4; backup++) {
            assertThat(cluster.nodes.get(backup).application.journal()).doesNotContain(OTHER.operation());
            assertThat(cluster.nodes.get(backup).evidence)
                    .extracting(ReplicaEffect.Misbehaved::replica)
                    .contains(1);
        }
    }

    private static List<Long> executed(TestCluster cluster) {
        return cluster.nodes.stream().map(node -> node.up().executed()).toList();
    }

    /** Before they look for the state of that checkpoint the liar's batch could be executed: NEW-VIEW comes just after a tick. */
    private List<ReplicaMessage> carry(TestCluster cluster, int from, int to, ReplicaMessage message) {
        if (message instanceof NewView newView && to >= 2) {
            begins = newView.checkpoint().sequence();
            cluster.at(TestCluster.TICK_MILLIS - cluster.nowMillis % TestCluster.TICK_MILLIS, () -> {
                cluster.send(from, to, message);
                lie(cluster, to);
            });
            return List.of();
        }
        if (message instanceof ReplicaMessage.ViewChange && from == 3 && to == 1) {
            return List.of(); // the liar rests its view on what replica 0 says
        }
        boolean isOfNumber = (message instanceof Commit commit && commit.view() == 0)
                || message instanceof ReplicaMessage.Checkpoint
                || message instanceof ReplicaMessage.Executed;
        return isOfNumber && to >= 2 ? List.of() : List.of(message);
    }

    private static void lie(TestCluster cluster, int to) {
        Batch batch = new Batch(1_000_000, List.of(OTHER.id()));
        cluster.send(1, to, new PrePrepare(1, INTERVAL, batch));
        cluster.send(1, to, new Prepare(1, INTERVAL, batch.digest()));
        cluster.send(1, to, new Commit(1, INTERVAL, batch.digest()));
    }
}
