package io.bulwark.appliance.cluster;

import static org.assertj.core.api.Assertions.assertThat;

import io.bulwark.metadata.ReplicaServer;
import io.bulwark.metadata.ReplicaStatus;
import io.bulwark.protocol.ordering.Phase;
import io.micrometer.core.instrument.simple.SimpleMeterRegistry;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.util.Optional;
import org.jspecify.annotations.NullMarked;
import org.junit.jupiter.api.Test;

/** Tests of a replica's readiness. */
@NullMarked
class RunningReplicaTest {
    private record Told(ReplicaStatus status) implements ReplicaServer {
        @Override
        public InetSocketAddress address() {
            return new InetSocketAddress(InetAddress.getLoopbackAddress(), 1);
        }

        @Override
        public void close() {}
    }

    private static String problem(Phase phase, String failure, String waiting) {
        ReplicaStatus status = new ReplicaStatus(2, phase, 0, 3, 7, 0, false, failure, waiting, Optional.empty());
        return new RunningReplica("replica-2", new Told(status), () -> {}, new SimpleMeterRegistry()).problem();
    }

    @Test
    void whoWaitsForOthersIsNotReadyAndSaysForWhat() {
        assertThat(problem(Phase.RUNNING, "", "")).isEmpty();
        assertThat(problem(Phase.FOLLOWING, "", "")).isEqualTo("it is following, 7 batches behind its peers");
        assertThat(problem(Phase.FOLLOWING, "", "hears nothing")).isEqualTo("it hears nothing");
        assertThat(problem(Phase.RUNNING, "", "hears nothing")).isEqualTo("it hears nothing");
        assertThat(problem(Phase.FOLLOWING, "its disk is full", "hears nothing"))
                .isEqualTo("its disk is full");
    }
}
