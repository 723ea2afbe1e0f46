package io.bulwark.protocol.ordering.replica;

import static org.assertj.core.api.Assertions.assertThat;

import io.bulwark.protocol.id.PrincipalId;
import io.bulwark.protocol.mutation.PlantedBug;
import io.bulwark.protocol.ordering.driver.ReplicaConfig;
import io.bulwark.protocol.ordering.driver.ReplicaConfig.Quotas;
import io.bulwark.protocol.ordering.driver.ReplicaConfig.Timers;
import io.bulwark.protocol.ordering.message.Batch;
import io.bulwark.protocol.ordering.message.ReplicaMessage;
import io.bulwark.protocol.ordering.message.ReplicaMessage.PrePrepare;
import io.bulwark.protocol.ordering.message.ReplicaMessage.RequestEcho;
import io.bulwark.protocol.ordering.message.Request;
import io.bulwark.protocol.ordering.normal.Agreement;
import java.util.List;
import java.util.function.UnaryOperator;
import org.jspecify.annotations.NullMarked;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/** Clients and primaries that attack (docs/ordering): what they can delay, and what not. */
@NullMarked
class AttacksTest {
    private static final PrincipalId LIAR = PrincipalId.client(66);

    /** Request timers that never end, so that only other rules can change the view. */
    private static final Timers PATIENT = new Timers(200, 100, 500, 600_000, 600_000, 10_000);

    private static Request request(long call, long operation) {
        return new Request(LIAR, call, false, TestCluster.operation(operation));
    }

    private static void othersGoOnInView(TestCluster cluster, long view) {
        for (int i = 0; i < 20; i++) {
            cluster.submit(1, 1_000 + i, TestCluster.operation(1_000 + i));
            cluster.run(20);
        }
        assertThat(cluster.runUntilDone(3_000)).as(cluster::toString).isTrue();
        cluster.run(5_000);
        cluster.nodes.stream()
                .filter(node -> node.replica != null)
                .forEach(node ->
                        assertThat(node.up().view()).as(cluster::toString).isEqualTo(view));
    }

    @ParameterizedTest
    @ValueSource(ints = {1, 2})
    void whatFPlusOneVerifiedIsExecutedByAll(int faulty) {
        TestCluster cluster = new TestCluster(faulty, 1, UnaryOperator.identity());
        for (int i = 0; i <= faulty; i++) {
            cluster.deliver(request(1, 7), 3 * faulty - i);
        }
        cluster.run(1_000);
        assertThat(cluster.nodes)
                .allSatisfy(node -> assertThat(node.application.journal()).containsExactly(TestCluster.operation(7)));
        othersGoOnInView(cluster, 0);
    }

    /** The least that a client which can count 2f+1 replies reaches: a signed retransmission would bring it no further. */
    @ParameterizedTest
    @ValueSource(ints = {1, 2})
    void whatFPlusOneCorrectReplicasGotIsExecutedThoughTheFirstPrimariesAreSilentAndFCorrectOnesGotNothing(int faulty) {
        TestCluster cluster = new TestCluster(faulty, 16, UnaryOperator.identity());
        for (int i = 0; i < faulty; i++) {
            cluster.crash(i);
        }
        for (int i = 0; i <= faulty; i++) {
            cluster.deliver(request(1, 7), 3 * faulty - i);
        }
        cluster.run(40_000);
        for (int i = faulty; i <= 3 * faulty; i++) {
            assertThat(cluster.nodes.get(i).application.journal())
                    .as(cluster::toString)
                    .containsExactly(TestCluster.operation(7));
        }
    }

    @ParameterizedTest
    @ValueSource(ints = {1, 2})
    void whatFewerVerifiedDelaysNobodyElse(int faulty) {
        TestCluster cluster = new TestCluster(faulty, 2, UnaryOperator.identity());
        for (int i = 0; i < faulty; i++) {
            cluster.deliver(request(1, 7), i);
        }
        othersGoOnInView(cluster, 0);
        assertThat(cluster.nodes.getFirst().application.journal()).doesNotContain(TestCluster.operation(7));
    }

    @Test
    void oneNumberWithSeveralBodiesDelaysNobodyElse() {
        TestCluster cluster = new TestCluster(1, 3, UnaryOperator.identity());
        for (int call = 0; call < 300; call++) {
            for (int replica = 0; replica < 4; replica++) {
                cluster.deliver(request(call, 10 * call + replica % 2), replica);
            }
        }
        othersGoOnInView(cluster, 0);
    }

    @Test
    void aLiarAndAClientThatTellsThePrimarySomethingElseForceNoViewChange() {
        TestCluster cluster = new TestCluster(1, 13, UnaryOperator.identity());
        Request told = request(1, 7);
        Request other = request(1, 8);
        cluster.wire = (from, to, message) -> from == 3 && message instanceof RequestEcho
                ? List.of(new RequestEcho(List.of(to == 0 ? other.id() : told.id())))
                : List.of(message);
        cluster.deliver(other, 0);
        cluster.deliver(other, 3);
        cluster.run(50);
        cluster.deliver(told, 1);
        cluster.deliver(told, 2);
        othersGoOnInView(cluster, 0);
        assertThat(cluster.nodes.getFirst().application.journal()).contains(TestCluster.operation(7));
    }

    @Test
    void aClientThatFillsThePrimarysRoomWithOtherRequestsStallsNobody() {
        TestCluster cluster =
                new TestCluster(1, 4, config -> config.withRoom(new Quotas(8, 8 << 20, 1_024, 16, 128 << 20)));
        for (int call = 0; call < 20; call++) {
            cluster.deliver(request(1_000 + call, 5_000 + call), 0);
        }
        cluster.run(100);
        for (int call = 0; call < 8; call++) {
            for (int replica = 1; replica < 4; replica++) {
                cluster.deliver(request(call, call), replica);
            }
        }
        othersGoOnInView(cluster, 0);
        assertThat(cluster.nodes.getFirst().application.journal()).contains(TestCluster.operation(7));
    }

    @Test
    void aFloodIsRefusedAndOthersAreNot() {
        TestCluster cluster =
                new TestCluster(1, 5, config -> config.withRoom(new Quotas(8, 8 << 20, 1_024, 16, 128 << 20)));
        cluster.crash(1);
        cluster.crash(2);
        for (int call = 0; call < 50; call++) {
            cluster.submit(request(call, call));
        }
        cluster.run(50);
        assertThat(cluster.calls.stream().filter(call -> call.refusals > 0)).hasSizeGreaterThanOrEqualTo(42);
        TestCluster.Call other = cluster.submit(1, 1, TestCluster.operation(99));
        cluster.run(50);
        assertThat(other.refusals).isZero();
        cluster.start(1);
        cluster.start(2);
        assertThat(cluster.runUntilDone(30_000)).as(cluster::toString).isTrue();
    }

    @Test
    void aRepetitionGetsItsResultAndIsNotOrderedAgain() {
        TestCluster cluster = new TestCluster(1, 6, UnaryOperator.identity());
        cluster.submit(request(1, 1));
        assertThat(cluster.runUntilDone(1_000)).isTrue();
        cluster.run(100);
        long executed = cluster.replica(0).executed();
        cluster.submit(request(1, 1));
        assertThat(cluster.runUntilDone(1_000)).isTrue();
        cluster.run(2_000);
        assertThat(cluster.replica(0).executed()).isEqualTo(executed);
    }

    @Test
    void aResultThatTooFewStillHaveIsMadeAgain() {
        TestCluster cluster = new TestCluster(1, 7, config -> config.withLog(2, 4));
        cluster.submit(request(1, 1));
        for (int i = 0; i < 20; i++) {
            cluster.submit(1, i, TestCluster.operation(100 + i));
            cluster.run(20);
        }
        assertThat(cluster.runUntilDone(1_000)).isTrue();
        cluster.run(500);
        cluster.crash(3);
        cluster.start(3);
        cluster.run(500);
        cluster.crash(2);
        // Replicas 0 and 1 have the result, 3 has lost it, 2 is dead: three equal replies are needed.
        TestCluster.Call again = cluster.submit(request(1, 1));
        assertThat(cluster.runUntilDone(5_000)).as(cluster::toString).isTrue();
        assertThat(again.result).isEqualTo(TestCluster.operation(0));
    }

    @Test
    void aPrimaryThatLeavesOutOneClientIsReplacedBeforeAnyTimer() {
        TestCluster cluster = new TestCluster(1, 8, config -> config.withTimers(PATIENT));
        cluster.wire = (from, to, message) -> to == 0 && message instanceof RequestEcho requestEcho
                ? List.of(new RequestEcho(requestEcho.requests().stream()
                        .filter(id -> !id.client().equals(LIAR))
                        .toList()))
                : List.of(message);
        for (int replica = 1; replica < 4; replica++) {
            cluster.deliver(request(1, 7), replica);
        }
        for (int i = 0; i < 150; i++) {
            cluster.submit(1, i, TestCluster.operation(100 + i));
            cluster.run(10);
        }
        cluster.run(1_000);
        assertThat(cluster.replica(1).view()).isEqualTo(1);
        assertThat(cluster.replica(1).isActive()).isTrue();
        assertThat(cluster.nodes.get(1).application.journal()).contains(TestCluster.operation(7));
    }

    @Test
    void whatIsProposedInVainKeepsNoPrimaryThatLeavesItOut() {
        TestCluster cluster = new TestCluster(1, 14, config -> config.withTimers(PATIENT));
        cluster.wire = (from, to, message) -> to == 0 && message instanceof RequestEcho requestEcho
                ? List.of(new RequestEcho(requestEcho.requests().stream()
                        .filter(id -> !id.client().equals(LIAR))
                        .toList()))
                : List.of(message);
        Batch vain =
                new Batch(1_000_000, List.of(request(1, 7).id(), request(2, 8).id()));
        for (int replica = 1; replica < 4; replica++) {
            cluster.deliver(request(1, 7), replica);
        }
        cluster.run(50);
        for (int replica = 1; replica < 4; replica++) {
            cluster.send(0, replica, new PrePrepare(0, 200, vain));
        }
        for (int i = 0; i < 150; i++) {
            cluster.submit(1, i, TestCluster.operation(100 + i));
            cluster.run(10);
        }
        cluster.run(1_000);
        assertThat(cluster.replica(1).view()).as(cluster::toString).isEqualTo(1);
        assertThat(cluster.nodes.get(1).application.journal()).contains(TestCluster.operation(7));
    }

    @Test
    void aPrimaryThatBecomesSlowIsReplacedBeforeAnyTimer() {
        TestCluster cluster = new TestCluster(
                1, 9, config -> config.withTimers(PATIENT).withBatches(new ReplicaConfig.Batches(4, 1 << 20, 2)));
        for (int i = 0; i < 2_000; i++) {
            if (i == 1_000) {
                assertThat(cluster.replica(1).view()).isZero();
                slowDown(cluster);
            }
            cluster.submit(i % 10, i, TestCluster.operation(i));
            cluster.run(3);
        }
        assertThat(cluster.runUntilDone(5_000)).as(cluster::toString).isTrue();
        assertThat(cluster.replica(1).view()).isEqualTo(1);
    }

    /** From now on one batch in 100 ms. */
    private static void slowDown(TestCluster cluster) {
        long beginMillis = cluster.nowMillis;
        long executed = cluster.replica(0).executed();
        cluster.wire = (from, to, message) -> {
            if (from == 0 && message instanceof PrePrepare pre) {
                long atMillis = beginMillis + 100 * (pre.sequence() - executed);
                cluster.at(Math.max(1, atMillis - cluster.nowMillis), () -> cluster.send(from, to, message));
                return List.of();
            }
            return List.of(message);
        };
    }

    @ParameterizedTest
    @ValueSource(ints = {1, 2})
    void aPrimaryThatSaysOneThingToSomeAndAnotherToOthersIsReplaced(int faulty) {
        TestCluster cluster = new TestCluster(faulty, 10, UnaryOperator.identity());
        cluster.wire = (from, to, message) -> from == 0 && to > (3 * faulty) / 2 && message instanceof PrePrepare pre
                ? List.of(new PrePrepare(
                        pre.view(),
                        pre.sequence(),
                        new Batch(pre.batch().millis() + 1, pre.batch().requests())))
                : List.of(message);
        for (int i = 0; i < 20; i++) {
            cluster.submit(1, i, TestCluster.operation(i));
            cluster.run(10);
        }
        assertThat(cluster.runUntilDone(20_000)).as(cluster::toString).isTrue();
        assertThat(cluster.replica(1).view()).isPositive();
    }

    @PlantedBug(
            in = Agreement.class,
            rule = "a batch with a time out of range is refused",
            replace = "!isTimely(nowMillis, batch)",
            with = "false")
    @Test
    void aProposalFromAnotherTimeIsNotTaken() {
        TestCluster cluster = new TestCluster(1, 11, UnaryOperator.identity());
        cluster.replica(0).onClock(0, 1_000_000_000);
        cluster.submit(1, 1, TestCluster.operation(1));
        assertThat(cluster.runUntilDone(20_000)).as(cluster::toString).isTrue();
        assertThat(cluster.replica(1).view()).isEqualTo(1);
        assertThat(cluster.nodes.get(1).application.agreedMillis()).isLessThan(2_000_000);
    }

    @Test
    void fClaimsAreNotLearnedAndFPlusOneAre() {
        TestCluster cluster = new TestCluster(1, 12, UnaryOperator.identity());
        ReplicaMessage claim = new ReplicaMessage.Executed(1, List.of(Batch.NULL_DIGEST));
        cluster.send(1, 0, claim);
        cluster.run(200);
        assertThat(cluster.replica(0).executed()).isZero();
        cluster.replica(0).onKeyChange(1);
        cluster.send(2, 0, claim);
        cluster.run(200);
        assertThat(cluster.replica(0).executed())
                .as("the first claim died with its key")
                .isZero();
        cluster.send(3, 0, claim);
        cluster.run(200);
        assertThat(cluster.replica(0).executed()).isEqualTo(1);
    }
}
