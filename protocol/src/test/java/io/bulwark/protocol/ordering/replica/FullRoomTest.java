package io.bulwark.protocol.ordering.replica;

import static org.assertj.core.api.Assertions.assertThat;

import io.bulwark.protocol.id.PrincipalId;
import io.bulwark.protocol.ordering.message.ReplicaMessage;
import io.bulwark.protocol.ordering.message.ReplicaMessage.PrePrepare;
import io.bulwark.protocol.ordering.message.Request;
import io.bulwark.protocol.ordering.replica.ReplicaConfig.Batches;
import io.bulwark.protocol.ordering.replica.ReplicaConfig.Room;
import io.bulwark.protocol.wire.Bytes;
import io.bulwark.protocol.wire.WireWriter;
import java.util.ArrayList;
import java.util.Collections;
import java.util.HashSet;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Random;
import java.util.Set;
import org.jspecify.annotations.NullMarked;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;

/**
 * Clients that attack with long requests fill the room of all, of the primary too, while a correct client asks for little: no view
 * may change, and the correct client is served. Each batch takes the primary's link some time.
 */
@NullMarked
class FullRoomTest {
    private static final int SEEDS = Integer.getInteger("bulwark.runs", 2);
    private static final int ATTACKERS = 8;
    private static final int FIRST_ATTACKER = 60;
    private static final int LARGE_BYTES = 16 << 10;
    private static final long BATCH_MILLIS = 4;
    private static final long BURST_MILLIS = 10;
    private static final int CALLS = 15;

    /** Four attackers fill the room of all. */
    private static final Room ROOM = new Room(16, 1 << 20, 4_096, 64, 1 << 20);

    private static final Batches BATCHES = new Batches(8, 16 << 10, 2);

    /** Whom the attackers tell their requests. */
    enum Attack {
        ALL,
        /** All but the primary. */
        BACKUPS,
        /** Two at random, others for each request. */
        TWO,
        /** One, and when the time has come two others. */
        ONE_LATER_TWO,
        /** New ones all the time, whether the ones before are executed or not. */
        ALL_NEW,
        TWO_NEW,
        THREE_NEW;

        private boolean isNew() {
            return this == ALL_NEW || this == TWO_NEW || this == THREE_NEW;
        }
    }

    private static final class Siege {
        private final TestCluster cluster;
        private final Random random;
        private final Attack attack;
        private final long[] linkFreeMillis;
        private final List<Set<Long>> onTheWay = new ArrayList<>();
        private final Map<PrincipalId, Map<Bytes, Request>> outstanding = new LinkedHashMap<>();
        private int seen;
        private long number = 1_000_000;

        Siege(Attack attack, long seed) {
            cluster = new TestCluster(1, seed, config -> config.withRoom(ROOM).withBatches(BATCHES));
            random = new Random(seed);
            this.attack = attack;
            linkFreeMillis = new long[cluster.nodes.size()];
            cluster.nodes.forEach(_ -> onTheWay.add(new HashSet<>()));
            cluster.wire = (from, to, message) ->
                    message instanceof PrePrepare proposal ? overSlowLink(from, to, proposal) : List.of(message);
        }

        private List<ReplicaMessage> overSlowLink(int from, int to, PrePrepare proposal) {
            if (onTheWay.get(to).add(proposal.sequence())) {
                linkFreeMillis[to] = Math.max(linkFreeMillis[to], cluster.nowMillis) + BATCH_MILLIS;
                cluster.at(linkFreeMillis[to] - cluster.nowMillis, () -> {
                    onTheWay.get(to).remove(proposal.sequence());
                    cluster.send(from, to, proposal);
                });
            }
            return List.of();
        }

        private void attack() {
            List<Bytes> journal = cluster.nodes.getLast().application.journal();
            for (; seen < journal.size(); seen++) {
                Bytes done = journal.get(seen);
                outstanding.values().forEach(each -> each.remove(done));
            }
            for (int i = 0; i < ATTACKERS; i++) {
                Map<Bytes, Request> own =
                        outstanding.computeIfAbsent(PrincipalId.client(FIRST_ATTACKER + i), _ -> new LinkedHashMap<>());
                if (attack.isNew()) {
                    own.clear();
                }
                while (own.size() < ROOM.requestsPerClient() * (attack.isNew() ? 1 : 2)) {
                    Bytes operation = new WireWriter()
                            .i64(++number)
                            .raw(Bytes.of(new byte[LARGE_BYTES - Long.BYTES]))
                            .toBytes();
                    own.put(operation, new Request(PrincipalId.client(FIRST_ATTACKER + i), number, false, operation));
                }
                own.values().forEach(this::tell);
            }
            cluster.at(attack.isNew() ? 5 * BURST_MILLIS : BURST_MILLIS, this::attack);
        }

        private void tell(Request request) {
            List<Integer> all = new ArrayList<>();
            cluster.nodes.forEach(node -> all.add(node.self));
            Collections.shuffle(all, new Random(31 * request.call()));
            switch (attack) {
                case ALL, ALL_NEW -> {}
                case BACKUPS -> all.removeIf(to -> to == 0);
                case TWO, TWO_NEW -> all.subList(2, all.size()).clear();
                case THREE_NEW -> all.subList(3, all.size()).clear();
                case ONE_LATER_TWO -> {
                    int lot = random.nextInt(20);
                    all.subList(lot == 0 ? 3 : 1, all.size()).clear();
                }
            }
            all.forEach(to -> cluster.deliver(request, to));
        }

        void run() {
            attack();
            for (int i = 0; i < CALLS; i++) {
                TestCluster.Call call = cluster.submit(1, i, TestCluster.operation(i));
                while (!call.done() && cluster.nowMillis - call.askedMillis < 20_000) {
                    cluster.run(10);
                }
                assertThat(call.done()).as(this::toString).isTrue();
                cluster.run(1 + random.nextInt(40));
                cluster.nodes.forEach(node -> {
                    assertThat(node.up().view()).as(this::toString).isZero();
                    assertThat(node.up().isActive()).as(this::toString).isTrue();
                });
            }
        }

        @Override
        public String toString() {
            return attack + ": " + cluster;
        }
    }

    @ParameterizedTest
    @EnumSource(Attack.class)
    void whatFillsTheRoomOfAllChangesNoView(Attack attack) {
        for (long seed = 1; seed <= SEEDS; seed++) {
            new Siege(attack, seed).run();
        }
    }
}
