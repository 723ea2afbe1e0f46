package io.bulwark.client;

import io.bulwark.protocol.cluster.ClusterMap;
import io.bulwark.protocol.id.PrincipalId;
import io.bulwark.protocol.wire.Message;
import java.time.Duration;
import java.util.Set;
import java.util.SortedMap;
import java.util.function.Function;
import org.jspecify.annotations.NullMarked;

/** An operator who waits for the end of a revocation, for tests of what nodes answer him. */
@NullMarked
public final class WaitingOperator {
    private WaitingOperator() {}

    /** Returns when {@code principal revoke} would. */
    public static void await(
            ClusterMap map, PrincipalId revoked, Function<Set<PrincipalId>, SortedMap<PrincipalId, Message>> asking) {
        RevocationWaiter.NodePoll atOnce = new RevocationWaiter.NodePoll() {
            @Override
            public SortedMap<PrincipalId, Message> ask(Set<PrincipalId> nodes) {
                return asking.apply(nodes);
            }

            @Override
            public void pause() {}
        };
        new RevocationWaiter(atOnce, revoked).await(() -> map, Set::of, Duration.ofSeconds(60), _ -> {});
    }
}
