package io.bulwark.console;

import io.bulwark.client.BucketInfo;
import io.bulwark.client.ClusterStatus;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.TreeMap;

/** The cluster's status as JSON shows it; sizes in bytes, times in milliseconds since 1970. */
public record StatusView(
        List<Node> nodes, List<Replica> replicas, List<Volume> volumes, List<Bucket> buckets, List<Fault> faults) {

    /**
     * A storage node.
     *
     * @param pending blocks that it must still complete or repair
     * @param seen how often each verdict about it was met by the console, by its peers and by itself
     */
    public record Node(
            int number,
            String address,
            boolean reachable,
            String state,
            long usedBytes,
            long freeBytes,
            long pending,
            Map<String, Long> seen) {}

    /** A metadata replica. */
    public record Replica(int number, String address, boolean reachable, long applied, boolean agrees) {}

    /**
     * A volume.
     *
     * @param faultsLeft how many more nodes of its worst group may fail now
     */
    public record Volume(String name, String kind, int f, int m, int n, int blockBytes, long blocks, int faultsLeft) {}

    /** A bucket. */
    public record Bucket(String name, String volume, boolean versions, long objects, long bytes) {}

    /** What f+1 nodes say of another. */
    public record Fault(String node, String block, String verdict, String detail, long lastMillis) {}

    public static StatusView of(ClusterStatus status) {
        return new StatusView(
                status.nodes().stream().map(StatusView::node).toList(),
                status.replicas().stream()
                        .map(r -> new Replica(r.replica(), r.address(), r.reachable(), r.applied(), r.agrees()))
                        .toList(),
                status.volumes().stream().map(StatusView::volume).toList(),
                status.buckets().stream().map(StatusView::bucket).toList(),
                status.faults().stream()
                        .map(f -> new Fault(
                                "node-" + f.node(), f.block(), f.verdict().text(), f.detail(), f.at().toEpochMilli()))
                        .toList());
    }

    private static Node node(ClusterStatus.NodeStatus node) {
        Map<String, Long> seen = new TreeMap<>();
        node.seen().forEach((verdict, count) -> seen.put(verdict.text(), count));
        return new Node(
                node.node(),
                node.address(),
                node.reachable(),
                node.state(),
                node.usedBytes(),
                node.freeBytes(),
                node.pending(),
                seen);
    }

    private static Volume volume(ClusterStatus.VolumeStatus status) {
        var policy = status.volume().policy();
        return new Volume(
                status.volume().name(),
                status.volume().kind().name().toLowerCase(Locale.ROOT),
                policy.f(),
                policy.m(),
                policy.n(),
                policy.blockBytes(),
                status.volume().blocks(),
                status.moreFaults());
    }

    private static Bucket bucket(BucketInfo bucket) {
        return new Bucket(bucket.name(), bucket.volume(), bucket.keepsVersions(), bucket.objects(), bucket.bytes());
    }
}
