package io.bulwark.appliance.up;

import io.bulwark.client.Bulwark;
import io.bulwark.client.ClusterStatus;
import io.bulwark.client.error.BulwarkException;
import java.io.IOException;
import java.util.Collections;
import java.util.List;

/** Waits until every member of this appliance answers. */
final class Readiness {
    private static final long WAIT_NANOS_MAX = 120_000_000_000L;

    private Readiness() {}

    static void await(Bulwark client, int nodes, int replicas) throws IOException, InterruptedException {
        long end = System.nanoTime() + WAIT_NANOS_MAX;
        String last = "";
        while (System.nanoTime() < end) {
            try {
                last = missing(client.status(), nodes, replicas);
                if (last.isEmpty()) {
                    return;
                }
            } catch (BulwarkException e) {
                last = String.valueOf(e.getMessage());
            }
            Thread.sleep(100);
        }
        throw new IOException("the cluster does not come up: " + last);
    }

    /** Of those that the appliance began with; some may have been removed, and others added that run elsewhere. Empty if all answer. */
    static String missing(ClusterStatus status, int nodes, int replicas) {
        List<Boolean> ownNodes = status.nodes().stream()
                .filter(node -> node.node() < nodes)
                .map(ClusterStatus.NodeStatus::reachable)
                .toList();
        List<Boolean> ownReplicas = status.replicas().stream()
                .filter(replica -> replica.replica() < replicas)
                .map(ClusterStatus.ReplicaStatus::reachable)
                .toList();
        return ownNodes.contains(false) || ownReplicas.contains(false)
                ? up(ownNodes) + " nodes and " + up(ownReplicas) + " replicas answer"
                : "";
    }

    private static String up(List<Boolean> members) {
        return Collections.frequency(members, true) + " of " + members.size();
    }
}
