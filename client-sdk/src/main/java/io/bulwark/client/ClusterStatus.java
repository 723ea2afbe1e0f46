package io.bulwark.client;

import io.bulwark.protocol.effect.Verdict;
import java.time.Instant;
import java.util.Collections;
import java.util.EnumMap;
import java.util.List;
import java.util.Map;

/** How the cluster is, as far as its members told the client that asked. */
public record ClusterStatus(
        List<NodeStatus> nodes,
        List<ReplicaStatus> replicas,
        List<VolumeStatus> volumes,
        List<BucketInfo> buckets,
        List<Fault> faults) {
    public ClusterStatus {
        nodes = List.copyOf(nodes);
        replicas = List.copyOf(replicas);
        volumes = List.copyOf(volumes);
        buckets = List.copyOf(buckets);
        faults = List.copyOf(faults);
    }

    /**
     * A storage node.
     *
     * @param reachable whether it answered now
     * @param state what it says of itself, or why it did not answer
     * @param usedBytes of its fragments; 0 if it did not answer
     * @param freeBytes of its disk; 0 if it did not answer
     * @param pending blocks that it knows it must still complete or repair; 0 if it did not answer
     * @param seen how often each verdict about it was met by this client's operations, by its peers and by itself
     */
    public record NodeStatus(
            int node,
            String address,
            boolean reachable,
            String state,
            long usedBytes,
            long freeBytes,
            long pending,
            Map<Verdict, Long> seen) {
        public NodeStatus {
            EnumMap<Verdict, Long> copy = new EnumMap<>(Verdict.class);
            copy.putAll(seen);
            seen = Collections.unmodifiableMap(copy);
        }
    }

    /**
     * A metadata replica.
     *
     * @param reachable whether it answered now
     * @param applied how many commands it has executed
     * @param agrees whether it has the state that the cluster agreed on, or is only behind it
     */
    public record ReplicaStatus(int replica, String address, boolean reachable, long applied, boolean agrees) {}

    /**
     * A volume, and how many more nodes of any of its groups may fail now without loss or standstill.
     *
     * @param policyFaults f of its policy
     * @param moreFaults f less the nodes of its worst group that do not answer or have blocks to complete or repair;
     *     negative if more are faulty than the policy covers
     */
    public record VolumeStatus(VolumeInfo volume, int policyFaults, int moreFaults) {}

    /**
     * What f+1 nodes say of another: the record, where a single client's verdict is a hint.
     *
     * @param block for people
     */
    public record Fault(long number, int node, String block, Verdict verdict, Instant at, String detail) {}
}
