package io.bulwark.console;

import io.bulwark.client.BucketInfo;
import io.bulwark.client.ClusterStatus;
import io.bulwark.protocol.cluster.ProtectionPolicy;
import java.time.Duration;
import java.time.Instant;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.Optional;
import java.util.TreeMap;
import org.jspecify.annotations.Nullable;

/**
 * The cluster's status as JSON shows it; sizes in bytes, times in milliseconds since 1970, durations in milliseconds.
 *
 * @param replicaFaults f of the replicas
 * @param replicaFaultsLeft how many more of them may fail now; negative if more have than f
 */
public record StatusView(
        List<Node> nodes,
        List<Replica> replicas,
        int replicaFaults,
        int replicaFaultsLeft,
        List<Volume> volumes,
        List<Bucket> buckets,
        List<Fault> faults,
        List<EventLog> eventLogs,
        Recoveries recoveries,
        OpenLogs logs) {

    /**
     * Logs of clients with locks, whose operations are not all ordered yet.
     *
     * @param locks of all of them
     * @param oldestMillis time since the lock of the oldest one was given
     */
    public record OpenLogs(int logs, int locks, long oldestMillis) {}

    /**
     * JSON form of the event log of a bucket.
     *
     * @param pending events that no webhook has received yet
     * @param dropped events that no webhook will receive, since the log was full
     * @param oldestMillis time of the first pending event; null if there is none
     */
    public record EventLog(
            String bucket,
            int pending,
            long dropped,
            @Nullable Long oldestMillis) {}

    /**
     * JSON form of a storage node.
     *
     * @param pending blocks that it must still complete or repair
     * @param lacking extents of the archive class that wait for dissemination to it
     * @param looked fragments re-read and checked in the background since it started, and blocks that its peers were
     *     asked about
     * @param foundBad of these damaged, missing or outdated
     * @param repaired of these repaired
     * @param idleMillis how long it did such work while no client sent requests
     * @param historyPoolBytes limit for unverified versions of volumes under PASIS
     * @param historyPoolNeededBytes the least that this limit should be; 0 if it is enough, or the node did not report
     *     it
     * @param unverified names of volumes that it has not fully checked since it started recently
     * @param rebuild its rebuild progress; null if it rebuilds nothing and knows of nothing to rebuild, or did not
     *     report it
     * @param seen how often the console, its peers and the node itself recorded each verdict about it
     */
    public record Node(
            int number,
            String address,
            boolean reachable,
            String state,
            long usedBytes,
            long freeBytes,
            long pending,
            long lacking,
            long looked,
            long foundBad,
            long repaired,
            long idleMillis,
            long historyPoolBytes,
            long historyPoolNeededBytes,
            List<String> unverified,
            @Nullable Rebuild rebuild,
            Map<String, Long> seen) {}

    /**
     * Rebuild progress of a node.
     *
     * @param madeBytes since the node started
     * @param bytesPerSecond within the last ten seconds
     * @param limitBytesPerSecond its {@code rebuild-rate}
     * @param leftBytes approximately how many bytes fewer it stores than the other nodes on average
     * @param remainingMillis estimated time at the rate of the last ten seconds; null if nothing was rebuilt in them
     */
    public record Rebuild(
            long madeBytes,
            long bytesPerSecond,
            long limitBytesPerSecond,
            long leftBytes,
            @Nullable Long remainingMillis) {
        static Rebuild of(ClusterStatus.Rebuild told) {
            return new Rebuild(
                    told.madeBytes(),
                    told.bytesPerSecond(),
                    told.limitBytesPerSecond(),
                    told.leftBytes(),
                    told.remaining().map(Duration::toMillis).orElse(null));
        }
    }

    /**
     * JSON form of a metadata replica.
     *
     * @param leader number of the replica that leads, by its own report; null if it reports none
     * @param view number of its view, by its own report; null if it reports none
     */
    public record Replica(
            int number,
            String address,
            boolean reachable,
            long applied,
            boolean agrees,
            @Nullable Integer leader,
            @Nullable Long view) {
        static Replica of(ClusterStatus.ReplicaStatus told) {
            Integer leader = told.ordering().map(ClusterStatus.Ordering::leader).orElse(null);
            Long view = told.ordering()
                    .filter(ordering -> ordering.view().isPresent())
                    .map(ordering -> ordering.view().getAsLong())
                    .orElse(null);
            return new Replica(
                    told.replica(), told.address(), told.reachable(), told.applied(), told.agrees(), leader, view);
        }
    }

    /**
     * JSON form of a volume.
     *
     * @param policy its protocol and numbers, readable
     * @param unverified versions that nodes hold unverified, counted at each node; 0 except under PASIS, as is all that
     *     follows
     * @param poolBytes what these take of the nodes' history pools
     * @param faultsLeft lower bound for the further nodes of its worst group that may fail now; negative if more than f
     *     have failed
     * @param faultsLeftAtMost the same without counting, in any group, nodes that are unverified or have blocks to
     *     complete or repair
     * @param unverifiedNodes nodes that do not know yet whether they hold everything that they should hold of it
     * @param leastFaults the least f of its policy and of the older ones
     * @param older policies of before, under which something is left
     */
    public record Volume(
            String name,
            String kind,
            String protocol,
            String verification,
            String policy,
            int f,
            int m,
            int n,
            int blockBytes,
            long blocks,
            int faultsLeft,
            int faultsLeftAtMost,
            List<Integer> unverifiedNodes,
            long unverified,
            long poolBytes,
            long verifications,
            long onDemand,
            long cooperative,
            long avoided,
            long poisonous,
            long refused,
            int leastFaults,
            List<OlderPolicy> older) {}

    /**
     * Policy that a volume had.
     *
     * @param extents blocks that still stand under it
     */
    public record OlderPolicy(String policy, int f, int m, int n, long extents) {
        public static OlderPolicy of(ClusterStatus.OlderPolicy older) {
            ProtectionPolicy policy = older.policy();
            return new OlderPolicy(policy.text(), policy.f(), policy.m(), policy.n(), older.extents());
        }
    }

    /** A bucket. */
    public record Bucket(String name, String volume, boolean versions, long objects, long bytes) {}

    /**
     * Fault of a node that f+1 other nodes report.
     *
     * @param number of the record, for {@code bulwark evidence show}
     */
    public record Fault(long number, String node, String block, String verdict, String detail, long lastMillis) {}

    /**
     * State of the proactive recovery of the replicas.
     *
     * @param periodMillis T_w; 0 if replicas do not recover
     * @param windowMillis the bound on the window of vulnerability; null while some replica of the genesis has never
     *     recovered
     * @param unbounded readable reason why there is no bound yet; null if there is one
     */
    public record Recoveries(
            long periodMillis,
            long oldestKeyMillis,
            @Nullable Long windowMillis,
            @Nullable String unbounded,
            List<Recovery> replicas) {}

    /**
     * Recovery of a replica: it reports phase and steps itself, and f+1 others report the rest.
     *
     * @param lastMillis when the last one was ordered; null if there was none
     * @param joinedMillis when it replaced another replica or was added, if it has not recovered since; else null
     * @param steps of the recovery in this life; null if there is none
     */
    public record Recovery(
            int number,
            String phase,
            boolean forgotten,
            @Nullable Long lastMillis,
            @Nullable Long joinedMillis,
            boolean open,
            boolean slow,
            boolean overdue,
            @Nullable Steps steps) {}

    /** Time from the beginning until each step was done; null before. */
    public record Steps(
            long agoMillis,
            @Nullable Long estimatedMillis,
            @Nullable Long answeredMillis,
            @Nullable Long checkedMillis,
            @Nullable Long recoveredMillis,
            long checkedPages,
            long damagedPages) {}

    public static StatusView of(ClusterStatus status) {
        int replicaFaults = status.replicas().size() / 3;
        long failed = status.replicas().stream()
                .filter(replica -> !replica.reachable() || !replica.agrees())
                .count();
        return new StatusView(
                status.nodes().stream().map(StatusView::node).toList(),
                status.replicas().stream().map(Replica::of).toList(),
                replicaFaults,
                replicaFaults - (int) failed,
                status.volumes().stream().map(StatusView::volume).toList(),
                status.buckets().stream().map(StatusView::bucket).toList(),
                status.faults().stream()
                        .map(f -> new Fault(
                                f.number(),
                                "node-" + f.node(),
                                f.block(),
                                f.verdict().text(),
                                f.detail(),
                                f.at().toEpochMilli()))
                        .toList(),
                status.eventLogs().stream()
                        .map(log -> new EventLog(
                                log.bucket(),
                                log.pending(),
                                log.dropped(),
                                log.oldest().map(Instant::toEpochMilli).orElse(null)))
                        .toList(),
                recoveries(status.recoveries()),
                new OpenLogs(
                        status.logs().logs(),
                        status.logs().locks(),
                        status.logs().oldest().toMillis()));
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
                node.lacking(),
                node.background().looked(),
                node.background().foundBad(),
                node.background().repaired(),
                node.background().idleMillis(),
                node.historyPoolBytes(),
                node.historyPoolNeededBytes(),
                node.unverified(),
                node.rebuild().map(Rebuild::of).orElse(null),
                seen);
    }

    private static Volume volume(ClusterStatus.VolumeStatus status) {
        var policy = status.volume().policy();
        ClusterStatus.Versions sum =
                status.versions().values().stream().reduce(ClusterStatus.Versions.ZERO, ClusterStatus.Versions::plus);
        return new Volume(
                status.volume().name(),
                status.volume().kind().name().toLowerCase(Locale.ROOT),
                policy.protocol().text(),
                policy.verification().text(),
                policy.text(),
                policy.f(),
                policy.m(),
                policy.n(),
                policy.blockBytes(),
                status.volume().blocks(),
                status.moreFaults(),
                status.moreFaultsAtMost(),
                status.unverified(),
                sum.unverified(),
                sum.poolBytes(),
                sum.verifications(),
                sum.onDemand(),
                sum.cooperative(),
                sum.avoided(),
                sum.poisonous(),
                sum.refused(),
                status.policyFaults(),
                status.older().stream().map(OlderPolicy::of).toList());
    }

    private static Recoveries recoveries(ClusterStatus.Recoveries recoveries) {
        return new Recoveries(
                recoveries.period().toMillis(),
                recoveries.oldestKey().toMillis(),
                millis(recoveries.window()),
                recoveries.window().isPresent() ? null : unbounded(recoveries.replicas()),
                recoveries.replicas().stream().map(StatusView::recovery).toList());
    }

    private static String unbounded(List<ClusterStatus.Recovery> replicas) {
        List<String> names = replicas.stream()
                .filter(each -> each.last().isEmpty() && each.joined().isEmpty())
                .map(each -> "replica-" + each.replica())
                .toList();
        String who = names.isEmpty() || names.size() == replicas.size()
                ? "each replica has"
                : String.join(", ", names) + (names.size() == 1 ? " has" : " have");
        return "no bound before " + who + " recovered once";
    }

    private static Recovery recovery(ClusterStatus.Recovery recovery) {
        return new Recovery(
                recovery.replica(),
                recovery.phase(),
                recovery.forgotten(),
                recovery.last().map(Instant::toEpochMilli).orElse(null),
                recovery.joined().map(Instant::toEpochMilli).orElse(null),
                recovery.open(),
                recovery.slow(),
                recovery.overdue(),
                recovery.steps().map(StatusView::steps).orElse(null));
    }

    private static Steps steps(ClusterStatus.Steps steps) {
        return new Steps(
                steps.ago().toMillis(),
                millis(steps.estimated()),
                millis(steps.answered()),
                millis(steps.checked()),
                millis(steps.recovered()),
                steps.checkedPages(),
                steps.damagedPages());
    }

    private static @Nullable Long millis(Optional<Duration> duration) {
        return duration.map(Duration::toMillis).orElse(null);
    }

    private static Bucket bucket(BucketInfo bucket) {
        return new Bucket(bucket.name(), bucket.volume(), bucket.keepsVersions(), bucket.objects(), bucket.bytes());
    }
}
