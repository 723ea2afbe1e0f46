package io.bulwark.protocol.ordering.replica;

import static org.assertj.core.api.Assertions.assertThat;

import io.bulwark.protocol.Runs;
import io.bulwark.protocol.id.PrincipalId;
import io.bulwark.protocol.ordering.driver.ReplicaConfig.Batches;
import io.bulwark.protocol.ordering.driver.ReplicaConfig.Quotas;
import io.bulwark.protocol.ordering.message.ReplicaMessage;
import io.bulwark.protocol.ordering.message.ReplicaMessage.PrePrepare;
import io.bulwark.protocol.ordering.message.ReplicaMessage.RequestBodies;
import io.bulwark.protocol.ordering.message.Request;
import io.bulwark.protocol.wire.Bytes;
import java.util.List;
import java.util.Random;
import org.jspecify.annotations.NullMarked;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.parallel.Execution;
import org.junit.jupiter.api.parallel.ExecutionMode;

/**
 * Attackers send long requests to f+1 replicas each, so that the others fetch them. The links have limited bandwidth
 * and deliver messages in order: votes wait behind bodies.
 */
@NullMarked
@Execution(ExecutionMode.CONCURRENT)
class LongRequestsTest {
    private static final int RUNS = Runs.of(1);
    private static final int REPLICAS = 4;
    private static final int ATTACKERS = 8;
    private static final int FIRST_ATTACKER = 60;
    private static final int LARGE_BYTES = 16 << 10;
    private static final int CALLS = 127;
    private static final int SENT_EACH = 2;
    private static final int PAUSE_MILLIS = 2;
    private static final int NAME_BYTES = 48;
    private static final int HEAD_BYTES = 100;
    private static final int MICROS = 1_000;

    /** Bandwidth of each link per millisecond: a body takes 41 ms of it. */
    private static final int LINK_BYTES = 400;

    private static final Quotas ROOM = new Quotas(16, 1 << 20, 4_096, 64, 1 << 20);
    private static final Batches BATCHES = new Batches(64, 32 << 10, 2);

    private final long[][] freeMicros = new long[REPLICAS][REPLICAS];

    private static long bytes(ReplicaMessage message) {
        return HEAD_BYTES
                + switch (message) {
                    case RequestBodies bodies ->
                        bodies.requests().stream()
                                .mapToLong(each -> each.operation().length() + NAME_BYTES)
                                .sum();
                    case PrePrepare proposal ->
                        (long) NAME_BYTES * proposal.batch().requests().size();
                    default -> 0;
                };
    }

    private List<ReplicaMessage> carry(TestCluster cluster, int from, int to, ReplicaMessage message) {
        long nowMicros = cluster.nowMillis * MICROS;
        freeMicros[from][to] = Math.max(nowMicros, freeMicros[from][to]) + bytes(message) * MICROS / LINK_BYTES;
        long inMillis = (freeMicros[from][to] - nowMicros) / MICROS;
        if (inMillis == 0) {
            return List.of(message);
        }
        cluster.at(inMillis, () -> cluster.send(from, to, message));
        return List.of();
    }

    private static void attack(TestCluster cluster, Random random, long untilMillis) {
        if (cluster.nowMillis >= untilMillis) {
            return;
        }
        for (int i = 0; i < ATTACKERS * SENT_EACH; i++) {
            Bytes operation = Bytes.of(new byte[LARGE_BYTES]);
            PrincipalId attacker = PrincipalId.client(FIRST_ATTACKER + i % ATTACKERS);
            Request request = new Request(attacker, random.nextInt(CALLS), false, operation);
            int first = random.nextInt(REPLICAS);
            cluster.deliver(request, first);
            cluster.deliver(request, (first + 1) % REPLICAS);
        }
        cluster.at(PAUSE_MILLIS, () -> attack(cluster, random, untilMillis));
    }

    @Test
    void whatIsFetchedTakesLinksNoLongerThanItMustAndNobodyIsLeftBehind() {
        for (long seed = 1; seed <= RUNS; seed++) {
            TestCluster cluster =
                    new TestCluster(1, seed, config -> config.withRoom(ROOM).withBatches(BATCHES));
            cluster.wire = (from, to, message) -> carry(cluster, from, to, message);
            attack(cluster, new Random(seed), 5_000);
            cluster.run(5_000);
            String text = "seed " + seed + ", at its end " + cluster;
            cluster.run(2_000);
            long executed = cluster.replica(0).executed();
            System.out.println(text + "; afterwards " + cluster);
            assertThat(cluster.nodes)
                    .as(text)
                    .allMatch(node -> node.up().isActive() && node.up().view() == 0);
            assertThat(cluster.nodes).as(text).allMatch(node -> node.up().executed() == executed);
            assertThat(executed).as("what the attack came to: %s", text).isGreaterThan(CALLS);
        }
    }
}
