package io.bulwark.client;

import io.bulwark.protocol.cluster.ProtectionPolicy;
import io.bulwark.protocol.effect.Verdict;
import io.bulwark.protocol.metadata.NodeFault;
import java.time.Duration;
import java.time.Instant;
import java.util.Collections;
import java.util.Comparator;
import java.util.EnumMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.OptionalInt;
import java.util.OptionalLong;
import java.util.SortedMap;
import java.util.TreeMap;

/**
 * Status of the cluster, as its members reported it to the client that asked.
 *
 * @param eventLogs of buckets that notify webhooks
 * @param recoveries state of the proactive recovery of the replicas
 * @param logs those of clients with locks
 * @param faultyNodes nodes that f + 1 holders of one of their groups find faulty
 */
public record ClusterStatus(
        List<NodeStatus> nodes,
        List<ReplicaStatus> replicas,
        List<VolumeStatus> volumes,
        List<BucketInfo> buckets,
        List<Fault> faults,
        List<EventLogs.EventLog> eventLogs,
        Recoveries recoveries,
        OpenLogs logs,
        List<NodeFault> faultyNodes) {
    public ClusterStatus {
        nodes = List.copyOf(nodes);
        replicas = List.copyOf(replicas);
        volumes = List.copyOf(volumes);
        buckets = List.copyOf(buckets);
        faults = List.copyOf(faults);
        eventLogs = List.copyOf(eventLogs);
        faultyNodes = List.copyOf(faultyNodes);
    }

    /** Creates the status of a cluster without event logs, locks and faulty nodes. */
    public ClusterStatus(
            List<NodeStatus> nodes,
            List<ReplicaStatus> replicas,
            List<VolumeStatus> volumes,
            List<BucketInfo> buckets,
            List<Fault> faults,
            Recoveries recoveries) {
        this(
                nodes,
                replicas,
                volumes,
                buckets,
                faults,
                List.of(),
                recoveries,
                new OpenLogs(0, 0, Duration.ZERO),
                List.of());
    }

    /**
     * Logs of clients with locks, whose operations are not all ordered yet.
     *
     * @param locks of all of them
     * @param oldest time since the lock of the oldest one was given
     */
    public record OpenLogs(int logs, int locks, Duration oldest) {}

    /**
     * Status of a storage node.
     *
     * @param reachable whether it answered now
     * @param state its own report, or why it did not answer
     * @param usedBytes of its fragments; 0 if it did not answer
     * @param freeBytes of its disk, beyond its reserve for deletions; 0 while it refuses writes, or if it did not
     *     answer
     * @param pending blocks that it knows it must still complete or repair; 0 if it did not answer
     * @param lacking extents of the archive class that it lacks and that wait for dissemination; 0 if it did not answer
     * @param background its background work; zeros if it did not answer
     * @param historyPoolBytes limit for unverified versions of all volumes; 0 if it did not answer
     * @param historyPoolNeededBytes the limit that gives all clients that may write now room for a few versions of
     *     recently written volumes (within the last minute). It is 0 if it is enough, or the node did not report it
     * @param unverified names of volumes for which it has not yet compared, since it started, what it holds with what
     *     it should hold
     * @param rebuild its rebuild progress; empty if it rebuilds nothing and knows of nothing to rebuild, or did not
     *     report it
     * @param seen how often this client's operations, the node's peers and the node itself met each verdict about it
     */
    public record NodeStatus(
            int node,
            String address,
            boolean reachable,
            String state,
            long usedBytes,
            long freeBytes,
            long pending,
            long lacking,
            Background background,
            long historyPoolBytes,
            long historyPoolNeededBytes,
            List<String> unverified,
            Optional<Rebuild> rebuild,
            Map<Verdict, Long> seen) {
        public NodeStatus {
            EnumMap<Verdict, Long> copy = new EnumMap<>(Verdict.class);
            copy.putAll(seen);
            unverified = List.copyOf(unverified);
            seen = Collections.unmodifiableMap(copy);
        }
    }

    /**
     * Progress of a node in rebuilding fragments that it lacks or found corrupt.
     *
     * @param madeBytes since it started
     * @param bytesPerSecond within the last ten seconds
     * @param limitBytesPerSecond its {@code rebuild-rate}
     * @param leftBytes approximately how many bytes fewer it stores than the other nodes on average; it learns what it
     *     lacks only during the rebuild
     */
    public record Rebuild(long madeBytes, long bytesPerSecond, long limitBytesPerSecond, long leftBytes) {
        /**
         * Returns the estimated remaining time at the rate of the last ten seconds; empty if nothing was rebuilt in
         * them.
         */
        public Optional<Duration> remaining() {
            return bytesPerSecond == 0 ? Optional.empty() : Optional.of(Duration.ofSeconds(leftBytes / bytesPerSecond));
        }
    }

    /**
     * Background work of a node since it started.
     *
     * @param looked fragments re-read and checked, and blocks about which it asked its peers
     * @param foundBad of these damaged, missing or behind
     * @param repaired of these repaired
     * @param idleMillis duration of this work while no client request was pending
     */
    public record Background(long looked, long foundBad, long repaired, long idleMillis) {
        static final Background NONE = new Background(0, 0, 0, 0);
    }

    /**
     * Status of a metadata replica.
     *
     * @param reachable whether it answered now
     * @param applied how many commands it has executed
     * @param agrees whether it has the state that the cluster agreed on, or is only behind it
     * @param ordering its own report on who leads; empty if it did not answer or knows of no leader
     */
    public record ReplicaStatus(
            int replica,
            String address,
            boolean reachable,
            long applied,
            boolean agrees,
            Optional<Ordering> ordering) {}

    /**
     * Ordering as one replica sees it.
     *
     * @param leader number of the replica that leads
     * @param view number of the view; empty if its engine counts none
     */
    public record Ordering(int leader, OptionalLong view) {}

    /** Returns the leader that at least f+1 replicas report; empty if no f+1 report the same. */
    public OptionalInt agreedLeader() {
        int enough = (replicas.size() - 1) / 3 + 1;
        Map<Integer, Integer> votes = new TreeMap<>();
        replicas.forEach(
                replica -> replica.ordering().ifPresent(ordering -> votes.merge(ordering.leader(), 1, Integer::sum)));
        return votes.entrySet().stream()
                .filter(vote -> vote.getValue() >= enough)
                .mapToInt(Map.Entry::getKey)
                .findFirst();
    }

    /** Returns how many commands at least f+1 replicas have executed. */
    public long agreedApplied() {
        List<Long> applied = replicas.stream()
                .filter(ReplicaStatus::reachable)
                .map(ReplicaStatus::applied)
                .sorted(Comparator.reverseOrder())
                .toList();
        int enough = (replicas.size() - 1) / 3 + 1;
        return applied.size() < enough ? 0 : applied.get(enough - 1);
    }

    /**
     * State of the proactive recovery of the replicas (proactive recovery paper, sections 4.4 and 4.7). At least f+1
     * replicas report each statement about all replicas, and each statement of others about one replica.
     *
     * @param period T_w, between two recoveries of one replica; zero if replicas do not recover
     * @param oldestKey age of the oldest session key in force
     * @param window a bound on the window of vulnerability: the replicas keep their promise as long as at most f of
     *     them become faulty within it. Empty while some replica of the genesis has never recovered
     * @param replicas by number
     */
    public record Recoveries(Duration period, Duration oldestKey, Optional<Duration> window, List<Recovery> replicas) {
        public Recoveries {
            replicas = List.copyOf(replicas);
        }
    }

    /**
     * The recovery of one replica.
     *
     * @param phase its own phase as it reports it; {@code unknown} if it did not answer
     * @param forgotten whether it recovers because its promises were lost
     * @param steps its report of its own recovery, in progress or the last since it started
     * @param last when the last one was ordered, by the others' report
     * @param joined when it replaced another replica or was added, by the others' report, if it has not recovered since
     * @param open whether the others wait for its end
     * @param slow whether the others report that it exceeds its time
     * @param overdue whether the others report that the next one is overdue
     */
    public record Recovery(
            int replica,
            String phase,
            boolean forgotten,
            Optional<Steps> steps,
            Optional<Instant> last,
            Optional<Instant> joined,
            boolean open,
            boolean slow,
            boolean overdue) {}

    /**
     * The steps of a recovery: the time from its beginning to each completed step.
     *
     * @param ago how long ago it began
     * @param estimated it had estimated how far it may have got before
     * @param answered 2f+1 had answered its request
     * @param checked its state was checked, page by page
     * @param recovered it had reached the recovery point, and was done
     * @param checkedPages of its state
     * @param damagedPages of these corrupt or missing, and replaced
     */
    public record Steps(
            Duration ago,
            Optional<Duration> estimated,
            Optional<Duration> answered,
            Optional<Duration> checked,
            Optional<Duration> recovered,
            long checkedPages,
            long damagedPages) {}

    /**
     * A volume, and how many more nodes of any of its groups may fail now without loss or standstill.
     *
     * @param policyFaults f of its policy; the least of the policies under which something is stored
     * @param moreFaults f less the faulty nodes of its worst group. Faulty are nodes that do not answer, take no
     *     writes, have pending blocks, are unverified, or took their slot recently. It is negative if more are faulty
     *     than the policy covers
     * @param moreFaultsAtMost the same without those that are unverified or have pending blocks (to complete or
     *     repair). These are known only for the volume as a whole, so the truth lies between the two while slots move
     *     or nodes come back
     * @param unverified nodes that started recently and do not know yet whether they hold everything that they should
     *     hold of it
     * @param versions what each node that answered holds of it and has verified, by node; empty unless it is under
     *     PASIS
     * @param older policies of before under which something is left, the oldest first
     */
    public record VolumeStatus(
            VolumeInfo volume,
            int policyFaults,
            int moreFaults,
            int moreFaultsAtMost,
            List<Integer> unverified,
            SortedMap<Integer, Versions> versions,
            List<OlderPolicy> older) {
        public VolumeStatus {
            unverified = List.copyOf(unverified);
            older = List.copyOf(older);
            versions = Collections.unmodifiableSortedMap(new TreeMap<>(versions));
        }

        /** Status of a volume with nothing under another policy. */
        public VolumeStatus(
                VolumeInfo volume,
                int policyFaults,
                int moreFaults,
                int moreFaultsAtMost,
                List<Integer> unverified,
                SortedMap<Integer, Versions> versions) {
            this(volume, policyFaults, moreFaults, moreFaultsAtMost, unverified, versions, List.of());
        }
    }

    /**
     * Policy that a volume had, and what still stands under it.
     *
     * @param extents blocks that objects and uploads name
     */
    public record OlderPolicy(ProtectionPolicy policy, long extents) {}

    /**
     * Versions of a volume under PASIS that a node holds, and its verifications since it started (lazy verification
     * paper, section 3).
     *
     * @param unverified versions that are neither verified nor collected
     * @param poolBytes bytes of the history pool that their fragments take
     * @param verifications done by this node, by reading at the others
     * @param onDemand those of them for which a bound, a read or a write waited
     * @param cooperative versions verified by the word of b + 1 others
     * @param avoided versions collected without verification, as a later one was verified
     * @param poisonous versions discarded
     * @param refused writes refused at a bound
     */
    public record Versions(
            long unverified,
            long poolBytes,
            long verifications,
            long onDemand,
            long cooperative,
            long avoided,
            long poisonous,
            long refused) {
        public static final Versions ZERO = new Versions(0, 0, 0, 0, 0, 0, 0, 0);

        public Versions plus(Versions other) {
            return new Versions(
                    unverified + other.unverified,
                    poolBytes + other.poolBytes,
                    verifications + other.verifications,
                    onDemand + other.onDemand,
                    cooperative + other.cooperative,
                    avoided + other.avoided,
                    poisonous + other.poisonous,
                    refused + other.refused);
        }
    }

    /**
     * Fault of a node that f+1 other nodes report: the record, where a single client's verdict is a hint.
     *
     * @param block for people
     */
    public record Fault(long number, int node, String block, Verdict verdict, Instant at, String detail) {}
}
