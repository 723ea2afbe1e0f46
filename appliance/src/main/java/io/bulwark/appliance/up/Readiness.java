package io.bulwark.appliance.up;

import io.bulwark.client.ClusterStatus;
import java.util.SortedMap;
import java.util.TreeMap;

/** Members of this appliance that do not answer yet. */
final class Readiness {
    private static final String SILENT = "it does not answer yet";

    private Readiness() {}

    /**
     * Returns the initial members of the appliance that do not answer; empty if all answer. Members may have been
     * removed since, and others added that run elsewhere.
     */
    static SortedMap<String, String> missing(ClusterStatus status, int nodes, int replicas) {
        SortedMap<String, String> missing = new TreeMap<>();
        status.nodes().stream()
                .filter(node -> node.node() < nodes && !node.reachable())
                .forEach(node -> missing.put("node-" + node.node(), SILENT));
        status.replicas().stream()
                .filter(replica -> replica.replica() < replicas && !replica.reachable())
                .forEach(replica -> missing.put("replica-" + replica.replica(), SILENT));
        return missing;
    }
}
