package io.bulwark.protocol.ordering.replica;

import static org.assertj.core.api.Assertions.assertThat;

import io.bulwark.protocol.Runs;
import io.bulwark.protocol.id.PrincipalId;
import io.bulwark.protocol.ordering.driver.ReplicaConfig;
import io.bulwark.protocol.ordering.driver.ReplicaConfig.Batches;
import io.bulwark.protocol.ordering.driver.ReplicaConfig.Quotas;
import io.bulwark.protocol.ordering.message.ReplicaMessage.RequestEcho;
import io.bulwark.protocol.ordering.message.Request;
import io.bulwark.protocol.ordering.message.RequestId;
import io.bulwark.protocol.wire.Bytes;
import java.util.ArrayList;
import java.util.Collections;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Random;
import java.util.stream.LongStream;
import org.jspecify.annotations.NullMarked;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.parallel.Execution;
import org.junit.jupiter.api.parallel.ExecutionMode;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;

/**
 * Attackers fill the room of all clients with long requests, while a correct client asks for little. The correct client
 * is served within the bound of docs/ordering/overload.md, and no view changes. Each batch occupies the primary's link for some
 * time. Up to f liars may vouch for the attackers' requests, to some replicas only, for as long as they like.
 */
@NullMarked
@Execution(ExecutionMode.CONCURRENT)
class FullQuotaTest {
    private static final int RUNS = Runs.of(1);
    private static final Long SEED = Long.getLong("bulwark.seed");
    private static final int ATTACKERS = 8;
    private static final int FIRST_ATTACKER = 60;
    private static final int LARGE_BYTES = 16 << 10;
    private static final long BURST_MILLIS = 40;
    private static final long AGAIN_MILLIS = 60;
    private static final int CALLS = 4;

    /** Four attackers fill the room of all. */
    private static final Quotas ROOM = new Quotas(16, 1 << 20, 4_096, 64, 1 << 20);

    private static final Batches BATCHES = new Batches(64, 32 << 10, 2);

    /** Requests that the attackers send, repeated until execution, or else new each time. */
    enum Attack {
        ALL,
        BACKUPS,
        /** Requests that count as theirs at f+1 replicas, others for each request. */
        SOME,
        ONE,
        /** One replica first, and f+1 others when the time has come. */
        ONE_LATER_SOME,
        /** Something else under the same number for each half of the replicas. */
        SEVERAL_BODIES,
        /** Recently executed requests, and as many new ones. */
        REPEATED,
        ALL_NEW,
        SOME_NEW,
        QUORUM_NEW;

        private boolean isNew() {
            return this == ALL_NEW || this == SOME_NEW || this == QUORUM_NEW;
        }
    }

    private static final class Siege {
        private final TestCluster cluster;
        private final Random random;
        private final Attack attack;
        private final boolean lies;
        private final Map<PrincipalId, Map<Bytes, Request>> outstanding = new LinkedHashMap<>();
        private final Map<Bytes, Request> sent = new LinkedHashMap<>();
        private final List<Request> done = new ArrayList<>();
        private final List<RequestId> toldLiars = new ArrayList<>();
        private int seen;
        private long number = 1_000_000;

        Siege(int faulty, Attack attack, boolean lies, long seed) {
            cluster = new TestCluster(
                    faulty, seed, config -> config.withRoom(ROOM).withBatches(BATCHES));
            random = new Random(seed);
            this.attack = attack;
            this.lies = lies;
            cluster.wire = new SlowLinks(cluster);
        }

        private void attack() {
            List<Bytes> journal = cluster.nodes.getLast().application.journal();
            for (; seen < journal.size(); seen++) {
                Bytes executed = journal.get(seen);
                outstanding.values().forEach(each -> each.remove(executed));
                Request request = sent.remove(executed);
                if (request != null) {
                    done.add(request);
                }
            }
            for (int i = 0; i < ATTACKERS; i++) {
                attack(PrincipalId.client(FIRST_ATTACKER + i));
            }
            if (attack == Attack.REPEATED) {
                int from = Math.max(0, done.size() - ATTACKERS * ROOM.resultsPerClient());
                for (int i = 0; from < done.size() && i < ATTACKERS * ROOM.requestsPerClient(); i++) {
                    tell(done.get(from + random.nextInt(done.size() - from)));
                }
            }
            if (lies) {
                lie();
            }
            cluster.at(attack.isNew() ? BURST_MILLIS : AGAIN_MILLIS, this::attack);
        }

        /** Twice what its room takes. */
        private void attack(PrincipalId liar) {
            Map<Bytes, Request> own = outstanding.computeIfAbsent(liar, _ -> new LinkedHashMap<>());
            if (attack.isNew()) {
                own.clear();
            }
            while (own.size() < ROOM.requestsPerClient() * (attack.isNew() ? 1 : 2)) {
                number++;
                for (int body = 0; body < (attack == Attack.SEVERAL_BODIES ? 2 : 1); body++) {
                    Request request = large(liar, number, 2 * number + body);
                    own.put(request.operation(), request);
                    sent.put(request.operation(), request);
                    toldLiars.add(request.id());
                }
            }
            own.values().forEach(this::tell);
        }

        private void tell(Request request) {
            List<Integer> all = new ArrayList<>();
            cluster.nodes.forEach(node -> all.add(node.self));
            Collections.shuffle(all, new Random(31 * request.call()));
            int first = 0;
            int count = all.size();
            switch (attack) {
                case ALL, ALL_NEW, REPEATED -> {}
                case BACKUPS -> all.removeIf(to -> to == 0);
                case SOME, SOME_NEW -> count = cluster.faulty + 1;
                case QUORUM_NEW -> count = 2 * cluster.faulty + 1;
                case ONE -> count = 1;
                case ONE_LATER_SOME -> count = random.nextInt(20) == 0 ? cluster.faulty + 2 : 1;
                case SEVERAL_BODIES -> {
                    boolean isSecond = request.operation().get(Long.BYTES - 1) % 2 != 0;
                    first = isSecond ? all.size() / 2 : 0;
                    count = isSecond ? all.size() : all.size() / 2;
                }
            }
            all.subList(first, Math.min(count, all.size())).forEach(to -> cluster.deliver(request, to));
        }

        /** The last f replicas vouch for what was asked for lately, executed or not: each time to some. */
        private void lie() {
            int many = 4 * ATTACKERS * ROOM.requestsPerClient();
            if (toldLiars.size() > many) {
                toldLiars.subList(0, toldLiars.size() - many).clear();
            }
            int size = cluster.nodes.size();
            for (int liar = size - cluster.faulty; liar < size; liar++) {
                for (int to = 0; to < size - cluster.faulty; to++) {
                    List<RequestId> some = new ArrayList<>();
                    for (int i = 0; i < 64; i++) {
                        some.add(toldLiars.get(random.nextInt(toldLiars.size())));
                    }
                    cluster.send(liar, to, new RequestEcho(some));
                }
            }
        }

        /** The longest that a correct client waited; it goes on until a view changes. */
        long worst() {
            attack();
            cluster.run(300);
            long worst = 0;
            for (int i = 0; i < CALLS && !hasLeftItsView(); i++) {
                TestCluster.Call call = cluster.submit(1, i, TestCluster.operation(i));
                while (!call.done() && cluster.nowMillis - call.askedMillis < 20_000) {
                    cluster.run(10);
                }
                worst = Math.max(worst, cluster.nowMillis - call.askedMillis);
                assertThat(call.refusals).isZero();
                cluster.run(1 + random.nextInt(40));
            }
            return worst;
        }

        boolean hasLeftItsView() {
            return cluster.nodes.stream()
                    .anyMatch(node -> node.up().view() > 0 || !node.up().isActive());
        }

        int executed() {
            return cluster.nodes.getFirst().application.journal().size() - CALLS;
        }

        /** The bound of docs/ordering/overload.md, in milliseconds. */
        long bound() {
            long ahead = 2L * ATTACKERS * ROOM.requestsPerClient();
            long bytes = Math.min(2L * ATTACKERS * ROOM.bytesPerClient(), 3L * ROOM.bytesOfAll());
            long batches = Math.ceilDiv(ahead, BATCHES.requestsMax())
                    + Math.ceilDiv(2 * bytes, BATCHES.bytesMax())
                    + BATCHES.inFlight();
            long agreement = 6 * cluster.maxDelayMillis + 4 * cluster.syncMillis + SlowLinks.BATCH_MILLIS;
            ReplicaConfig.Timers timers = ReplicaConfig.Timers.DEFAULT;
            long fetch = TestCluster.TICK_MILLIS
                    + timers.fetchMillis() / 4
                    + (cluster.faulty + 1) * timers.fetchMillis()
                    + 2 * cluster.maxDelayMillis;
            return batches * SlowLinks.BATCH_MILLIS + 3 * agreement + fetch;
        }

        @Override
        public String toString() {
            return attack + (lies ? ", liars" : "") + ", f = " + cluster.faulty + ": " + cluster;
        }
    }

    private static long[] seeds() {
        return SEED != null
                ? new long[] {SEED}
                : LongStream.rangeClosed(1, RUNS).toArray();
    }

    @ParameterizedTest
    @EnumSource(Attack.class)
    @Tag("long")
    void whoAsksForLittleIsServedWithinTheBoundAndNoViewChanges(Attack attack) {
        for (long seed : seeds()) {
            for (int faulty = 1; faulty <= 2; faulty++) {
                for (boolean lies : faulty == 1 ? List.of(false, true) : List.of(true)) {
                    Siege siege = new Siege(faulty, attack, lies, seed);
                    String text = siege.attack + (lies ? ", liars" : "") + ", f = " + faulty + ", seed " + seed;
                    long worst = siege.worst();
                    System.out.println(text + ": worst " + worst + " ms, bound " + siege.bound()
                            + " ms; so many of theirs executed: " + siege.executed());
                    assertThat(siege.hasLeftItsView()).as("%s: %s", text, siege).isFalse();
                    assertThat(worst).as("%s: %s", text, siege).isLessThanOrEqualTo(siege.bound());
                    if (lies || attack != Attack.ONE) {
                        assertThat(siege.executed())
                                .as("what the attack came to: %s", text)
                                .isPositive();
                    }
                }
            }
        }
    }

    /** Requests that can never be proposed use up the primary's whole room for requests that f+1 others vouch for. */
    @Test
    void thoughLiarsFillThePrimaryWithWhatIsNeverReadyItHasRoomForWhatBackupsWaitFor() {
        assertServedInTheFirstView(9, PrincipalId.client(1));
    }

    /** The same attack on the room of one client, which then sends a correct request. */
    @Test
    void thoughLiarsFillAClientsRoomAtThePrimaryItHasRoomForWhatBackupsWaitFor() {
        assertServedInTheFirstView(1, PrincipalId.client(FIRST_ATTACKER));
    }

    /**
     * Checks service in the first view. One correct backup hears each request of the attackers, and f liars vouch for
     * it at the primary. Then f+1 others do so there, and no more ever will. For later requests the liars vouch at the
     * backups only, so that the primary sees 2f vouches.
     */
    private static void assertServedInTheFirstView(int attackers, PrincipalId client) {
        int faulty = 2;
        TestCluster cluster =
                new TestCluster(faulty, 1, config -> config.withRoom(ROOM).withBatches(BATCHES));
        int firstLiar = cluster.nodes.size() - faulty;
        List<Request> junk = new ArrayList<>();
        for (int i = 0; i < attackers * ROOM.requestsPerClient(); i++) {
            junk.add(large(PrincipalId.client(FIRST_ATTACKER + i % attackers), i, i));
        }
        cluster.wire = (from, to, message) ->
                from >= firstLiar && to == 0 && message instanceof RequestEcho ? List.of() : List.of(message);
        tellOneEach(cluster, junk, firstLiar);
        cluster.run(500);
        TestCluster.Call call = cluster.submit(large(client, 1_000, 1_000));
        assertThat(cluster.runUntilDone(10_000)).as(cluster::toString).isTrue();
        assertThat(cluster.nodes)
                .as(cluster::toString)
                .allMatch(node -> node.up().view() == 0);
        assertThat(call.refusals).as("by the primary, until its backups vouch").isLessThan(2);
        assertThat(cluster.nodes.getFirst().application.executions).isEqualTo(1);
    }

    private static void tellOneEach(TestCluster cluster, List<Request> junk, int firstLiar) {
        for (int i = 0; i < junk.size(); i++) {
            cluster.deliver(junk.get(i), 1 + i % (firstLiar - 1));
        }
        RequestEcho lie = new RequestEcho(junk.stream().map(Request::id).toList());
        for (int liar = firstLiar; liar < cluster.nodes.size(); liar++) {
            cluster.send(liar, 0, lie);
        }
        cluster.at(200, () -> tellOneEach(cluster, junk, firstLiar));
    }

    private static Request large(PrincipalId client, long call, long content) {
        return new Request(client, call, false, TestCluster.operation(content, LARGE_BYTES));
    }

    /**
     * Backups see a request become ready earlier than a primary whose room is full, and see 32 batches of other
     * requests pass it.
     */
    @Test
    void aPrimaryIsNotBlamedForWhatItMayHaveNoRoomFor() {
        Siege siege = new Siege(1, Attack.ALL_NEW, false, 1);
        siege.attack();
        siege.cluster.run(400);
        assertThat(siege.hasLeftItsView()).as(siege::toString).isFalse();
    }

    /** The client cannot count 2f+1 replies otherwise: f replicas are down. */
    @Test
    void whatARestartedReplicaForgotIsExecutedOnceMore() {
        TestCluster cluster = new TestCluster(1, 1, config -> config.withLog(4, 8));
        Request request = new Request(PrincipalId.client(1), 1, false, TestCluster.operation(1));
        cluster.crash(3);
        cluster.submit(request);
        for (int call = 2; call < 14; call++) {
            assertThat(cluster.runUntilDone(5_000)).as(cluster::toString).isTrue();
            cluster.submit(1, call, TestCluster.operation(call));
        }
        cluster.run(500);
        assertThat(cluster.replica(2).lowWaterMark()).isPositive();
        cluster.crash(2);
        cluster.start(2);
        cluster.run(500);
        int before = cluster.nodes.getFirst().application.executions;
        TestCluster.Call again = cluster.submit(request);
        assertThat(cluster.runUntilDone(5_000)).as(cluster::toString).isTrue();
        assertThat(again.result).isEqualTo(cluster.calls.getFirst().result);
        assertThat(cluster.nodes.getFirst().application.executions).isEqualTo(before + 1);
    }
}
