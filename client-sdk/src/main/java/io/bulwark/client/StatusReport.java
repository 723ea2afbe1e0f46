package io.bulwark.client;

import io.bulwark.client.driver.OperationDriver;
import io.bulwark.client.driver.PeerLinks;
import io.bulwark.client.error.NotPermittedException;
import io.bulwark.client.error.Subject;
import io.bulwark.client.survey.RecoverySurvey;
import io.bulwark.client.survey.Survey;
import io.bulwark.client.text.NodeFaultText;
import io.bulwark.protocol.cluster.ClusterMap;
import io.bulwark.protocol.cluster.NodeAddress;
import io.bulwark.protocol.cluster.PlacementGroup;
import io.bulwark.protocol.cluster.ProtectionPolicy;
import io.bulwark.protocol.cluster.Volume;
import io.bulwark.protocol.cluster.VolumeKind;
import io.bulwark.protocol.control.NodeControlMessage.NodeStatusReply;
import io.bulwark.protocol.control.NodeControlMessage.NodeStatusRequest;
import io.bulwark.protocol.control.NodeControlMessage.PeerVerdict;
import io.bulwark.protocol.control.NodeControlMessage.RebuildReport;
import io.bulwark.protocol.control.NodeControlMessage.VersionsReport;
import io.bulwark.protocol.control.NodeControlMessage.VolumeWork;
import io.bulwark.protocol.effect.Verdict;
import io.bulwark.protocol.id.PrincipalId;
import io.bulwark.protocol.id.PrincipalKind;
import io.bulwark.protocol.metadata.NodeFault;
import io.bulwark.protocol.metadata.Query;
import io.bulwark.protocol.metadata.Reply;
import io.bulwark.protocol.ordering.OrderingMessage;
import io.bulwark.protocol.ordering.RecoveryMessage.StatusAnswer;
import io.bulwark.protocol.ordering.membership.Configuration;
import io.bulwark.protocol.ordering.membership.Member;
import io.bulwark.protocol.wire.MalformedException;
import io.bulwark.protocol.wire.Message;
import java.time.Duration;
import java.time.Instant;
import java.util.ArrayList;
import java.util.EnumMap;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.OptionalLong;
import java.util.Set;
import java.util.SortedMap;
import java.util.SortedSet;
import java.util.TreeMap;
import java.util.TreeSet;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ThreadLocalRandom;
import java.util.stream.Collectors;
import org.jspecify.annotations.Nullable;

/** One report of how the cluster is: what members say of themselves, and what follows for the volumes. */
final class StatusReport {
    private static final long SURVEY_MILLIS = 2_000;

    private final BulwarkClient client;
    private final OperationDriver driver;
    private final PeerLinks links;

    StatusReport(BulwarkClient client, OperationDriver driver, PeerLinks links) {
        this.client = client;
        this.driver = driver;
        this.links = links;
    }

    ClusterStatus take() {
        ClusterMap map = client.refreshMap();
        Configuration group = client.replicasNow();
        Set<PrincipalId> asked =
                map.nodes().stream().map(node -> PrincipalId.node(node.node())).collect(Collectors.toSet());
        CompletableFuture<SortedMap<PrincipalId, Message>> nodes = driver.submit(
                new Survey(asked, new NodeStatusRequest(), NodeStatusReply.class::isInstance, SURVEY_MILLIS));
        CompletableFuture<SortedMap<PrincipalId, Message>> replicas = driver.submit(
                surveyOfReplicas(group, ThreadLocalRandom.current().nextLong()));
        CompletableFuture<SortedMap<PrincipalId, Message>> recoveries =
                driver.submit(RecoverySurvey.of(Set.copyOf(group.replicas()), SURVEY_MILLIS));
        List<BucketInfo> buckets = buckets();
        List<ClusterStatus.Fault> faults = faults();
        List<EventLogs.EventLog> eventLogs = client.eventLogs().list();
        List<NodeFault> faulty = client.faultyNodes().report().faults();
        Map<Integer, NodeFault> named = faulty.stream().collect(Collectors.toMap(NodeFault::node, each -> each));
        Map<Integer, NodeStatusReply> answers = new HashMap<>();
        BulwarkClient.noDeadline()
                .await(nodes, Subject.NONE)
                .forEach((node, reply) -> answers.put(node.number(), (NodeStatusReply) reply));
        SortedMap<PrincipalId, Message> counts = BulwarkClient.noDeadline().await(replicas, Subject.NONE);
        SortedMap<Integer, StatusAnswer> told =
                RecoverySurvey.answers(BulwarkClient.noDeadline().await(recoveries, Subject.NONE));
        Reply.Status counted =
                client.query(Reply.Status.class, new Query.GetStatus(), Subject.NONE, BulwarkClient.noDeadline());
        return new ClusterStatus(
                map.nodes().stream()
                        .map(node -> node(node, map, answers, Optional.ofNullable(named.get(node.node()))))
                        .toList(),
                replicas(group, counts, told),
                map.volumes().stream()
                        .map(volume -> volume(volume, answers, counted))
                        .toList(),
                buckets,
                faults,
                eventLogs,
                RecoveryFacts.summary(
                        group.replicas().stream().map(PrincipalId::number).toList(),
                        group.faulty(),
                        RecoverySurvey.recoveries(told)),
                logs(counted.logs()),
                faulty);
    }

    private static ClusterStatus.OpenLogs logs(Reply.OpenLogs open) {
        return new ClusterStatus.OpenLogs(open.logs(), open.locks(), Duration.ofMillis(open.oldestMillis()));
    }

    /** None for who may not read: the members' state is everybody's to see, so that a console needs no grant. */
    private List<BucketInfo> buckets() {
        try {
            return client.buckets();
        } catch (NotPermittedException e) {
            return List.of();
        }
    }

    /**
     * Surveys the replicas. An answer from an earlier configuration does not count: that replica has not advanced to
     * this one.
     */
    static Survey surveyOfReplicas(Configuration now, long call) {
        Message question = new OrderingMessage.Query(call, new Query.GetStatus().encoded());
        return new Survey(
                Set.copyOf(now.replicas()),
                question,
                message -> message instanceof OrderingMessage.Reply reply
                        && reply.call() == call
                        && Configuration.numberOf(reply.incarnation()) == now.number(),
                SURVEY_MILLIS);
    }

    private ClusterStatus.NodeStatus node(
            NodeAddress node, ClusterMap map, Map<Integer, NodeStatusReply> answers, Optional<NodeFault> named) {
        NodeStatusReply reply = answers.get(node.node());
        PrincipalId id = PrincipalId.node(node.node());
        Map<Verdict, Long> seen = seenOf(node.node(), answers);
        String address = node.host() + ":" + node.port();
        if (reply == null) {
            String state = (links.isDisconnected(id) ? "no connection" : "connected, no answer")
                    + named.map(fault -> "; " + text(fault)).orElse("");
            return new ClusterStatus.NodeStatus(
                    node.node(),
                    address,
                    false,
                    state,
                    0,
                    0,
                    0,
                    0,
                    ClusterStatus.Background.NONE,
                    0,
                    0,
                    List.of(),
                    Optional.empty(),
                    seen);
        }
        long pending =
                reply.volumes().stream().mapToLong(VolumeWork::unfinished).sum();
        List<String> unverified = map.volumes().stream()
                .filter(volume -> isUnverified(node.node(), reply, volume))
                .map(Volume::name)
                .toList();
        return new ClusterStatus.NodeStatus(
                node.node(),
                address,
                true,
                state(reply, pending, unverified, named),
                reply.usedBytes(),
                reply.acceptsWrites() ? reply.freeBytes() : 0,
                pending,
                reply.volumes().stream().mapToLong(VolumeWork::lacking).sum(),
                new ClusterStatus.Background(
                        reply.background().looked(),
                        reply.background().foundBad(),
                        reply.background().repaired(),
                        reply.background().idleMillis()),
                reply.pool().bytes(),
                reply.pool().neededBytes(),
                unverified,
                rebuild(node.node(), answers),
                seen);
    }

    /** Returns the rebuild of a node that has work left or has just done some. */
    static Optional<ClusterStatus.Rebuild> rebuild(int node, Map<Integer, NodeStatusReply> answers) {
        NodeStatusReply own = answers.get(node);
        if (own == null
                || (own.rebuild().latelyBytesPerSecond() == 0
                        && own.volumes().stream().allMatch(work -> work.unfinished() == 0))) {
            return Optional.empty();
        }
        RebuildReport told = own.rebuild();
        double others = answers.entrySet().stream()
                .filter(other -> other.getKey() != node)
                .mapToLong(other -> other.getValue().usedBytes())
                .average()
                .orElse(0);
        return Optional.of(new ClusterStatus.Rebuild(
                told.madeBytes(),
                told.latelyBytesPerSecond(),
                told.limitBytesPerSecond(),
                Math.max(0, (long) others - own.usedBytes())));
    }

    private static String text(NodeFault fault) {
        return "FAULTY: " + NodeFaultText.accusation(fault) + "; " + NodeFaultText.stage(fault);
    }

    private static String state(
            NodeStatusReply reply, long pending, List<String> unverified, Optional<NodeFault> named) {
        List<String> states = new ArrayList<>();
        named.ifPresent(fault -> states.add(text(fault)));
        if (!reply.acceptsWrites()) {
            // Where there is no space nothing is said to be free.
            states.add(
                    reply.freeBytes() > 0
                            ? "read-only: its store has failed; see its log, then restart the node"
                            : "read-only: no space, delete objects or give it a larger disk");
        } else if (pending > 0) {
            states.add("repairing");
        }
        if (reply.setBack()) {
            states.add("set back in time: serves no registers until they are rebuilt, see its log");
        }
        if (!unverified.isEmpty()) {
            states.add("unverified: compares its data with its peers, volumes " + String.join(", ", unverified));
        }
        long poolNeededBytes = reply.pool().neededBytes();
        if (poolNeededBytes > 0) {
            // As the setting is written.
            long mib = Math.ceilDiv(poolNeededBytes, 1L << 20);
            states.add("history pool too small: set history-pool to " + mib + "MB or more");
        }
        return states.isEmpty() ? "ok" : String.join("; ", states);
    }

    /**
     * Returns the verdicts on a node that this client and the nodes, including itself, have recorded since each of them
     * started.
     */
    private Map<Verdict, Long> seenOf(int node, Map<Integer, NodeStatusReply> answers) {
        Map<Verdict, Long> seen = new EnumMap<>(Verdict.class);
        client.evidence()
                .counts()
                .getOrDefault(PrincipalId.node(node), Map.of())
                .forEach((verdict, count) -> seen.merge(verdict, count, Long::sum));
        for (NodeStatusReply reply : answers.values()) {
            for (PeerVerdict told : reply.seen()) {
                if (told.node() == node) {
                    seen.merge(told.verdict(), told.count(), Long::sum);
                }
            }
        }
        return seen;
    }

    /**
     * A slot counts as faulty while its holder does not answer, takes no writes, serves no registers as its store was set back, has taken the
     * slot lately and not confirmed that it has all, or has something to complete or repair, which it may have too while it is unverified. Spare
     * slots of the archive class may be so before any counts.
     */
    private static ClusterStatus.VolumeStatus volume(
            Volume volume, Map<Integer, NodeStatusReply> answers, Reply.Status counted) {
        SortedMap<Integer, Long> extents = new TreeMap<>();
        counted.older().stream()
                .filter(each -> each.volume() == volume.id())
                .forEach(each -> extents.put(each.generation(), each.extents()));
        int least = volume.policy().f();
        int more = Integer.MAX_VALUE;
        int moreAtMost = Integer.MAX_VALUE;
        SortedSet<Integer> unverified = new TreeSet<>();
        for (int generation = 0; generation <= volume.generation(); generation++) {
            // Nobody counts the registers that were last written under an older policy.
            boolean used = volume.kind() == VolumeKind.REGISTER || extents.containsKey(generation);
            if (generation < volume.generation() && !used) {
                continue;
            }
            ProtectionPolicy policy = volume.policyOfGeneration(generation);
            FaultySlots slots = faulty(volume, generation, answers, unverified);
            least = Math.min(least, policy.f());
            more = Math.min(more, policy.f() - Math.max(0, slots.most - policy.spareSlots()));
            moreAtMost = Math.min(moreAtMost, policy.f() - Math.max(0, slots.certain - policy.spareSlots()));
        }
        return new ClusterStatus.VolumeStatus(
                VolumeInfo.of(volume),
                least,
                more,
                moreAtMost,
                List.copyOf(unverified),
                versions(volume, answers),
                extents.entrySet().stream()
                        .map(each -> new ClusterStatus.OlderPolicy(
                                volume.policyOfGeneration(each.getKey()), each.getValue()))
                        .toList());
    }

    /** Number of slots of the worst group that may be faulty, and that are. */
    private record FaultySlots(int most, int certain) {}

    private static FaultySlots faulty(
            Volume volume, int generation, Map<Integer, NodeStatusReply> answers, SortedSet<Integer> unverified) {
        int worst = 0;
        int worstForCertain = 0;
        int first = volume.firstGroup(generation);
        for (PlacementGroup group : volume.groups().subList(first, first + volume.groupsOf(generation))) {
            int faulty = 0;
            int working = 0;
            for (int holder : group.holders()) {
                NodeStatusReply reply = answers.get(holder);
                if (reply == null
                        || !reply.acceptsWrites()
                        || group.isFresh(holder)
                        || isSilent(holder, reply, volume)) {
                    faulty++;
                } else if (isUnverified(holder, reply, volume) || hasWork(reply, volume)) {
                    working++;
                }
                if (reply != null && isUnverified(holder, reply, volume)) {
                    unverified.add(holder);
                }
            }
            worst = Math.max(worst, faulty + working);
            worstForCertain = Math.max(worstForCertain, faulty);
        }
        return new FaultySlots(worst, worstForCertain);
    }

    private static SortedMap<Integer, ClusterStatus.Versions> versions(
            Volume volume, Map<Integer, NodeStatusReply> answers) {
        SortedMap<Integer, ClusterStatus.Versions> versions = new TreeMap<>();
        answers.forEach((node, reply) -> {
            boolean holder = volume.groups().stream().anyMatch(group -> group.slotOf(node) >= 0);
            if (volume.policy().protocol().isVersioned() && holder) {
                versions.put(
                        node,
                        reply.versions().stream()
                                .filter(each -> each.volume() == volume.id())
                                .findFirst()
                                .map(StatusReport::versions)
                                .orElse(ClusterStatus.Versions.ZERO));
            }
        });
        return versions;
    }

    private static ClusterStatus.Versions versions(VersionsReport told) {
        return new ClusterStatus.Versions(
                told.unverified(),
                told.poolBytes(),
                told.verifications(),
                told.onDemand(),
                told.cooperative(),
                told.avoided(),
                told.poisonous(),
                told.refused());
    }

    private static boolean hasWork(NodeStatusReply reply, Volume volume) {
        return reply.volumes().stream().anyMatch(work -> work.volume() == volume.id() && work.unfinished() > 0);
    }

    /**
     * Returns whether a holder serves nothing of the volume: no registers until it has recovered what its store had
     * forgotten.
     */
    private static boolean isSilent(int holder, NodeStatusReply reply, Volume volume) {
        return reply.setBack()
                && volume.kind() == VolumeKind.REGISTER
                && (isUnverified(holder, reply, volume) || hasWork(reply, volume));
    }

    /**
     * Returns whether a holder does not know yet what it lacks. It knows nothing of a volume that its report does not
     * name.
     */
    private static boolean isUnverified(int holder, NodeStatusReply reply, Volume volume) {
        return volume.groups().stream().anyMatch(group -> group.slotOf(holder) >= 0)
                && reply.volumes().stream().noneMatch(work -> work.volume() == volume.id() && work.compared());
    }

    private List<ClusterStatus.ReplicaStatus> replicas(
            Configuration group, SortedMap<PrincipalId, Message> answers, SortedMap<Integer, StatusAnswer> told) {
        Map<PrincipalId, Reply.Status> read = new TreeMap<>();
        answers.forEach((replica, message) -> {
            try {
                if (Reply.decode(((OrderingMessage.Reply) message).reply()) instanceof Reply.Status status) {
                    read.put(replica, status);
                }
            } catch (MalformedException e) {
                // A replica that answers rubbish is shown like one that does not answer.
            }
        });
        List<ClusterStatus.ReplicaStatus> all = new ArrayList<>();
        for (Member replica : group.members()) {
            Reply.Status status = read.get(replica.replica());
            all.add(new ClusterStatus.ReplicaStatus(
                    replica.replica().number(),
                    client.addressOf(replica),
                    status != null,
                    status == null ? 0 : status.commands(),
                    status != null && agrees(status, read, group.faulty()),
                    ordering(told.get(replica.replica().number()))));
        }
        return all;
    }

    private static Optional<ClusterStatus.Ordering> ordering(@Nullable StatusAnswer told) {
        return told == null || told.leader() == StatusAnswer.NONE
                ? Optional.empty()
                : Optional.of(new ClusterStatus.Ordering(
                        told.leader(),
                        told.view() == StatusAnswer.NONE ? OptionalLong.empty() : OptionalLong.of(told.view())));
    }

    /** No f+1 replicas that have executed as much have another state. */
    private static boolean agrees(Reply.Status status, Map<PrincipalId, Reply.Status> all, int faulty) {
        Map<Object, Long> others = all.values().stream()
                .filter(other ->
                        other.commands() == status.commands() && !other.digest().equals(status.digest()))
                .collect(Collectors.groupingBy(Reply.Status::digest, Collectors.counting()));
        return others.values().stream().noneMatch(count -> count > faulty);
    }

    private List<ClusterStatus.Fault> faults() {
        List<ClusterStatus.Fault> faults = new ArrayList<>();
        long after = 0;
        while (true) {
            Reply.EvidenceList list = client.query(
                    Reply.EvidenceList.class,
                    new Query.ListEvidence(after, Query.PAGE_MAX),
                    Subject.NONE,
                    BulwarkClient.noDeadline());
            list.entries().stream()
                    .filter(entry -> entry.about().kind() == PrincipalKind.NODE)
                    .map(entry -> new ClusterStatus.Fault(
                            entry.number(),
                            entry.about().number(),
                            entry.block().toString(),
                            entry.verdict(),
                            Instant.ofEpochMilli(entry.agreedMillis()),
                            entry.detail()))
                    .forEach(faults::add);
            if (!list.more()) {
                return faults;
            }
            after = list.next();
        }
    }
}
