package io.bulwark.protocol.ordering.replica;

import static io.bulwark.protocol.ordering.replica.ClusterAssertions.finish;
import static org.assertj.core.api.Assertions.assertThat;

import io.bulwark.protocol.id.PrincipalId;
import io.bulwark.protocol.ordering.message.Request;
import io.bulwark.protocol.wire.Bytes;
import java.util.List;
import org.jspecify.annotations.NullMarked;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/**
 * Tests requests that a client repeats because it has not counted 2f+1 equal replies, long after the first replies were
 * sent.
 */
@NullMarked
class RepeatedRequestsTest {
    private static final Request QUERY = new Request(PrincipalId.client(9), 1, true, Bytes.EMPTY);

    private int numbers;

    private void execute(TestCluster cluster, int count) {
        for (int i = 0; i < count; i++) {
            cluster.submit(1, numbers, TestCluster.operation(numbers++));
            finish(cluster, 1_000);
        }
    }

    private static void ask(TestCluster cluster) {
        for (int times = 0; times < 10; times++) {
            cluster.nodes.forEach(node -> cluster.deliver(QUERY, node.self));
            cluster.run(TestCluster.RESEND_MILLIS);
        }
    }

    /**
     * A query is executed, but its client gets no reply. A replica restarts and forgets it, so it is executed again,
     * with another result. Another replica misses this, fetches the state, and remembers the first result. If it
     * reported that result, no 2f+1 replies would be equal, and nobody would vouch again.
     */
    @ParameterizedTest
    @ValueSource(ints = {1, 2})
    void whoFetchesAStateHasNoResultsOfTheTimeBefore(int faulty) {
        TestCluster cluster = new TestCluster(faulty, 1, config -> config.withLog(4, 8));
        int behind = 2 * faulty;
        ask(cluster);
        assertThat(cluster.replica(behind).executed()).isEqualTo(1);
        execute(cluster, 10);
        cluster.crash(behind - 1);
        cluster.start(behind - 1);
        cluster.run(1_000);
        cluster.wire = (from, to, message) -> from == behind || to == behind ? List.of() : List.of(message);
        ask(cluster);
        assertThat(cluster.replica(0).executed()).as("once more").isEqualTo(12);
        execute(cluster, 20);
        cluster.wire = (from, to, message) -> List.of(message);
        cluster.run(5_000);
        assertThat(cluster.replica(behind).executed())
                .isEqualTo(cluster.replica(0).executed());
        for (int silent = 2 * faulty + 1; silent <= 3 * faulty; silent++) {
            cluster.crash(silent);
        }
        cluster.submit(QUERY);
        finish(cluster, 5_000);
    }
}
