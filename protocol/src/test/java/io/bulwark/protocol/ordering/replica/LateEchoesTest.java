package io.bulwark.protocol.ordering.replica;

import static org.assertj.core.api.Assertions.assertThat;

import io.bulwark.protocol.id.PrincipalId;
import io.bulwark.protocol.ordering.driver.ReplicaConfig;
import io.bulwark.protocol.ordering.driver.ReplicaConfig.Quotas;
import io.bulwark.protocol.ordering.message.ReplicaMessage.RequestEcho;
import io.bulwark.protocol.ordering.message.Request;
import java.util.List;
import java.util.function.UnaryOperator;
import org.jspecify.annotations.NullMarked;
import org.junit.jupiter.api.Test;

/**
 * The links of f replicas to the primary are slow, but keep the order. Their vouches arrive after the request was
 * executed. The primary no longer has its result, because the client has sent many requests since. With the vouches of
 * f liars there are 2f+1, so the primary gives it a number again.
 */
@NullMarked
class LateEchoesTest {
    private static final long LATE_MILLIS = 300;
    private static final Request FIRST = new Request(PrincipalId.client(1), 1, false, TestCluster.operation(1));

    /** Results of two operations of each client are remembered. */
    private static TestCluster lateVouches(int faulty, UnaryOperator<ReplicaConfig> settings) {
        TestCluster cluster = new TestCluster(
                faulty, 1, config -> settings.apply(config.withRoom(new Quotas(16, 1 << 20, 4_096, 2, 2 << 20))));
        cluster.wire = (from, to, message) -> {
            if (from >= 1 && from <= faulty && to == 0) {
                cluster.at(LATE_MILLIS, () -> cluster.send(from, to, message));
                return List.of();
            }
            return List.of(message);
        };
        cluster.run(LATE_MILLIS);
        cluster.submit(FIRST);
        for (int call = 2; call < 6; call++) {
            assertThat(cluster.runUntilDone(200)).as(cluster::toString).isTrue();
            cluster.submit(1, call, TestCluster.operation(call));
        }
        assertThat(cluster.nowMillis).as("before the vouch comes").isLessThanOrEqualTo(2 * LATE_MILLIS);
        cluster.run(2 * LATE_MILLIS - cluster.nowMillis);
        TestCluster.Wire slow = cluster.wire;
        cluster.wire = (from, to, message) -> from > 2 * faulty ? List.of() : slow.carry(from, to, message);
        for (int liar = 2 * faulty + 1; liar < cluster.nodes.size(); liar++) {
            cluster.send(liar, 0, new RequestEcho(List.of(FIRST.id())));
        }
        cluster.deliver(FIRST, 0);
        return cluster;
    }

    private static void assertThatTheGroupGoesOn(TestCluster cluster) {
        int before = cluster.nodes.getFirst().application.executions;
        cluster.run(300);
        cluster.submit(2, 1, TestCluster.operation(100));
        assertThat(cluster.runUntilDone(20_000)).as(cluster::toString).isTrue();
        cluster.run(2 * LATE_MILLIS);
        assertThat(cluster.nodes.subList(0, 2 * cluster.faulty + 1))
                .as(cluster::toString)
                .allMatch(node -> node.up().view() == 0);
        assertThat(cluster.nodes.getFirst().application.executions)
                .as("that one once more, and the next")
                .isEqualTo(before + 2);
    }

    @Test
    void whatAPrimaryNumbersAgainForALateVouchIsAccepted() {
        for (int faulty = 1; faulty <= 2; faulty++) {
            assertThatTheGroupGoesOn(lateVouches(faulty, config -> config));
        }
    }

    /** Nor has a backup its body any more. */
    @Test
    void whatTheLogHasNoMoreIsFetchedOfThePrimary() {
        TestCluster cluster = lateVouches(1, config -> config.withLog(4, 8));
        assertThat(cluster.replica(1).lowWaterMark()).isPositive();
        assertThat(cluster.replica(2).lowWaterMark()).isPositive();
        assertThatTheGroupGoesOn(cluster);
    }
}
