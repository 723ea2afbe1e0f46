package io.bulwark.storage.completion;

import io.bulwark.client.object.Metadata;
import io.bulwark.client.survey.Survey;
import io.bulwark.protocol.cluster.ClusterMap;
import io.bulwark.protocol.cluster.PlacementGroup;
import io.bulwark.protocol.cluster.Protocol;
import io.bulwark.protocol.cluster.Volume;
import io.bulwark.protocol.cluster.VolumeKind;
import io.bulwark.protocol.control.NodeControlMessage.NodeStatusReply;
import io.bulwark.protocol.control.NodeControlMessage.NodeStatusRequest;
import io.bulwark.protocol.effect.Loaded;
import io.bulwark.protocol.effect.RecordKind;
import io.bulwark.protocol.effect.Verdict;
import io.bulwark.protocol.extent.FragmentSurvey;
import io.bulwark.protocol.extent.StoredExtent;
import io.bulwark.protocol.id.BlockId;
import io.bulwark.protocol.id.PrincipalId;
import io.bulwark.protocol.id.PrincipalKind;
import io.bulwark.protocol.metadata.Command;
import io.bulwark.protocol.metadata.FaultKind;
import io.bulwark.protocol.metadata.FaultPolicy;
import io.bulwark.protocol.metadata.PeerObservation;
import io.bulwark.protocol.metadata.Query;
import io.bulwark.protocol.metadata.Reply;
import io.bulwark.protocol.metadata.Suspicion;
import io.bulwark.protocol.wire.Bytes;
import io.bulwark.protocol.wire.Message;
import io.bulwark.storage.completion.PeerCounts.Place;
import io.bulwark.storage.node.NodeAccess;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.HashSet;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import java.util.SortedMap;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.ThreadLocalRandom;
import java.util.concurrent.TimeUnit;
import java.util.stream.Collectors;

/**
 * Watches the other holders of this node's groups (Agile Store, 3.3.1, without proxies: decision 38). A few times in each
 * window it asks some of them for their status, and all holders of one extent that it has itself for their fragments.
 * It reports the counts at the end of the window.
 *
 * <p>A fragment counts as missing only if it was missing a window ago, too, and this node still holds the extent: writes,
 * repairs and deletions take time.
 */
final class PeerWatch {
    /** Looks in a window. */
    private static final int LOOKS = 8;

    /** Peers asked for their status at once. */
    private static final int PEERS_MAX = 16;

    /** Rate at which fragments are fetched from all holders: looks at large extents are rarer. */
    private static final long SURVEY_BYTES_PER_SECOND = 256 << 10;

    private static final long MILLIS_PER_SECOND = 1_000;
    private static final long PATIENCE_MILLIS_MIN = 500;
    private static final long PATIENCE_MILLIS_MAX = 5_000;
    private static final int MISSING_MAX = 256;
    /** Looks skip fewer extents than this. */
    private static final int STRIDE_MAX = 64;

    private static final BlockId FIRST = BlockId.register(0, 0);
    private static final BlockId LAST =
            new BlockId(Integer.MAX_VALUE, PrincipalId.client(Integer.MAX_VALUE), Long.MAX_VALUE, Long.MAX_VALUE);

    private final Metadata metadata;
    private final ControlSession session;
    private final NodeAccess node;
    private final PeerCounts counts = new PeerCounts();
    private final Map<BlockId, Missing> missing = new LinkedHashMap<>();
    private final Map<Integer, Long> wrongBefore = new HashMap<>();

    private List<Volume> volumes = List.of();
    private List<Suspicion> own = List.of();
    private Map<Integer, Place> peers = Map.of();
    private List<Integer> turns = new ArrayList<>();
    private BlockId cursor = FIRST;
    private long windowMillis;
    private long windowEndMillis;
    private long lookMillis;
    private long surveyMillis;

    /** Nodes that lacked a fragment at some time. */
    private record Missing(Set<Integer> nodes, long sinceMillis) {}

    private record OwnExtent(Volume volume, BlockId block, Bytes pin) {}

    PeerWatch(Metadata metadata, ControlSession session, NodeAccess node) {
        this.metadata = metadata;
        this.session = session;
        this.node = node;
    }

    /** Looks, or ends a window, if it is time. */
    void poll() throws InterruptedException, ExecutionException {
        poll(TimeUnit.NANOSECONDS.toMillis(System.nanoTime()));
    }

    private void poll(long nowMillis) throws InterruptedException, ExecutionException {
        if (windowMillis == 0) {
            begin(nowMillis);
            // Nodes that start together do not look together.
            lookMillis = nowMillis + ThreadLocalRandom.current().nextLong(windowMillis / LOOKS + 1);
        }
        if (nowMillis >= lookMillis) {
            lookMillis = nowMillis + windowMillis / LOOKS;
            look(nowMillis);
        }
        if (nowMillis >= windowEndMillis) {
            countWrong();
            // Before the reports, so that they say what is still open.
            begin(nowMillis);
            report(counts.take(own));
        }
    }

    private void begin(long nowMillis) throws InterruptedException, ExecutionException {
        FaultPolicy policy = FaultPolicy.DEFAULT;
        if (metadata.query(new Query.ListNodeFaults()).get() instanceof Reply.NodeFaultList list) {
            policy = list.policy();
            own = list.suspicions().stream()
                    .filter(each -> each.reporter() == node.node())
                    .toList();
        }
        if (metadata.query(new Query.GetMap()).get() instanceof Reply.Map(ClusterMap map)) {
            volumes = map.volumes();
            peers = peers(map);
        }
        windowMillis = policy.windowSeconds() * 1_000L;
        windowEndMillis = nowMillis + windowMillis;
        missing.keySet().removeIf(block -> volumes.stream().noneMatch(volume -> volume.id() == block.volume()));
    }

    private Map<Integer, Place> peers(ClusterMap map) {
        Map<Integer, Place> found = new HashMap<>();
        for (Volume volume : map.volumes()) {
            for (int index = 0; index < volume.groups().size(); index++) {
                PlacementGroup group = volume.groups().get(index);
                if (group.slotOf(node.node()) >= 0) {
                    for (int holder : group.holders()) {
                        found.putIfAbsent(holder, new Place(volume.id(), index));
                    }
                }
            }
        }
        found.remove(node.node());
        return found;
    }

    private void look(long nowMillis) throws InterruptedException, ExecutionException {
        long patience = Math.clamp(windowMillis / 4, PATIENCE_MILLIS_MIN, PATIENCE_MILLIS_MAX);
        Set<PrincipalId> asked = nextPeers();
        CompletableFuture<SortedMap<PrincipalId, Message>> status =
                node.run(new Survey(asked, new NodeStatusRequest(), NodeStatusReply.class::isInstance, patience));
        if (nowMillis >= surveyMillis) {
            survey(nowMillis, patience);
        }
        Set<PrincipalId> answered = status.get().keySet();
        for (PrincipalId peer : asked) {
            place(peer.number())
                    .ifPresent(place -> counts.add(peer.number(), FaultKind.SILENT, place, !answered.contains(peer)));
        }
    }

    private void survey(long nowMillis, long patience) throws InterruptedException, ExecutionException {
        Optional<OwnExtent> again = dueAgain(nowMillis);
        Optional<OwnExtent> chosen = again.isPresent() ? again : nextExtent();
        if (chosen.isEmpty()) {
            return;
        }
        OwnExtent extent = chosen.get();
        long bytes = extent.volume.policyOf(extent.block).stripeBytes();
        surveyMillis = nowMillis + bytes * MILLIS_PER_SECOND / SURVEY_BYTES_PER_SECOND;
        FragmentSurvey.Result result = node.run(new FragmentSurvey(
                        extent.volume,
                        extent.block,
                        extent.pin,
                        Set.of(),
                        new FragmentSurvey.Timing(patience, patience)))
                .get();
        judge(nowMillis, extent, result, again.isPresent());
    }

    private Optional<Place> place(int peer) {
        return Optional.ofNullable(peers.get(peer));
    }

    private Set<PrincipalId> nextPeers() {
        turns.retainAll(peers.keySet());
        if (turns.size() < Math.min(PEERS_MAX, peers.size())) {
            turns = new ArrayList<>(peers.keySet());
        }
        List<Integer> next = turns.subList(0, Math.min(PEERS_MAX, turns.size()));
        Set<PrincipalId> asked = next.stream().map(PrincipalId::node).collect(Collectors.toSet());
        next.clear();
        return asked;
    }

    /** Returns an extent of which some node lacked its fragment a window ago. */
    private Optional<OwnExtent> dueAgain(long nowMillis) throws InterruptedException, ExecutionException {
        Optional<BlockId> due = missing.entrySet().stream()
                .filter(each -> nowMillis - each.getValue().sinceMillis() >= windowMillis)
                .map(Map.Entry::getKey)
                .findFirst();
        if (due.isEmpty()) {
            return Optional.empty();
        }
        Optional<OwnExtent> held = find(due.get(), due.get());
        if (held.isEmpty()) {
            missing.remove(due.get());
        }
        return held;
    }

    private Optional<OwnExtent> nextExtent() throws InterruptedException, ExecutionException {
        Optional<OwnExtent> found = find(cursor, LAST).filter(each -> !missing.containsKey(each.block));
        cursor = found.map(extent -> extent.block)
                .filter(block -> block.counter() < Long.MAX_VALUE - STRIDE_MAX)
                .map(block -> new BlockId(
                        block.volume(),
                        block.owner(),
                        block.session(),
                        block.counter() + 1 + ThreadLocalRandom.current().nextInt(STRIDE_MAX)))
                .orElse(FIRST);
        return found;
    }

    /** Returns the first extent of a range that this node holds for good. */
    private Optional<OwnExtent> find(BlockId from, BlockId to) throws InterruptedException, ExecutionException {
        Loaded.Metas metas =
                node.store().scan(RecordKind.EXTENT, from, to, 1, _ -> true).get();
        if (metas.records().isEmpty()) {
            return Optional.empty();
        }
        Loaded.Meta meta = metas.records().getFirst();
        BlockId block = meta.key().block();
        return volumes.stream()
                .filter(volume -> volume.id() == block.volume() && volume.kind() == VolumeKind.OBJECT)
                .filter(volume -> volume.knows(block) && volume.group(block).slotOf(node.node()) >= 0)
                .findFirst()
                .flatMap(volume ->
                        StoredExtent.referencedPin(block, meta.meta()).map(pin -> new OwnExtent(volume, block, pin)));
    }

    private void judge(long nowMillis, OwnExtent extent, FragmentSurvey.Result result, boolean again)
            throws InterruptedException, ExecutionException {
        Place place = new Place(extent.volume.id(), extent.volume.groupIndex(extent.block));
        Missing before = again ? missing.remove(extent.block) : null;
        Set<Integer> lacking = new HashSet<>();
        for (FragmentSurvey.Slot slot : result.slots()) {
            if (slot.node() == node.node()) {
                continue;
            }
            boolean answers = slot.state() != FragmentSurvey.State.UNREACHABLE;
            counts.add(slot.node(), FaultKind.SILENT, place, !answers);
            switch (slot.state()) {
                case GOOD -> {
                    counts.add(slot.node(), FaultKind.WRONG, place, false);
                    counts.add(slot.node(), FaultKind.STALE, place, false);
                }
                case MISSING -> lacking.add(slot.node());
                // Bad fragments come with evidence, which is counted at the end of the window.
                case UNCHECKED, EXCUSED, DAMAGED, CORRUPT, UNREACHABLE, MOVED, REFUSED -> {}
            }
        }
        // Nodes deliver the fragments of archive volumes in idle time, which may be later than any window.
        if (lacking.isEmpty()
                || extent.volume.policy().protocol() == Protocol.ARCHIVE
                || result.version() != FragmentSurvey.Version.READABLE) {
            return;
        }
        if (before != null && find(extent.block, extent.block).isPresent()) {
            lacking.stream()
                    .filter(before.nodes()::contains)
                    .forEach(each -> counts.add(each, FaultKind.STALE, place, true));
        }
        if (missing.size() < MISSING_MAX) {
            missing.put(extent.block, new Missing(Set.copyOf(lacking), nowMillis));
        }
    }

    /** Counts the accusing evidence of all that this node did in the window. */
    private void countWrong() {
        node.evidence().counts().forEach((about, verdicts) -> {
            if (about.kind() == PrincipalKind.NODE) {
                long now = verdicts.getOrDefault(Verdict.CORRUPT, 0L) + verdicts.getOrDefault(Verdict.MISBEHAVED, 0L);
                long before = wrongBefore.getOrDefault(about.number(), 0L);
                wrongBefore.put(about.number(), now);
                int more = (int) Math.min(now - before, PeerObservation.ASKED_MAX);
                if (more > 0) {
                    place(about.number())
                            .ifPresent(place -> counts.add(about.number(), FaultKind.WRONG, place, more, more));
                }
            }
        });
    }

    private void report(List<PeerObservation> observations) throws InterruptedException, ExecutionException {
        for (int from = 0; from < observations.size(); from += Command.OBSERVATIONS_MAX) {
            int to = Math.min(observations.size(), from + Command.OBSERVATIONS_MAX);
            var _ = session.submit(new Command.ReportPeers(observations.subList(from, to)));
        }
    }
}
