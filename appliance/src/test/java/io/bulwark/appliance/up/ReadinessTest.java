package io.bulwark.appliance.up;

import static org.assertj.core.api.Assertions.assertThat;

import io.bulwark.client.ClusterStatus;
import java.time.Duration;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.stream.IntStream;
import java.util.stream.Stream;
import org.jspecify.annotations.NullMarked;
import org.junit.jupiter.api.Test;

/** Tests of the members for which an appliance waits. */
@NullMarked
class ReadinessTest {
    private static ClusterStatus status(Stream<ClusterStatus.ReplicaStatus> replicas) {
        ClusterStatus.Background idle = new ClusterStatus.Background(0, 0, 0, 0);
        return new ClusterStatus(
                IntStream.range(0, 4)
                        .mapToObj(node -> new ClusterStatus.NodeStatus(
                                node,
                                "nowhere",
                                true,
                                "ok",
                                0,
                                0,
                                0,
                                0,
                                idle,
                                0,
                                0,
                                List.of(),
                                Optional.empty(),
                                Map.of()))
                        .toList(),
                replicas.toList(),
                List.of(),
                List.of(),
                List.of(),
                new ClusterStatus.Recoveries(Duration.ZERO, Duration.ZERO, Optional.empty(), List.of()));
    }

    private static ClusterStatus.ReplicaStatus replica(int number, boolean answers) {
        return new ClusterStatus.ReplicaStatus(number, "nowhere", answers, 0, true, Optional.empty());
    }

    @Test
    void whoDoesNotAnswerIsNamed() {
        assertThat(Readiness.missing(
                        status(IntStream.range(0, 4).mapToObj(number -> replica(number, number != 2))), 4, 4))
                .containsExactly(Map.entry("replica-2", "it does not answer yet"));
        assertThat(Readiness.missing(status(IntStream.range(0, 4).mapToObj(number -> replica(number, true))), 4, 4))
                .isEmpty();
    }

    @Test
    void replicasThatWereRemovedOrRunElsewhereAreNotWaitedFor() {
        assertThat(Readiness.missing(
                        status(Stream.of(replica(0, true), replica(1, true), replica(4, false), replica(3, true))),
                        4,
                        4))
                .isEmpty();
        assertThat(Readiness.missing(status(IntStream.range(0, 7).mapToObj(number -> replica(number, true))), 4, 4))
                .isEmpty();
    }
}
