package io.bulwark.protocol.ordering.replica;

import static org.assertj.core.api.Assertions.assertThat;

import io.bulwark.protocol.id.PrincipalId;
import io.bulwark.protocol.ordering.driver.JournalApplication;
import io.bulwark.protocol.ordering.driver.ReplicaConfig;
import io.bulwark.protocol.ordering.driver.ReplicaConfig.Batches;
import io.bulwark.protocol.ordering.driver.ReplicaConfig.Quotas;
import io.bulwark.protocol.ordering.driver.ReplicaEffect;
import io.bulwark.protocol.ordering.message.Batch;
import io.bulwark.protocol.ordering.message.ReplicaMessage.FetchRequests;
import io.bulwark.protocol.ordering.message.ReplicaMessage.PrePrepare;
import io.bulwark.protocol.ordering.message.ReplicaMessage.RequestBodies;
import io.bulwark.protocol.ordering.message.ReplicaMessage.RequestEcho;
import io.bulwark.protocol.ordering.message.Request;
import io.bulwark.protocol.ordering.message.RequestId;
import io.bulwark.protocol.wire.Bytes;
import java.util.ArrayList;
import java.util.List;
import java.util.stream.IntStream;
import java.util.stream.LongStream;
import org.jspecify.annotations.NullMarked;
import org.junit.jupiter.api.Test;

/** Tests attacks of a liar and of clients on the room and the timers of others. */
@NullMarked
class QuotaAttacksTest {
    private static final PrincipalId VICTIM = PrincipalId.client(1);

    /** Replica 0, once the primary, makes up requests of a client, proposes them and hands out their bodies. */
    @Test
    void aLiarThatWasPrimaryOnceCannotFillTheRoomOfAnyClient() {
        TestCluster cluster =
                new TestCluster(1, 1, config -> config.withRoom(new Quotas(8, 8 << 20, 1_024, 16, 128 << 20)));
        List<Request> forged = IntStream.range(0, 8)
                .mapToObj(call -> new Request(VICTIM, 1_000 + call, false, TestCluster.operation(call)))
                .toList();
        RequestEcho requestEcho =
                new RequestEcho(forged.stream().map(Request::id).toList());
        for (int to = 1; to < 4; to++) {
            cluster.send(0, to, requestEcho);
            cluster.send(0, to, new PrePrepare(0, 1, new Batch(1_000_000, requestEcho.requests())));
        }
        cluster.run(100);
        for (int to = 1; to < 4; to++) {
            cluster.send(0, to, new RequestBodies(forged));
        }
        cluster.run(50);
        // From now on all it does is to repeat its vouches; it even leaves its view.
        cluster.replica(0).handOver(cluster.nowMillis);
        repeat(cluster, requestEcho);
        cluster.run(1_000);
        assertThat(cluster.replica(1).view()).isEqualTo(1);
        TestCluster.Call call = cluster.submit(1, 1, TestCluster.operation(7));
        assertThat(cluster.runUntilDone(60_000))
                .as("%d refusals; %s", call.refusals, cluster)
                .isTrue();
    }

    /**
     * Requests that only a primary names count against nobody's room. If they were kept, 256 numbers of 4,096 MiB each
     * would be.
     */
    @Test
    void bodiesThatOnlyThePrimaryNamesAreNotKept() {
        Replica backup = new Replica(ReplicaConfig.of(3, 1), new JournalApplication(), List.of());
        List<RequestId> kept = new ArrayList<>();
        for (long number = 1; number <= 4; number++) {
            Request forged = new Request(VICTIM, number, false, Bytes.of(new byte[1 << 20]));
            backup.onMessage(0, 0, new PrePrepare(0, number, new Batch(1, List.of(forged.id()))));
            backup.onTick(0);
            backup.onMessage(0, 0, new RequestBodies(List.of(forged)));
            backup.onMessage(0, 1, new FetchRequests(List.of(forged.id())));
        }
        for (ReplicaEffect effect : backup.drain(0)) {
            if (effect instanceof ReplicaEffect.Send send && send.message() instanceof RequestBodies served) {
                served.requests().forEach(request -> kept.add(request.id()));
            }
        }
        assertThat(kept).isEmpty();
    }

    /** Returns a backup that 64 requests of a client fill, the first 40 of which lose their room; batches hold two. */
    private static Replica backupThatLostBodies() {
        ReplicaConfig config = ReplicaConfig.of(3, 1)
                .withRoom(new Quotas(64, 8 << 20, 1_024, 64, 128 << 20))
                .withBatches(new Batches(2, 1 << 20, 2));
        Replica backup = new Replica(config, new JournalApplication(), List.of());
        for (int call = 0; call < 64; call++) {
            backup.onRequest(0, told(call));
        }
        List<Request> vouched =
                IntStream.range(100, 140).mapToObj(QuotaAttacksTest::told).toList();
        RequestEcho requestEcho =
                new RequestEcho(vouched.stream().map(Request::id).toList());
        backup.onMessage(0, 1, requestEcho);
        backup.onMessage(0, 2, requestEcho);
        backup.onTick(0);
        backup.onMessage(0, 1, new RequestBodies(vouched));
        backup.onTick(1);
        backup.drain(1);
        return backup;
    }

    private static Request told(int call) {
        return new Request(VICTIM, call, false, TestCluster.operation(call));
    }

    private static void propose(Replica backup, long number, int... calls) {
        List<RequestId> ids =
                IntStream.of(calls).mapToObj(call -> told(call).id()).toList();
        backup.onMessage(1, 0, new PrePrepare(0, number, new Batch(1, ids)));
    }

    /** The calls whose bodies it asks for within two ticks. */
    private static List<Long> asked(Replica backup, long nowMillis) {
        backup.onTick(nowMillis);
        backup.onTick(nowMillis + 30);
        List<Long> calls = new ArrayList<>();
        for (ReplicaEffect effect : backup.drain(nowMillis + 30)) {
            if (effect instanceof ReplicaEffect.Send send && send.message() instanceof FetchRequests fetch) {
                assertThat(send.to()).as("the primary").isZero();
                fetch.requests().forEach(id -> calls.add(id.call()));
            }
        }
        return calls;
    }

    /** Possibly nobody has the other bodies of the batch, and a search for them costs the backup time. */
    @Test
    void nothingIsFetchedForABatchThatNamesUnknownBodies() {
        Replica backup = backupThatLostBodies();
        propose(backup, 1, 0, 1_000);
        propose(backup, 2, 1_001, 1);
        propose(backup, 3, 2, 3);
        assertThat(asked(backup, 10)).containsExactly(2L, 3L);
    }

    @Test
    void ofAPrimarysProposalsSomeAreLookedAtWithEachTick() {
        Replica backup = backupThatLostBodies();
        for (int number = 1; number <= 20; number++) {
            propose(backup, number, 2 * number - 2, 2 * number - 1);
        }
        assertThat(asked(backup, 10))
                .containsExactlyElementsOf(LongStream.range(0, 32).boxed().toList());
    }

    private static void repeat(TestCluster cluster, RequestEcho requestEcho) {
        for (int to = 1; to < 4; to++) {
            cluster.send(0, to, requestEcho);
        }
        cluster.at(300, () -> repeat(cluster, requestEcho));
    }

    /** The primary proposes nothing. Clients send replica 1 alone more requests than others remember of its vouches. */
    @Test
    void clientsThatFloodOneReplicaCannotKeepASilentPrimaryInItsView() {
        TestCluster cluster =
                new TestCluster(1, 2, config -> config.withRoom(new Quotas(8, 8 << 20, 32, 16, 128 << 20)));
        cluster.wire =
                (from, to, message) -> from == 0 && (message instanceof PrePrepare || message instanceof RequestEcho)
                        ? List.of()
                        : List.of(message);
        flood(cluster);
        cluster.run(500);
        cluster.submit(1, 1, TestCluster.operation(7));
        assertThat(cluster.runUntilDone(60_000)).as(cluster::toString).isTrue();
    }

    /** Five clients with eight requests each. */
    private static void flood(TestCluster cluster) {
        for (int client = 10; client < 15; client++) {
            for (int call = 0; call < 8; call++) {
                cluster.deliver(
                        new Request(PrincipalId.client(client), call, false, TestCluster.operation(100 + call)), 1);
            }
        }
        cluster.at(5_000, () -> flood(cluster));
    }
}
