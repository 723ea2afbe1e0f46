package io.bulwark.protocol.completion;

import io.bulwark.protocol.cluster.Fact;
import io.bulwark.protocol.cluster.Verification;
import io.bulwark.protocol.cluster.Volume;
import io.bulwark.protocol.cluster.VolumeKind;
import io.bulwark.protocol.extent.CompletionResult;
import io.bulwark.protocol.extent.ExtentMessage.CheckDepth;
import io.bulwark.protocol.extent.ReadOutcome;
import io.bulwark.protocol.id.BlockId;
import io.bulwark.protocol.metadata.Query;
import io.bulwark.protocol.metadata.Reply;
import io.bulwark.protocol.metadata.SessionChange;
import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.Deque;
import java.util.List;
import java.util.Optional;

/**
 * Keeps a node's extents complete. It tells the node's servers of changed sessions and freed ranges, in the order of
 * the changes. In rounds it learns the references of each of its volumes, in the order of arrival, and has them
 * completed. Meanwhile it scrubs referenced data. It repeats requests that the replicas do not answer. It asks for the
 * map and the changes equally often, however long a round takes. A placement group that waits for this node's seal
 * serves nobody, and freed data takes room. Where nothing changes and no client asks, it asks less often.
 */
public final class NodeCompletion {
    private static final long MAP_MILLIS = 2_000;

    /**
     * Rate of the comparison of held with referenced extents after a start: most are there, and cost one lookup in the
     * index.
     */
    private static final int COMPARED_PER_SECOND = 20_000;

    /** Each takes the memory of a segment and all its fragments. */
    private static final int DISSEMINATED_AT_ONCE = 2;

    private final int node;
    private final CompletionPace pace;
    private final PendingSteps calls = new PendingSteps();
    private final ExtentChecks checks;
    private final ExtentChecks scrubs;
    private final WorkThrottle allowance;
    private final ExtentChecks verifications;
    private final Dissemination dissemination;
    private final ExtentChecks disseminated;
    private final ReferenceWalk following;
    private final ReferenceWalk verifying;
    private final EpochDuties duties;
    private final RegisterDuties registers;
    /** All object volumes: also where this node holds no slot any more something of it may be left here. */
    private List<Volume> objects = List.of();

    private List<Volume> volumes = List.of();
    private long nowMillis;
    /** Last time of a change, or of a client's request. */
    private long newsMillis;

    private boolean askingMap;
    private long nextMapMillis;
    private long mapVersion;
    private boolean knowsMap;
    private boolean commitLearner;
    private long nextChangesMillis;
    private boolean knowsChanges;
    private long sequence;
    private boolean inRound;
    private long nextRoundMillis;
    private long checkedBefore;
    private boolean waiting;
    private boolean scrubbing;
    private long scrubBeganMillis;
    private long nextScrubMillis;
    /** True once the node has examined everything that was referenced. */
    private boolean compared;

    private boolean inVerification;
    private long nextVerificationMillis;

    /**
     * Creates it without knowledge of the time before this start: data here may belong to another node, or be older
     * than what was promised.
     *
     * @param node the number of this node
     * @param allowance permits the scrub of fragments
     * @param verification permits lazy verification of extents
     * @param disseminating permits the dissemination of extents of the archive class
     * @param rebuild charged with each fragment that is made, for any purpose; while it is exhausted nothing begins
     *     that may make another
     */
    public NodeCompletion(
            int node,
            CompletionPace pace,
            WorkThrottle allowance,
            WorkThrottle verification,
            WorkThrottle disseminating,
            RebuildRate rebuild) {
        this.node = node;
        this.pace = pace;
        this.allowance = allowance;
        WorkThrottle records = new ComparisonPace(pace.extentsPerSecond());
        this.checks = new ExtentChecks(calls, node, pace.atOnce(), records, rebuild, CheckDepth.RECORD);
        this.scrubs = new ExtentChecks(calls, node, pace.atOnce(), allowance, rebuild, CheckDepth.FRAGMENT);
        this.verifications = new ExtentChecks(calls, node, pace.atOnce(), verification, rebuild, CheckDepth.OTHERS);
        ExtentChecks looks = new ExtentChecks(
                calls,
                node,
                pace.atOnce(),
                WorkThrottle.perSecond(pace.extentsPerSecond()),
                rebuild,
                CheckDepth.RECORD);
        ExtentChecks spreads =
                new ExtentChecks(calls, node, DISSEMINATED_AT_ONCE, disseminating, rebuild, CheckDepth.DISSEMINATE);
        this.dissemination = new Dissemination(node, pace.retryMillis(), looks, spreads);
        this.disseminated = spreads;
        List.of(checks, scrubs, looks, spreads).forEach(each -> each.leaveTo(dissemination));
        this.following = new ReferenceWalk(
                calls,
                checks,
                node,
                pace.retryMillis(),
                () -> nowMillis,
                reference -> reference.pendingRanges().forEach(range -> calls.tell(new Fact.Pending(range))));
        this.duties = new EpochDuties(calls, node, following);
        this.registers = new RegisterDuties(calls, node, pace, rebuild, () -> nowMillis);
        // The node's records know the extents verified before the last start, so this walk passes them quickly.
        this.verifying =
                new ReferenceWalk(calls, verifications, node, pace.retryMillis(), () -> nowMillis, ignored -> {});
    }

    /** Called at least every 100 ms. */
    public List<CompletionStep> onTick(long now) {
        nowMillis = now;
        if (!askingMap && now >= nextMapMillis) {
            askingMap = true;
            askMap();
        }
        begin();
        if (allowance.canEverBegin() && !scrubbing && now >= nextScrubMillis && !volumes.isEmpty()) {
            scrubbing = true;
            scrubBeganMillis = now;
            scrubNext(new ArrayDeque<>(volumes));
        }
        List<Volume> lazy = volumes.stream()
                .filter(volume -> volume.policy().verification() == Verification.LAZY)
                .toList();
        if (!inVerification && now >= nextVerificationMillis && !lazy.isEmpty()) {
            inVerification = true;
            verifying.follow(lazy, ignored -> {
                inVerification = false;
                nextVerificationMillis = nowMillis + pace.pollMillis();
            });
        }
        return turn();
    }

    /** A client has asked this node for something. */
    public void onForeground(long now) {
        nowMillis = now;
        newsMillis = now;
        long soon = now + pace.pollMillis();
        nextMapMillis = Math.min(nextMapMillis, Math.max(soon, now + MAP_MILLIS));
        nextChangesMillis = Math.min(nextChangesMillis, soon);
        nextRoundMillis = Math.min(nextRoundMillis, soon);
    }

    private long askMillis() {
        return pace.askMillis(nowMillis - newsMillis);
    }

    public List<CompletionStep> onReply(long now, long token, Reply reply) {
        nowMillis = now;
        calls.onReply(token, Optional.of(reply));
        return turn();
    }

    /** The replicas did not answer in time, or the store cannot be read. */
    public List<CompletionStep> onSilence(long now, long token) {
        nowMillis = now;
        calls.onSilence(token);
        return turn();
    }

    public List<CompletionStep> onChecked(long now, long token, CompletionResult result) {
        nowMillis = now;
        calls.onChecked(token, result);
        return turn();
    }

    public List<CompletionStep> onFetched(long now, long token, ReadOutcome outcome) {
        nowMillis = now;
        calls.onFetched(token, outcome);
        return turn();
    }

    /** A register was seen to in that epoch, or could not be yet. */
    public List<CompletionStep> onSettled(long now, long token, boolean done) {
        nowMillis = now;
        calls.onSettled(token, done);
        return turn();
    }

    public List<CompletionStep> onFound(long now, long token, Optional<BlockId> block) {
        nowMillis = now;
        calls.onFound(token, block);
        return turn();
    }

    /** All servers of this node refuse the epochs of a group before this one, durably. */
    public List<CompletionStep> onRefuses(long now, int volume, int group, long before) {
        nowMillis = now;
        duties.onRefuses(volume, group, before);
        registers.onRefuses(volume, group, before);
        return turn();
    }

    /** Returns the work done and the work left. */
    public CompletionCounts counts() {
        List<RemainingWork> left = new ArrayList<>();
        following
                .progress()
                .forEach((volume, at) -> left.add(
                        new RemainingWork(volume, at.unfinished(), dissemination.lacking(volume), at.isCaughtUp())));
        List<Verified> verified = new ArrayList<>();
        verifying
                .progress()
                .forEach((volume, at) -> verified.add(new Verified(
                        volume,
                        at.unfinished(),
                        at.count(CompletionResult.VERIFIED),
                        at.count(CompletionResult.POISONOUS))));
        return new CompletionCounts(
                checks.checked(),
                count(CompletionResult.COMPLETED),
                count(CompletionResult.REPAIRED),
                count(CompletionResult.INCOMPLETE),
                scrubs.checked(),
                scrubs.count(CompletionResult.COMPLETED)
                        + scrubs.count(CompletionResult.REPAIRED)
                        + scrubs.count(CompletionResult.UNAVAILABLE)
                        + scrubs.count(CompletionResult.NO_SPACE),
                scrubs.count(CompletionResult.COMPLETED) + scrubs.count(CompletionResult.REPAIRED),
                waiting,
                compared,
                left,
                verified);
    }

    /**
     * Work done since the start, and work left.
     *
     * @param checked extents examined
     * @param completed extents that were missing and were rebuilt
     * @param repaired extents that were damaged or another version and were rebuilt
     * @param incomplete number of times that an extent was found left incomplete by its writer
     * @param scrubbed fragments re-read and checked
     * @param scrubFoundBad of these damaged, another version or missing
     * @param scrubRepaired of these rebuilt at once; the node retries the others later, and counts them as completed or
     *     repaired then
     * @param waiting whether the replicas did not answer the last round
     * @param compared whether the node has examined everything that was referenced when it started
     * @param left by rising volume id
     * @param verified of volumes with lazy verification, by rising volume id
     */
    public record CompletionCounts(
            long checked,
            long completed,
            long repaired,
            long incomplete,
            long scrubbed,
            long scrubFoundBad,
            long scrubRepaired,
            boolean waiting,
            boolean compared,
            List<RemainingWork> left,
            List<Verified> verified) {
        public static final CompletionCounts NONE =
                new CompletionCounts(0, 0, 0, 0, 0, 0, 0, false, false, List.of(), List.of());

        public CompletionCounts {
            left = List.copyOf(left);
            verified = List.copyOf(verified);
        }
    }

    /**
     * Work left for the references of one volume.
     *
     * @param lacking extents of the archive class that wait for dissemination
     * @param compared whether all references are known
     */
    public record RemainingWork(int volume, long unfinished, long lacking, boolean compared) {
        /** Work in a volume without dissemination. */
        public RemainingWork(int volume, long unfinished, boolean compared) {
            this(volume, unfinished, 0, compared);
        }
    }

    /**
     * Progress of lazy verification in one volume.
     *
     * @param unverified extents that could not be verified yet
     * @param verified extents verified by reading from the other nodes
     * @param poisonous number of times that an extent was found to encode no block
     */
    public record Verified(int volume, long unverified, long verified, long poisonous) {}

    private long count(CompletionResult result) {
        return checks.count(result) + scrubs.count(result) + disseminated.count(result);
    }

    private List<CompletionStep> turn() {
        checks.pump(nowMillis);
        scrubs.pump(nowMillis);
        verifications.pump(nowMillis);
        dissemination.pump(nowMillis);
        registers.pump(nowMillis);
        return calls.drain();
    }

    private void askMap() {
        calls.ask(new Query.GetMap(), reply -> {
            askingMap = false;
            if (reply.orElse(null) instanceof Reply.Map(var map)) {
                if (map.version() != mapVersion) {
                    mapVersion = map.version();
                    newsMillis = nowMillis;
                }
                nextMapMillis = nowMillis + Math.max(MAP_MILLIS, askMillis());
                knowsMap = true;
                objects = map.volumes().stream()
                        .filter(volume -> volume.kind() == VolumeKind.OBJECT)
                        .toList();
                volumes = objects.stream()
                        .filter(volume -> volume.groups().stream().anyMatch(group -> group.slotOf(node) >= 0))
                        .toList();
                dissemination.onMap(volumes);
                duties.onMap(objects);
                registers.onMap(map.volumes().stream()
                        .filter(volume -> volume.kind() == VolumeKind.REGISTER)
                        .toList());
                begin();
            } else {
                nextMapMillis = nowMillis + pace.pollMillis();
                waiting = true;
            }
        });
    }

    /** Begins the work that is due by the last map; not while a later map is in flight. */
    private void begin() {
        if (askingMap || !knowsMap) {
            return;
        }
        if (!commitLearner && nowMillis >= nextChangesMillis) {
            commitLearner = true;
            learnChanges();
        }
        if (!commitLearner && knowsChanges && !inRound && nowMillis >= nextRoundMillis) {
            inRound = true;
            duties.beginRound();
            following.follow(volumes, this::endRound);
        }
    }

    private void learnChanges() {
        calls.ask(new Query.SessionChanges(sequence, Query.PAGE_MAX), reply -> {
            if (reply.orElse(null) instanceof Reply.SessionChanges page) {
                if (!page.changes().isEmpty()) {
                    newsMillis = nowMillis;
                }
                tellNext(new ArrayDeque<>(page.changes()), page);
            } else {
                learned(false);
            }
        });
    }

    private void learned(boolean all) {
        commitLearner = false;
        knowsChanges = all;
        waiting = !all;
        nextChangesMillis = nowMillis + askMillis();
        begin();
    }

    private void tellNext(Deque<SessionChange> changes, Reply.SessionChanges page) {
        while (!changes.isEmpty()) {
            switch (changes.removeFirst()) {
                case SessionChange.Opened ignored -> {}
                case SessionChange.Closed closed ->
                    calls.tell(new Fact.ClosedWith(closed.volume(), closed.owner(), closed.session(), closed.used()));
                case SessionChange.Freed freed -> calls.tell(new Fact.Freed(freed.range()));
                case SessionChange.Collapsed collapsed -> {
                    calls.tell(
                            new Fact.Collapsed(collapsed.owner(), collapsed.firstSession(), collapsed.lastSession()));
                    Deque<Volume> in = new ArrayDeque<>(objects);
                    dropSessions(in, collapsed, collapsed.firstSession(), () -> tellNext(changes, page));
                    return;
                }
            }
        }
        sequence = Math.max(sequence, page.next());
        if (page.more()) {
            learnChanges();
        } else {
            learned(true);
        }
    }

    /**
     * Reports collapsed sessions as closed. Of those not in the server's memory, it reports only sessions that left
     * something here.
     */
    private void dropSessions(Deque<Volume> in, SessionChange.Collapsed collapsed, long session, Runnable then) {
        if (in.isEmpty()) {
            then.run();
            return;
        }
        int volume = in.getFirst().id();
        if (session > collapsed.lastSession()) {
            in.removeFirst();
            dropSessions(in, collapsed, collapsed.firstSession(), then);
            return;
        }
        BlockId from = new BlockId(volume, collapsed.owner(), session, 0);
        BlockId last = new BlockId(volume, collapsed.owner(), collapsed.lastSession(), Long.MAX_VALUE);
        calls.find(
                from,
                last,
                found -> {
                    long next = collapsed.lastSession() + 1;
                    if (found.isPresent()) {
                        long left = found.get().session();
                        calls.tell(new Fact.ClosedWith(volume, collapsed.owner(), left, List.of()));
                        next = left + 1;
                    }
                    dropSessions(in, collapsed, next, then);
                },
                () -> learned(false));
    }

    private void endRound(boolean whole) {
        inRound = false;
        waiting = !whole;
        if (checks.checked() != checkedBefore) {
            checkedBefore = checks.checked();
            newsMillis = nowMillis;
        }
        nextRoundMillis = nowMillis + askMillis();
        compared |= whole;
    }

    /** Pace that is fast until everything was compared once, then as configured. */
    private final class ComparisonPace implements WorkThrottle {
        private final WorkThrottle first;
        private final WorkThrottle later;

        ComparisonPace(int perSecond) {
            this.first = WorkThrottle.perSecond(Math.max(perSecond, COMPARED_PER_SECOND));
            this.later = WorkThrottle.perSecond(perSecond);
        }

        private WorkThrottle now() {
            return compared ? later : first;
        }

        @Override
        public boolean open(long millis) {
            return now().open(millis);
        }

        @Override
        public void begin(long millis, long bytes) {
            now().begin(millis, bytes);
        }

        @Override
        public void end() {}
    }

    private void scrubNext(Deque<Volume> left) {
        if (left.isEmpty()) {
            endScrub(nowMillis - scrubBeganMillis);
        } else {
            scrub(left.removeFirst(), 0, left);
        }
    }

    /** Everything that is referenced, re-read and checked. */
    private void scrub(Volume volume, long cursor, Deque<Volume> left) {
        calls.ask(new Query.References(volume.id(), cursor, ReferenceWalk.PAGE), reply -> {
            if (!(reply.orElse(null) instanceof Reply.References page)) {
                endScrub(0);
                return;
            }
            for (Reply.Reference reference : page.references()) {
                if (reference.layout().isPresent()) {
                    scrubs.add(new LayoutWalk(volume, reference, node), following.progressOf(volume));
                }
            }
            scrubs.runWhenIdle(nowMillis, () -> {
                if (page.more()) {
                    scrub(volume, page.next(), left);
                } else {
                    scrubNext(left);
                }
            });
        });
    }

    private void endScrub(long roundMillis) {
        scrubbing = false;
        nextScrubMillis = nowMillis + pace.scrubPauseMillis(roundMillis);
    }
}
