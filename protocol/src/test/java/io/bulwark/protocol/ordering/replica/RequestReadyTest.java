package io.bulwark.protocol.ordering.replica;

import static org.assertj.core.api.Assertions.assertThat;

import io.bulwark.protocol.id.PrincipalId;
import io.bulwark.protocol.ordering.driver.ReplicaConfig.Batches;
import io.bulwark.protocol.ordering.driver.ReplicaConfig.Quotas;
import io.bulwark.protocol.ordering.message.ReplicaMessage;
import io.bulwark.protocol.ordering.message.ReplicaMessage.PrePrepare;
import io.bulwark.protocol.ordering.message.ReplicaMessage.RequestEcho;
import io.bulwark.protocol.ordering.message.ReplicaMessage.RequestReady;
import io.bulwark.protocol.ordering.message.Request;
import io.bulwark.protocol.ordering.message.RequestId;
import java.util.ArrayList;
import java.util.List;
import org.jspecify.annotations.NullMarked;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.parallel.Execution;
import org.junit.jupiter.api.parallel.ExecutionMode;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;

/**
 * Seven replicas, two of which lie. Clients fill the primary, 0, and replica 1 with requests for which f+1 others vouch
 * there and never 2f. The other three then get a correct request, and the liars vouch for it only to them: they count
 * 2f+1 vouches, the primary f+1.
 */
@NullMarked
@Execution(ExecutionMode.CONCURRENT)
class RequestReadyTest {
    private static final int FAULTY = 2;
    private static final int REPLICAS = 3 * FAULTY + 1;
    private static final int FULL = 2;
    private static final int FIRST_LIAR = REPLICAS - FAULTY;
    private static final int ATTACKER = 60;
    private static final int STAGE_MILLIS = 3_000;
    private static final int LARGE_BYTES = 16 << 10;
    private static final Quotas ROOM = new Quotas(16, 1 << 20, 4_096, 64, 1 << 20);
    private static final Batches BATCHES = new Batches(64, 32 << 10, 2);

    /** Distribution of the requests that fill the first two replicas. */
    enum Junk {
        /** One of the other three has each request, and the liars vouch for it there and where it is to take room. */
        SPREAD,
        /** The two have it themselves, and vouch to each other. */
        SHARED
    }

    /** Additional action of the liars. */
    enum Lie {
        /** They vouch for the correct request to the other three. */
        VOUCHES,
        /** They say READY there, too, at once. */
        READY,
        /** Only when the words of the others are about to be forgotten. */
        LATE_READY,
        /** They say it for what fills the primary, to the primary. */
        READY_FOR_JUNK,
        /** They say it for that to all. */
        READY_FOR_ALL
    }

    private final TestCluster cluster =
            new TestCluster(FAULTY, 1, config -> config.withRoom(ROOM).withBatches(BATCHES));
    private long lateMillis = -1;

    private static Request request(int client, long call, int bytes) {
        return new Request(
                PrincipalId.client(client), call, false, TestCluster.operation(1_000L * client + call, bytes));
    }

    /** Liars send only what is planned here, and vouch for the good request at some. */
    private void plan(Lie lie, Request good, int firstTold, int lastTold) {
        cluster.wire = (from, to, message) -> {
            boolean isToSome = from >= FIRST_LIAR && to >= firstTold && to <= lastTold;
            return switch (message) {
                case RequestEcho requestEcho
                when from >= FIRST_LIAR ->
                    isToSome && requestEcho.requests().contains(good.id())
                            ? List.of(new RequestEcho(List.of(good.id())))
                            : List.of();
                case RequestReady _ when from >= FIRST_LIAR -> List.of();
                case RequestReady ready
                when lie == Lie.LATE_READY && ready.requests().contains(good.id()) && to != 0 -> {
                    lateMillis = lateMillis < 0 ? cluster.nowMillis : lateMillis;
                    yield List.of(message);
                }
                default -> List.of(message);
            };
        };
        if (lie == Lie.READY || lie == Lie.LATE_READY) {
            lie(lie, good);
        }
    }

    private void lie(Lie lie, Request good) {
        long sinceMillis = lateMillis < 0 ? -1 : (cluster.nowMillis - lateMillis) % 1_000;
        if (lie == Lie.READY || sinceMillis > 900) {
            for (int to = FULL; to < FIRST_LIAR; to++) {
                sayFromLiars(to, new RequestReady(List.of(good.id())));
            }
        }
        cluster.at(40, () -> lie(lie, good));
    }

    private void sayFromLiars(int to, ReplicaMessage message) {
        for (int liar = FIRST_LIAR; liar < REPLICAS; liar++) {
            cluster.send(liar, to, message);
        }
    }

    /** Fills the room of one client, or the rest of the common room for requests that f+1 others vouch for. */
    private void fill(Junk kind, Lie lie, boolean all) {
        List<Request> first = junk(0, all ? 8 : 1, 0);
        if (kind == Junk.SHARED) {
            share(first, lie);
            cluster.run(STAGE_MILLIS);
            share(junk(100, all ? 16 : 0, 0), lie);
            cluster.run(STAGE_MILLIS);
            return;
        }
        List<Request> second = junk(all ? 100 : 0, all ? 16 : 1, 100);
        spread(first, 0, lie);
        cluster.run(STAGE_MILLIS);
        int half = second.size() / 2;
        spread(second.subList(0, half), 1, lie);
        cluster.run(STAGE_MILLIS);
        spread(second.subList(half, second.size()), 1, lie);
        cluster.run(STAGE_MILLIS);
    }

    private static List<Request> junk(int firstClient, int clients, long firstCall) {
        List<Request> junk = new ArrayList<>();
        for (int client = 0; client < clients; client++) {
            for (int call = 0; call < ROOM.requestsPerClient(); call++) {
                junk.add(request(ATTACKER + firstClient + client, firstCall + call, LARGE_BYTES));
            }
        }
        return junk;
    }

    private void spread(List<Request> requests, int full, Lie lie) {
        List<RequestId> all = new ArrayList<>();
        List<List<RequestId>> of = List.of(new ArrayList<>(), new ArrayList<>(), new ArrayList<>());
        for (int i = 0; i < requests.size(); i++) {
            RequestId id = requests.get(i).id();
            cluster.deliver(requests.get(i), FULL + i % 3);
            of.get(i % 3).add(id);
            all.add(id);
        }
        vouchAndLie(full, lie, all);
        for (int i = 0; i < 3; i++) {
            sayFromLiars(FULL + i, new RequestEcho(of.get(i)));
        }
        cluster.at(200, () -> spread(requests, full, lie));
    }

    private void share(List<Request> requests, Lie lie) {
        List<RequestId> all = requests.stream().map(Request::id).toList();
        for (int full = 0; full < FULL; full++) {
            for (Request each : requests) {
                cluster.deliver(each, full);
            }
            vouchAndLie(full, lie, all);
        }
        cluster.at(200, () -> share(requests, lie));
    }

    private void vouchAndLie(int full, Lie lie, List<RequestId> ids) {
        sayFromLiars(full, new RequestEcho(ids));
        for (int to = 0; to < FIRST_LIAR; to++) {
            if (lie == Lie.READY_FOR_ALL || (lie == Lie.READY_FOR_JUNK && to == full)) {
                sayFromLiars(to, new RequestReady(ids));
            }
        }
    }

    private void assertNoViewChanged(String what) {
        assertThat(cluster.nodes.subList(0, FIRST_LIAR))
                .as("%s: %s", what, cluster)
                .allMatch(node -> node.up().view() == 0 && node.up().isActive());
    }

    /** The first two have no room for it. */
    private TestCluster.Call submitToFullRooms(Request good, String what) {
        TestCluster.Call call = cluster.submit(good);
        cluster.run(25);
        assertThat(call.refusals).as("%s: %s", what, cluster).isEqualTo(FULL);
        return call;
    }

    private void assertServed(Request good, String what) {
        TestCluster.Call call = submitToFullRooms(good, what);
        assertThat(cluster.runUntilDone(6_000)).as("%s: %s", what, cluster).isTrue();
        assertNoViewChanged(what);
        assertThat(call.doneMillis - call.askedMillis).as(what).isLessThan(2_000);
        cluster.run(3_000);
        assertNoViewChanged(what + ", later");
    }

    private static void attack(Junk kind, Lie lie, boolean all, int bytes) {
        RequestReadyTest test = new RequestReadyTest();
        Request good = request(all ? 1 : ATTACKER, 1_000, bytes);
        test.plan(lie, good, FULL, FIRST_LIAR - 1);
        test.fill(kind, lie, all);
        test.assertServed(good, kind + ", " + lie + (all ? ", all, " : ", one client, ") + bytes + " bytes");
    }

    @ParameterizedTest
    @EnumSource(Lie.class)
    void whoFilledItsOwnRoomAtThePrimaryChangesNoView(Lie lie) {
        for (Junk kind : Junk.values()) {
            attack(kind, lie, false, Long.BYTES);
            attack(kind, lie, false, LARGE_BYTES);
        }
    }

    @ParameterizedTest
    @EnumSource(Lie.class)
    void thoughTheRoomOfAllIsFullAtThePrimaryNoViewChanges(Lie lie) {
        for (Junk kind : Junk.values()) {
            attack(kind, lie, true, LARGE_BYTES);
        }
    }

    /**
     * One backup counts 2f+1 vouches, and nobody else ever does. It must not time a request that the primary cannot
     * know.
     */
    @Test
    void whatOneBackupAloneCountsAsReadyItDoesNotTime() {
        Request good = request(1, 1_000, LARGE_BYTES);
        plan(Lie.READY, good, FULL, FULL);
        fill(Junk.SPREAD, Lie.READY, true);
        TestCluster.Call call = submitToFullRooms(good, "ready at one backup");
        cluster.run(6_000);
        assertNoViewChanged("ready at one backup");
        assertThat(call.done()).isFalse();
    }

    /** For seconds f correct ones count it as ready, which tells the primary nothing; then one more, with which it is due at all three. */
    @Test
    void whatIsDueLateIsTimedFromThenOn() {
        Request good = request(1, 1_000, LARGE_BYTES);
        plan(Lie.READY, good, FULL, FULL + 1);
        fill(Junk.SPREAD, Lie.READY, true);
        TestCluster.Call call = submitToFullRooms(good, "ready at f");
        cluster.run(4_000);
        assertThat(call.done()).isFalse();
        assertNoViewChanged("ready at f");
        plan(Lie.READY, good, FULL, FIRST_LIAR - 1);
        assertThat(cluster.runUntilDone(2_000)).as(cluster::toString).isTrue();
        assertNoViewChanged("ready at f + 1");
    }

    /** All correct replicas say READY, without the primary's help and without the liars'. */
    @Test
    void aPrimaryThatProposesNothingIsReplaced() {
        cluster.crash(REPLICAS - 1);
        cluster.wire = (from, to, message) -> from == 0 && message instanceof PrePrepare ? List.of() : List.of(message);
        cluster.submit(request(1, 1, Long.BYTES));
        assertThat(cluster.runUntilDone(6_000)).as(cluster::toString).isTrue();
        assertThat(cluster.replica(1).view()).isEqualTo(1);
    }
}
