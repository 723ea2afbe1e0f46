package io.bulwark.protocol.ordering.replica;

import static org.assertj.core.api.Assertions.assertThat;

import io.bulwark.protocol.id.PrincipalId;
import io.bulwark.protocol.mutation.PlantedBug;
import io.bulwark.protocol.ordering.driver.ReplicaEffect;
import io.bulwark.protocol.ordering.message.Batch;
import io.bulwark.protocol.ordering.message.ReplicaMessage;
import io.bulwark.protocol.ordering.message.ReplicaMessage.Commit;
import io.bulwark.protocol.ordering.message.ReplicaMessage.NewView;
import io.bulwark.protocol.ordering.message.ReplicaMessage.PrePrepare;
import io.bulwark.protocol.ordering.message.ReplicaMessage.Prepare;
import io.bulwark.protocol.ordering.message.Request;
import io.bulwark.protocol.ordering.normal.Agreement;
import io.bulwark.protocol.wire.Bytes;
import java.util.ArrayList;
import java.util.HashSet;
import java.util.List;
import java.util.Optional;
import java.util.Set;
import org.jspecify.annotations.NullMarked;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/** Tests lies of a new view's primary about numbers before the beginning of its NEW-VIEW. */
@NullMarked
class NewViewLiesTest {
    private static final int INTERVAL = 4;
    private static final Request OTHER = new Request(PrincipalId.client(7), 1, false, TestCluster.operation(777));

    private long begins = -1;
    private long ended = -1;

    /**
     * Replica 0 and the liar, replica 1, have executed number 4 and have its checkpoint. Replicas 2 and 3 have voted
     * for it and lack the others' COMMITs. The liar's view begins with that checkpoint, and the liar proposes another
     * batch for number 4 in it.
     */
    @PlantedBug(
            in = Agreement.class,
            rule = "a primary proposes no number up to the checkpoint with which its view begins",
            replace = "if (message.view() == begunView && message.sequence() <= begins) {",
            with = "if (false) {")
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

    /**
     * Replica 0 and the liars, from replica 1 on, have executed number 2. The others have prepared it, and lack
     * COMMITs. The first liar leads the next view and claims that 2 is free in it. Its NEW-VIEW ends before 2, and the
     * liars vote for a null batch there.
     */
    @ParameterizedTest
    @ValueSource(ints = {1, 2})
    void noNumberThatMayHaveCommittedIsTakenForFree(int faulty) {
        TestCluster cluster = new TestCluster(faulty, 1, config -> config);
        cluster.submit(1, 1, TestCluster.operation(1));
        assertThat(cluster.runUntilDone(1_000)).isTrue();
        cluster.run(300);
        List<TestCluster.Node> correct = new ArrayList<>(cluster.nodes);
        List<TestCluster.Node> liars = correct.subList(1, 1 + faulty);
        liars.forEach(liar -> liar.isRotten = true);
        liars.clear();
        boolean[] isDeaf = {true};
        cluster.wire = (from, to, message) -> {
            boolean lacks = to > faulty && (message instanceof Commit || message instanceof ReplicaMessage.Executed);
            if (isDeaf[0] && lacks) {
                return List.of();
            }
            return from >= 1 && from <= faulty ? sayThatTwoIsFree(cluster, from, to, message) : List.of(message);
        };
        cluster.submit(1, 2, TestCluster.operation(2));
        cluster.run(60);
        assertThat(executed(cluster))
                .isEqualTo(cluster.nodes.stream()
                        .map(node -> node.self <= faulty ? 2L : 1L)
                        .toList());
        cluster.handOver(0);
        cluster.run(15);
        isDeaf[0] = false;
        Set<Bytes> decided = new HashSet<>();
        for (int i = 0; i < 200; i++) {
            cluster.run(1);
            correct.forEach(node -> Optional.ofNullable(node.up().decided(2)).ifPresent(decided::add));
            assertThat(decided).as(cluster::toString).hasSize(1);
        }
        assertThat(ended).isEqualTo(1);
        for (TestCluster.Node node : correct.subList(1, correct.size())) {
            assertThat(node.evidence)
                    .extracting(ReplicaEffect.Misbehaved::replica)
                    .containsOnly(1);
        }
        cluster.wire = (from, to, message) -> List.of(message);
        assertThat(cluster.runUntilDone(10_000)).as(cluster::toString).isTrue();
        cluster.run(1_000);
        assertThat(cluster.replica(0).view()).isEqualTo(2);
        assertThat(executed(cluster)).containsOnly(cluster.replica(0).executed());
        assertThat(cluster.nodes)
                .extracting(node -> node.application.journal())
                .containsOnly(List.of(TestCluster.operation(1), TestCluster.operation(2)));
    }

    private List<ReplicaMessage> sayThatTwoIsFree(TestCluster cluster, int from, int to, ReplicaMessage message) {
        if (from == 1 && to > cluster.faulty && message instanceof NewView right && right.view() == 1) {
            assertThat(right.chosen()).hasSize(2);
            ended = right.chosen().getFirst().sequence();
            for (int liar = 1; liar <= cluster.faulty; liar++) {
                cluster.send(liar, to, new Prepare(1, 2, Batch.NULL_DIGEST));
                cluster.send(liar, to, new Commit(1, 2, Batch.NULL_DIGEST));
            }
            return List.of(
                    new NewView(
                            1,
                            right.support(),
                            right.checkpoint(),
                            right.chosen().subList(0, 1)),
                    new PrePrepare(1, 2, Batch.NULL));
        }
        boolean isTrue = message instanceof ReplicaMessage.Executed
                || (message instanceof NewView begun && begun.view() == 1)
                || (message instanceof ReplicaMessage.Phase phase && phase.view() == 1);
        return isTrue ? List.of() : List.of(message);
    }

    private static List<Long> executed(TestCluster cluster) {
        return cluster.nodes.stream().map(node -> node.up().executed()).toList();
    }

    /**
     * Delivers NEW-VIEW just after a tick. The liar's batch could then be executed before the replicas look for the
     * state of that checkpoint.
     */
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
