package io.bulwark.protocol.ordering.replica;

import static io.bulwark.protocol.ordering.replica.ClusterAssertions.finish;
import static org.assertj.core.api.Assertions.assertThat;

import io.bulwark.protocol.id.PrincipalId;
import io.bulwark.protocol.ordering.driver.LogRecord;
import io.bulwark.protocol.ordering.driver.ReplicaConfig;
import io.bulwark.protocol.ordering.driver.ReplicaEffect;
import io.bulwark.protocol.ordering.driver.StartReason;
import io.bulwark.protocol.ordering.log.ReplicaContext;
import io.bulwark.protocol.ordering.log.SlotLog;
import io.bulwark.protocol.ordering.log.View;
import io.bulwark.protocol.ordering.message.Batch;
import io.bulwark.protocol.ordering.message.ReplicaMessage;
import io.bulwark.protocol.ordering.message.ReplicaMessage.PrePrepare;
import io.bulwark.protocol.ordering.message.ReplicaMessage.Prepare;
import io.bulwark.protocol.ordering.message.Request;
import io.bulwark.protocol.ordering.message.RequestId;
import io.bulwark.protocol.ordering.normal.Agreement;
import io.bulwark.protocol.ordering.normal.Assignments;
import io.bulwark.protocol.ordering.normal.BatchStore;
import io.bulwark.protocol.ordering.normal.Primary;
import io.bulwark.protocol.ordering.request.RecentResults;
import io.bulwark.protocol.ordering.request.RequestPool;
import io.bulwark.protocol.ordering.view.ViewGroup;
import io.bulwark.protocol.ordering.view.ViewHistory;
import io.bulwark.protocol.wire.Bytes;
import java.util.ArrayList;
import java.util.Collections;
import java.util.List;
import org.jspecify.annotations.NullMarked;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/** A request that a primary gives several numbers, or several places in one batch, so that one costly request is executed as often. */
@NullMarked
class RepeatedSequenceNumbersTest {
    private static final Request COSTLY = new Request(PrincipalId.client(1), 1, false, Bytes.of((byte) 7));
    private static final RequestId ID = COSTLY.id();

    private final LoneReplica backup = new LoneReplica(3, StartReason.NORMAL);

    private void propose(long number, RequestId... ids) {
        backup.hear(0, new PrePrepare(0, number, new Batch(backup.nowMillis + number, List.of(ids))));
    }

    private List<Long> accepted() {
        return backup.said(Prepare.class).stream()
                .map(Prepare::sequence)
                .distinct()
                .toList();
    }

    private void hearRequests(Request... requests) {
        backup.replica.onClock(backup.nowMillis, backup.nowMillis);
        for (Request request : requests) {
            backup.replica.onRequest(backup.nowMillis, request);
        }
        backup.settle();
    }

    @Test
    void aBatchThatNamesARequestTwiceIsEvidenceAndRefused() {
        hearRequests(COSTLY);
        propose(1, ID, ID);
        assertThat(accepted()).isEmpty();
        assertThat(backup.effects(ReplicaEffect.Misbehaved.class))
                .singleElement()
                .satisfies(each -> {
                    assertThat(each.replica()).isZero();
                    assertThat(each.what()).contains("twice");
                });
        propose(1, ID);
        assertThat(accepted()).as("the primary may still say what is right").containsExactly(1L);
    }

    @Test
    void aSecondNumberIsNotAcceptedWhileTheFirstIsInFlight() {
        Request other = new Request(PrincipalId.client(2), 1, false, Bytes.of((byte) 8));
        hearRequests(COSTLY, other);
        propose(5, ID);
        propose(6, ID);
        propose(4, other.id(), ID);
        assertThat(accepted()).containsExactly(5L);
        propose(7, other.id());
        assertThat(accepted()).containsExactly(5L, 7L);
    }

    /**
     * The primary has executed the first number, as far as f+1 others know, and has forgotten it. It then proposes the
     * request again.
     */
    @Test
    void aSecondNumberIsAcceptedOnceTheFirstIsExecuted() {
        hearRequests(COSTLY);
        propose(1, ID);
        propose(2, ID);
        propose(3, ID);
        assertThat(accepted()).containsExactly(1L);
        Batch first = new Batch(backup.nowMillis + 1, List.of(ID));
        for (int from = 0; from < 3; from++) {
            backup.hear(from, new ReplicaMessage.Commit(0, 1, first.digest()));
        }
        backup.pass(LoneReplica.TICK_MILLIS);
        assertThat(backup.replica.executed()).isEqualTo(1);
        assertThat(accepted()).as("a vouch is good for one number more").containsExactly(1L, 2L);
    }

    @Test
    void whatFPlusOneOthersAcceptedIsAcceptedThoughTheFirstIsInFlight() {
        hearRequests(COSTLY);
        propose(1, ID);
        propose(2, ID);
        Batch second = new Batch(backup.nowMillis + 2, List.of(ID));
        backup.hear(1, new Prepare(0, 2, second.digest()));
        assertThat(accepted()).containsExactly(1L);
        backup.hear(2, new Prepare(0, 2, second.digest()));
        backup.pass(LoneReplica.TICK_MILLIS);
        assertThat(accepted()).containsExactly(1L, 2L);
    }

    @Test
    void afterARestartTheNumbersOfTheLogCount() {
        Batch batch = new Batch(1_000, List.of(ID));
        LoneReplica restarted = new LoneReplica(
                3,
                StartReason.NORMAL,
                new LogRecord.Bodies(batch, List.of(COSTLY)),
                new LogRecord.Prepare(0, 1, batch.digest()));
        restarted.replica.onClock(restarted.nowMillis, restarted.nowMillis);
        restarted.replica.onRequest(restarted.nowMillis, COSTLY);
        restarted.hear(0, new PrePrepare(0, 2, new Batch(restarted.nowMillis, List.of(ID))));
        assertThat(restarted.said(Prepare.class)).noneMatch(each -> each.sequence() == 2);
    }

    @ParameterizedTest
    @ValueSource(ints = {1, 2})
    void aPrimaryThatFillsABatchWithOneRequestHasItExecutedOnce(int faulty) {
        TestCluster cluster = new TestCluster(faulty, 1, config -> config);
        cluster.wire = (from, to, message) -> from == 0 && message instanceof PrePrepare pre
                ? List.of(new PrePrepare(pre.view(), pre.sequence(), filled(pre.batch())))
                : List.of(message);
        submit(cluster);
        for (int i = 1; i < cluster.nodes.size(); i++) {
            assertThat(cluster.nodes.get(i).application.executions).isEqualTo(1);
        }
    }

    private static Batch filled(Batch batch) {
        List<RequestId> ids = batch.requests();
        return ids.isEmpty() ? batch : new Batch(batch.millis(), Collections.nCopies(1_000, ids.getFirst()));
    }

    @ParameterizedTest
    @ValueSource(ints = {1, 2})
    void aPrimaryThatFillsAllNumbersWithOneRequestHasItExecutedTwice(int faulty) {
        TestCluster cluster = new TestCluster(faulty, 1, config -> config.withLog(64, 128));
        cluster.wire = (from, to, message) ->
                from == 0 && message instanceof PrePrepare pre ? everywhere(pre) : List.of(message);
        submit(cluster);
        for (int i = 1; i < cluster.nodes.size(); i++) {
            assertThat(cluster.nodes.get(i).application.executions).isBetween(1, 2);
        }
    }

    private static List<ReplicaMessage> everywhere(PrePrepare pre) {
        List<ReplicaMessage> all = new ArrayList<>();
        for (int number = 1; number <= 64; number++) {
            all.add(new PrePrepare(
                    pre.view(),
                    number,
                    new Batch(pre.batch().millis() + number, pre.batch().requests())));
        }
        return all;
    }

    /** And the request is served all the same: backups leave the primary. */
    private static void submit(TestCluster cluster) {
        cluster.submit(COSTLY);
        finish(cluster, 30_000);
        cluster.run(2_000);
    }

    /** As when a state was fetched: what waits is heard anew, though it has a number above that state. */
    @Test
    void aPrimaryThatForgotWhatWaitsDoesNotProposeItAgain() {
        ReplicaConfig config = ReplicaConfig.of(0, 1);
        SlotLog log = new SlotLog(config.logSize(), 0);
        RequestPool pool = new RequestPool(config, new RecentResults(1));
        BatchStore batches = new BatchStore(pool);
        Assignments assignments = new Assignments(log);
        pool.setHasNumber(assignments::hasNumber);
        ReplicaContext context = new ReplicaContext(config, new View(config, 0, true), log);
        ViewHistory history = new ViewHistory(ViewGroup.of(config), 0);
        Agreement agreement = new Agreement(context, history, pool, batches, assignments);
        Primary primaryRole = new Primary(context, pool, batches, assignments, agreement);
        makeReady(pool);
        primaryRole.propose(0, 0, 0);
        pool.clear();
        makeReady(pool);
        primaryRole.propose(0, 0, 0);
        assertThat(log.all()).extracting(slot -> slot.sequence).containsExactly(1L);
        assignments.onExecuted(1);
        pool.clear();
        makeReady(pool);
        primaryRole.propose(0, 1, 0);
        assertThat(log.all()).as("now it is one like any other").hasSize(2);
    }

    private static void makeReady(RequestPool pool) {
        pool.onRequest(0, ID, COSTLY);
        pool.onEcho(0, 1, List.of(ID));
        pool.onEcho(0, 2, List.of(ID));
        assertThat(pool.ready()).hasSize(1);
    }
}
