package io.bulwark.protocol.ordering.replica;

import static org.assertj.core.api.Assertions.assertThat;

import io.bulwark.protocol.id.PrincipalId;
import io.bulwark.protocol.ordering.driver.ReplicaConfig;
import io.bulwark.protocol.ordering.message.ReplicaMessage;
import io.bulwark.protocol.ordering.message.ReplicaMessage.PrePrepare;
import io.bulwark.protocol.ordering.message.ReplicaMessage.RequestEcho;
import io.bulwark.protocol.ordering.message.ReplicaMessage.RequestReady;
import io.bulwark.protocol.ordering.message.RequestId;
import io.bulwark.protocol.ordering.replica.TestCluster.Call;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.TreeMap;
import java.util.function.UnaryOperator;
import org.jspecify.annotations.NullMarked;
import org.junit.jupiter.api.parallel.Execution;
import org.junit.jupiter.api.parallel.ExecutionMode;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

/**
 * Tests a primary with a client of its own, which sends so many requests that the primary looks fast. This is RBFT's
 * attack on replicas that measure their primary (Aublin and others, 2013). The bound on the others' waiting time stands
 * in docs/ordering/view-change.md.
 */
@NullMarked
@Execution(ExecutionMode.CONCURRENT)
class FavouredClientTest {
    private static final int FRIEND = 1;
    private static final int OTHER = 2;
    private static final long RUN_MILLIS = 20_000;
    private static final long OTHER_EACH_MILLIS = 500;

    /** One agreement that waits for nothing: 6 delays, 2 syncs that find another one under way, and the ticks between them. */
    private static final long AGREEMENT_MILLIS = 6 * 3 + 4 * 2 + 2 * TestCluster.TICK_MILLIS;

    /** Messages of the backups on the requests of all but the friend, held until the primary takes note of them. */
    private static final class Favouring {
        /** Request of another client, with the messages about it. */
        private static final class Unheard {
            private final long sinceMillis;
            private final Map<Integer, ReplicaMessage> echoes = new TreeMap<>();
            private final Map<Integer, ReplicaMessage> readies = new TreeMap<>();
            private int passedOver;
            private boolean isHeard;

            Unheard(long sinceMillis) {
                this.sinceMillis = sinceMillis;
            }
        }

        private final TestCluster cluster;
        private final int batches;
        private final long millis;
        private final Map<RequestId, Unheard> ofOthers = new LinkedHashMap<>();

        /** Others wait for this number of batches, or for this time. */
        Favouring(int faulty, int batches, long millis) {
            cluster = new TestCluster(faulty, 1, UnaryOperator.identity());
            this.batches = batches;
            this.millis = millis;
            cluster.wire = (from, to, message) -> {
                if (from == 0 && to == 1 && message instanceof PrePrepare) {
                    ofOthers.values().forEach(each -> each.passedOver++);
                }
                return switch (message) {
                    case RequestEcho requestEcho
                    when to == 0 -> List.of(new RequestEcho(hear(from, requestEcho.requests(), false)));
                    case RequestReady ready
                    when to == 0 -> List.of(new RequestReady(hear(from, ready.requests(), true)));
                    default -> List.of(message);
                };
            };
        }

        private List<RequestId> hear(int from, List<RequestId> ids, boolean isReady) {
            List<RequestId> heard = new ArrayList<>();
            for (RequestId id : ids) {
                Unheard unheard = id.client().equals(PrincipalId.client(FRIEND))
                        ? null
                        : ofOthers.computeIfAbsent(id, _ -> new Unheard(cluster.nowMillis));
                if (unheard == null || unheard.isHeard) {
                    heard.add(id);
                } else if (isReady) {
                    unheard.readies.put(from, new RequestReady(List.of(id)));
                } else {
                    unheard.echoes.put(from, new RequestEcho(List.of(id)));
                }
            }
            return heard;
        }

        private void takeNote() {
            for (Unheard each : ofOthers.values()) {
                boolean isTime = each.passedOver >= batches || cluster.nowMillis - each.sinceMillis >= millis;
                if (isTime && !each.isHeard) {
                    each.isHeard = true;
                    each.echoes.forEach((from, message) -> cluster.send(from, 0, message));
                    each.readies.forEach((from, message) -> cluster.send(from, 0, message));
                }
            }
        }

        /** Returns how long each request of the others took, while the friend sends a request this often. */
        List<Long> run(int friendEachMillis) {
            List<Call> others = new ArrayList<>();
            int number = 0;
            // A friend that stopped would leave the primary looking slow.
            while (cluster.nowMillis < RUN_MILLIS || !others.stream().allMatch(Call::done)) {
                assertThat(cluster.nowMillis).as(cluster::toString).isLessThan(2 * RUN_MILLIS);
                if (cluster.nowMillis < RUN_MILLIS && cluster.nowMillis % OTHER_EACH_MILLIS == 0) {
                    others.add(cluster.submit(OTHER, number, TestCluster.operation(number++)));
                }
                if (cluster.nowMillis % friendEachMillis == 0) {
                    cluster.submit(FRIEND, number, TestCluster.operation(number++));
                }
                takeNote();
                cluster.run(5);
            }
            return others.stream()
                    .map(call -> call.doneMillis - call.askedMillis)
                    .toList();
        }
    }

    /** With f of 2 or more what is passed over counts from 2f+1 READY on. */
    private static long boundMillis(int faulty, int friendEachMillis) {
        ReplicaConfig.Timers timers = ReplicaConfig.Timers.DEFAULT;
        long readyMillis = faulty == 1 ? 0 : timers.readyDelayMillis() + 2 * TestCluster.TICK_MILLIS + AGREEMENT_MILLIS;
        long passedOverMillis = Math.max(250, 32L * friendEachMillis + friendEachMillis);
        return readyMillis + Math.min(timers.requestMillis(), passedOverMillis) + 3 * AGREEMENT_MILLIS;
    }

    @ParameterizedTest
    @CsvSource({"1, 10, 26, 1000000", "2, 10, 26, 1000000", "1, 100, 1000000, 1800", "2, 100, 1000000, 1800"})
    void whoIsNotTheFavouriteOfAPrimaryThatStaysWaitsNoLongerThanTheBound(
            int faulty, int friendEachMillis, int batches, long millis) {
        Favouring favouring = new Favouring(faulty, batches, millis);
        List<Long> took = favouring.run(friendEachMillis);
        favouring.cluster.nodes.forEach(node ->
                assertThat(node.up().view()).as(favouring.cluster::toString).isZero());
        assertThat(took).allSatisfy(each -> assertThat(each).isLessThan(boundMillis(faulty, friendEachMillis)));
        assertThat(took)
                .as("the attack works")
                .anySatisfy(each -> assertThat(each).isGreaterThan(250));
    }

    @ParameterizedTest
    @CsvSource({"1, 10", "2, 10", "1, 100", "2, 100"})
    void aPrimaryThatLetsOthersWaitLongerIsReplacedAndNobodyWaitsMuchLongerThanTheBound(
            int faulty, int friendEachMillis) {
        Favouring favouring = new Favouring(faulty, 1_000_000, 1_000_000);
        List<Long> took = favouring.run(friendEachMillis);
        favouring.cluster.nodes.forEach(node ->
                assertThat(node.up().view()).as(favouring.cluster::toString).isEqualTo(1));
        // A view change between replicas that are there is two more agreements.
        long mostMillis = boundMillis(faulty, friendEachMillis) + 2 * AGREEMENT_MILLIS;
        assertThat(took).allSatisfy(each -> assertThat(each).isLessThan(mostMillis));
    }
}
