package io.bulwark.protocol.ordering.replica;

import io.bulwark.protocol.ordering.message.ReplicaMessage;
import io.bulwark.protocol.ordering.message.ReplicaMessage.PrePrepare;
import java.util.ArrayList;
import java.util.HashSet;
import java.util.List;
import java.util.Set;
import org.jspecify.annotations.NullMarked;

/** Links over which each batch takes some time: to each replica one at a time, and none twice while it is on its way. */
@NullMarked
final class SlowLinks implements TestCluster.Wire {
    /** Time that one batch takes. */
    static final long BATCH_MILLIS = 4;

    private final TestCluster cluster;
    private final long[] freeMillis;
    private final List<Set<Long>> onTheWay = new ArrayList<>();

    SlowLinks(TestCluster cluster) {
        this.cluster = cluster;
        freeMillis = new long[cluster.nodes.size()];
        cluster.nodes.forEach(_ -> onTheWay.add(new HashSet<>()));
    }

    @Override
    public List<ReplicaMessage> carry(int from, int to, ReplicaMessage message) {
        if (!(message instanceof PrePrepare proposal)) {
            return List.of(message);
        }
        if (onTheWay.get(to).add(proposal.sequence())) {
            freeMillis[to] = Math.max(freeMillis[to], cluster.nowMillis) + BATCH_MILLIS;
            cluster.at(freeMillis[to] - cluster.nowMillis, () -> {
                onTheWay.get(to).remove(proposal.sequence());
                cluster.send(from, to, proposal);
            });
        }
        return List.of();
    }
}
