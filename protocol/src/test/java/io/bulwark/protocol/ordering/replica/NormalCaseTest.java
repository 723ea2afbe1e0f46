package io.bulwark.protocol.ordering.replica;

import static org.assertj.core.api.Assertions.assertThat;

import io.bulwark.protocol.wire.Bytes;
import java.util.List;
import java.util.function.UnaryOperator;
import org.jspecify.annotations.NullMarked;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/** Sections 4.2 and 4.3 without faults. */
@NullMarked
class NormalCaseTest {
    @ParameterizedTest
    @ValueSource(ints = {1, 2})
    void requestsAreExecutedByAllInOneOrder(int faulty) {
        TestCluster cluster = new TestCluster(faulty, 1, UnaryOperator.identity());
        for (int i = 0; i < 50; i++) {
            cluster.submit(i % 5, i, TestCluster.operation(i));
        }
        assertThat(cluster.runUntilDone(2_000)).as(cluster::toString).isTrue();
        cluster.run(100);
        List<Bytes> journal = cluster.nodes.getFirst().application.journal();
        assertThat(journal).hasSize(50);
        for (TestCluster.Node node : cluster.nodes) {
            assertThat(node.application.journal()).isEqualTo(journal);
            assertThat(node.application.executions).isEqualTo(50);
            assertThat(node.up().view()).isZero();
            assertThat(node.evidence).isEmpty();
        }
    }

    @ParameterizedTest
    @ValueSource(ints = {1, 2})
    void checkpointsBecomeStableAndTheWaterMarksMove(int faulty) {
        TestCluster cluster = new TestCluster(faulty, 2, config -> config.withLog(4, 8));
        for (int i = 0; i < 60; i++) {
            cluster.submit(1, i, TestCluster.operation(i));
            cluster.run(20);
        }
        assertThat(cluster.runUntilDone(2_000)).as(cluster::toString).isTrue();
        cluster.run(200);
        for (TestCluster.Node node : cluster.nodes) {
            assertThat(node.up().executed()).isGreaterThanOrEqualTo(60);
            assertThat(node.up().lowWaterMark()).isGreaterThanOrEqualTo(56);
            assertThat(node.application.checkpoints()).hasSizeLessThanOrEqualTo(2);
            assertThat(node.up().view()).isZero();
        }
    }
}
