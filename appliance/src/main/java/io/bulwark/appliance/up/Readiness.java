package io.bulwark.appliance.up;

import io.bulwark.client.Bulwark;
import io.bulwark.client.ClusterStatus;
import io.bulwark.client.error.BulwarkException;
import java.io.IOException;
import java.util.List;

/** Waits until every member answers. */
final class Readiness {
    private static final long WAIT_NANOS_MAX = 120_000_000_000L;

    private Readiness() {}

    static void await(Bulwark client, int nodes, int replicas) throws IOException, InterruptedException {
        long end = System.nanoTime() + WAIT_NANOS_MAX;
        String last = "";
        while (System.nanoTime() < end) {
            try {
                ClusterStatus status = client.status();
                // Those of this appliance; some may have been removed, and others added that run elsewhere.
                List<ClusterStatus.NodeStatus> own = status.nodes().stream()
                        .filter(node -> node.node() < nodes)
                        .toList();
                long upNodes =
                        own.stream().filter(ClusterStatus.NodeStatus::reachable).count();
                long upReplicas = status.replicas().stream()
                        .filter(ClusterStatus.ReplicaStatus::reachable)
                        .count();
                if (upNodes == own.size() && upReplicas == replicas) {
                    return;
                }
                last = upNodes + " of " + own.size() + " nodes and " + upReplicas + " of " + replicas
                        + " replicas answer";
            } catch (BulwarkException e) {
                last = String.valueOf(e.getMessage());
            }
            Thread.sleep(100);
        }
        throw new IOException("the cluster does not come up: " + last);
    }
}
