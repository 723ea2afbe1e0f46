package io.bulwark.protocol.ordering.replica;

import static org.assertj.core.api.Assertions.assertThat;

/** Conditions that tests of whole groups wait for, and check at the end. */
final class ClusterAssertions {
    private ClusterAssertions() {}

    /** All that was asked for is done in time. */
    static void finish(TestCluster cluster, long millis) {
        assertThat(cluster.runUntilDone(millis)).as(cluster::toString).isTrue();
    }

    /** All have executed the same, and nobody is accused. */
    static void allEqual(TestCluster cluster) {
        cluster.run(3_000);
        for (TestCluster.Node node : cluster.nodes) {
            assertThat(node.application.journal())
                    .as(cluster::toString)
                    .isEqualTo(cluster.nodes.getFirst().application.journal());
            assertThat(node.evidence).isEmpty();
        }
    }
}
