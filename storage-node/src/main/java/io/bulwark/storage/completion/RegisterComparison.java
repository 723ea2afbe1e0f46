package io.bulwark.storage.completion;

import io.bulwark.client.object.Metadata;
import io.bulwark.client.survey.Survey;
import io.bulwark.protocol.cluster.Fact;
import io.bulwark.protocol.cluster.PlacementGroup;
import io.bulwark.protocol.cluster.ProtectionPolicy;
import io.bulwark.protocol.cluster.Verification;
import io.bulwark.protocol.cluster.Volume;
import io.bulwark.protocol.cluster.VolumeKind;
import io.bulwark.protocol.completion.CompletionPace;
import io.bulwark.protocol.completion.RebuildRate;
import io.bulwark.protocol.control.NodeControlMessage;
import io.bulwark.protocol.control.NodeControlMessage.LatestReply;
import io.bulwark.protocol.control.NodeControlMessage.LatestRequest;
import io.bulwark.protocol.control.NodeControlMessage.LatestVersion;
import io.bulwark.protocol.control.NodeControlMessage.VolumeWork;
import io.bulwark.protocol.effect.RecordKind;
import io.bulwark.protocol.id.BlockId;
import io.bulwark.protocol.id.PrincipalId;
import io.bulwark.protocol.kernel.ScrubMessage;
import io.bulwark.protocol.metadata.Query;
import io.bulwark.protocol.metadata.Reply;
import io.bulwark.protocol.pasis.PasisBackground;
import io.bulwark.protocol.wire.Bytes;
import io.bulwark.protocol.wire.Message;
import io.bulwark.storage.background.Background;
import io.bulwark.storage.background.ScrubCounts;
import io.bulwark.storage.node.BackgroundWork;
import io.bulwark.storage.node.NodeAccess;
import io.bulwark.storage.status.LatestAnswers;
import io.bulwark.storage.status.LatestAnswers.StoreState;
import io.bulwark.storage.store.LatestRecords;
import io.bulwark.storage.store.LatestRecords.Latest;
import io.bulwark.storage.store.StoreException;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.HashMap;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import java.util.SortedSet;
import java.util.TreeMap;
import java.util.TreeSet;
import java.util.concurrent.BlockingQueue;
import java.util.concurrent.ConcurrentSkipListMap;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.LinkedBlockingQueue;
import java.util.concurrent.Semaphore;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicLong;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * After a start a node does not know whether its disk has all that it promised: it may be another one's, or older, or incomplete. So it
 * compares, for each register volume that there was when it started, the names of the latest versions in its index with those of n - f
 * others, each of which tells of its blocks at its own pace, and has looked at what it lacks (docs/storage.md). Until that is done the
 * volume is unverified here.
 *
 * <p>What was complete is at m + f slots at least. Less this one and f - 1 others that lie or are silent, one of n - f others has it and
 * says so. What others only claim costs a look.
 *
 * <p>A store of which peers remember later starts was set back in time. It is one of the f that may forget, so it says nothing of registers
 * to others, and does not count for others who compare, until it has made up what it missed ({@link StoreState}).
 */
public final class RegisterComparison implements BackgroundWork {
    private static final Logger LOG = LoggerFactory.getLogger(RegisterComparison.class);
    private static final long ANSWER_MILLIS = 60_000;
    private static final long RATE_MILLIS = 20;
    private static final long STOP_MILLIS = 5_000;
    private static final long TURN_MILLIS = 2_000;
    /** Fewest blocks of one answer. A peer that sends fewer is asked again only in the next round. */
    private static final int BLOCKS_MIN = 16;
    /** More starts than any node has; a liar's claim. */
    private static final long LIFE_MAX = 1L << 48;

    private static final int NO_VOLUME = -1;
    /** Maximum number of blocks that cannot be made up now; beyond, nothing more is compared. */
    private static final int UNFINISHED_MAX = 10_000;

    private final Metadata metadata;
    private final Background background;
    private final LatestAnswers answers;
    /** Bounds looks that make up nothing: others' claims cause them. */
    private final RebuildRate fruitless;

    private final CompletionPace pace;
    private final long retryNanos;
    private final long peersMillis;
    private final int atOnce;
    /** Progress of the volumes in which this node holds a slot; written by the one thread. */
    private final ConcurrentSkipListMap<Integer, Progress> volumes = new ConcurrentSkipListMap<>();

    private final AtomicLong looked = new AtomicLong();
    private final AtomicLong bad = new AtomicLong();
    private final AtomicLong repaired = new AtomicLong();
    /**
     * Number of a life of this node that its store does not know, as reported by a correct peer; 0 if none is known.
     */
    private long laterLife;

    private long mapVersion;
    /** Last time at which the map had changed. */
    private long newsNanos = System.nanoTime();
    /** True once the store knows that this life is the last. */
    private boolean confirmed;

    private volatile boolean knowsFirst;
    private volatile @Nullable Thread thread;
    private volatile boolean stopping;

    /** The answer of a holder; none if none came in time. */
    private record HolderReply(int holder, @Nullable LatestReply reply) {}

    /** Progress of one volume. */
    private static final class Progress {
        private final SortedSet<BlockId> unfinished = new TreeSet<>();
        /** Block from which each other holder of the group goes on to tell. */
        private final Map<Integer, Long> next = new HashMap<>();
        /** The later life of this node that each of them remembers; 0 for none. */
        private final Map<Integer, Long> remembered = new HashMap<>();

        private int group;
        private long triedNanos = System.nanoTime();
        /** True once all blocks were visited. */
        private boolean ended;
        /** True once this node knows what it lacks. */
        private volatile boolean compared;

        private volatile int left;
    }

    /**
     * Creates a comparison that is to be started.
     *
     * @param config interval of queries for volumes and of retries for failed blocks, number of concurrent looks, and
     *     the wait for peers
     * @param background limits the rate of repair
     * @param answers the node's answers to others who compare
     */
    public RegisterComparison(
            Metadata metadata, CompletionConfig config, Background background, LatestAnswers answers) {
        this.answers = answers;
        this.metadata = metadata;
        this.background = background;
        this.fruitless = RebuildRate.of(background.rebuilding().limitBytesPerSecond());
        this.pace = config.pace();
        this.retryNanos = TimeUnit.MILLISECONDS.toNanos(config.pace().retryMillis());
        this.peersMillis = config.peersMillis();
        this.atOnce = config.pace().atOnce();
    }

    @Override
    public void start(NodeAccess node) {
        background.count(() -> new ScrubCounts(looked.get(), bad.get(), repaired.get()));
        thread = Thread.ofVirtual().name("bulwark-comparison-" + node.node()).start(() -> run(node));
    }

    @Override
    public void stop() {
        stopping = true;
        Thread running = thread;
        if (running != null) {
            running.interrupt();
            try {
                running.join(STOP_MILLIS);
            } catch (InterruptedException e) {
                Thread.currentThread().interrupt();
            }
        }
    }

    /** Returns the remaining work of each register volume that the node knows and holds a slot of. */
    public List<VolumeWork> status() {
        List<VolumeWork> work = new ArrayList<>();
        volumes.forEach((volume, progress) -> work.add(new VolumeWork(volume, progress.left, progress.compared)));
        return work;
    }

    /** Returns whether all register volumes that existed at the node's start have been compared. */
    public boolean compared() {
        return knowsFirst && volumes.values().stream().allMatch(progress -> progress.compared);
    }

    /**
     * Returns whether the node serves others' requests for registers of a volume. A store that may have forgotten its
     * promises serves none.
     */
    public boolean serves(int volume) {
        return answers.standing(volume) == StoreState.CURRENT;
    }

    private void run(NodeAccess node) {
        boolean waits = false;
        while (!stopping) {
            try {
                boolean further = round(node);
                if (!further && !waits) {
                    LOG.info("node-{} cannot compare its registers yet: too few of its peers answer", node.node());
                }
                waits = !further;
            } catch (InterruptedException e) {
                return;
            } catch (ExecutionException | RuntimeException e) {
                LOG.debug("the comparison of registers is waiting", e);
            }
            if (!pause(node)) {
                return;
            }
        }
    }

    /**
     * Waits for the next round: longer if nothing is left to compare, until a client asks for something. False if interrupted.
     */
    private boolean pause(NodeAccess node) {
        long since = compared() ? System.nanoTime() - newsNanos : 0;
        long askMillis = pace.askMillis(Math.min(TimeUnit.NANOSECONDS.toMillis(since), node.sinceForegroundMillis()));
        long endNanos = System.nanoTime() + TimeUnit.MILLISECONDS.toNanos(askMillis);
        try {
            do {
                TimeUnit.MILLISECONDS.sleep(pace.pollMillis());
            } while (System.nanoTime() < endNanos && node.sinceForegroundMillis() > pace.pollMillis());
            return true;
        } catch (InterruptedException e) {
            return false;
        }
    }

    /** False if peers are missing. */
    private boolean round(NodeAccess node) throws InterruptedException, ExecutionException {
        if (!(metadata.query(new Query.GetMap()).get() instanceof Reply.Map(var map))) {
            throw new IllegalStateException("the reply of the replicas is not a cluster map");
        }
        if (map.version() != mapVersion) {
            mapVersion = map.version();
            newsNanos = System.nanoTime();
        }
        List<Volume> held = map.volumes().stream()
                .filter(volume -> volume.kind() == VolumeKind.REGISTER)
                .filter(volume -> volume.groups().stream().anyMatch(group -> group.slotOf(node.node()) >= 0))
                .toList();
        List<Integer> ids = held.stream().map(Volume::id).toList();
        volumes.keySet().retainAll(ids);
        for (Volume volume : held) {
            if (volumes.containsKey(volume.id())) {
                continue;
            }
            Progress progress = new Progress();
            // Versions that are never verified are not repaired either.
            progress.ended = volume.policy().verification() == Verification.NONE;
            // A volume created or taken while this node was up has lost nothing by its start. Its peers hear of this
            // life all the same.
            progress.compared = knowsFirst || progress.ended;
            answers.stand(volume.id(), progress.compared ? StoreState.CURRENT : StoreState.UNKNOWN);
            volumes.put(volume.id(), progress);
        }
        answers.knowsAll(ids);
        knowsFirst = true;
        boolean further = true;
        for (Volume volume : held) {
            Progress progress = volumes.get(volume.id());
            if (progress != null && (!progress.ended || progress.left > 0)) {
                node.tell(new Fact.OfVolume(volume.id(), Optional.of(volume)));
                compareAgain(node, volume, progress);
                further &= progress.ended || compare(node, volume, progress);
            }
            // A store that was set back is as good as any once all that it missed is made up.
            if (progress != null && progress.compared && progress.left == 0) {
                standCurrent(node, volume);
            }
        }
        if (allCurrentBut(NO_VOLUME)) {
            var _ = confirm(node);
        }
        return further;
    }

    /** By what peers of one group remember of this node: of f+1 that say the same one is correct. */
    private void judge(NodeAccess node, Volume volume, Progress progress) {
        if (progress.compared) {
            return;
        }
        int enough = volume.policyOf(progress.group).f() + 1;
        List<Long> later = progress.remembered.values().stream()
                .filter(life -> life > 0)
                .sorted(Comparator.reverseOrder())
                .toList();
        StoreState standing = answers.standing(volume.id());
        if (later.size() >= enough) {
            laterLife = Math.max(laterLife, Math.min(LIFE_MAX, later.get(enough - 1)));
            confirmed = false;
            if (standing != StoreState.SET_BACK) {
                answers.stand(volume.id(), StoreState.SET_BACK);
                LOG.error(
                        "the store of node-{} was set back in time, or is new: it lacks this node's start number "
                                + "{}, which peers remember. It serves no registers of volume {} until they are "
                                + "rebuilt from n - f other nodes that were not set back",
                        node.node(),
                        laterLife,
                        volume.name());
            }
        } else if (standing == StoreState.UNKNOWN && progress.remembered.size() - later.size() >= enough) {
            standCurrent(node, volume);
        }
    }

    private void standCurrent(NodeAccess node, Volume volume) {
        StoreState before = answers.standing(volume.id());
        // Promises of a life that continues at the next start are not missed if the disk is set back to this life.
        if (before == StoreState.CURRENT || (allCurrentBut(volume.id()) && !confirm(node))) {
            return;
        }
        answers.stand(volume.id(), StoreState.CURRENT);
        if (before == StoreState.SET_BACK) {
            LOG.info(
                    "node-{} has rebuilt the registers of volume {} and serves them again", node.node(), volume.name());
        }
    }

    private boolean allCurrentBut(int volume) {
        return volumes.keySet().stream()
                .allMatch(other -> other == volume || answers.standing(other) == StoreState.CURRENT);
    }

    /** No later life counts for any volume; false if that cannot be written down. */
    private boolean confirm(NodeAccess node) {
        if (!confirmed) {
            try {
                if (laterLife > 0) {
                    node.store().lives().beginAfter(laterLife);
                    laterLife = 0;
                }
                node.store().lives().confirm();
                confirmed = true;
            } catch (StoreException e) {
                LOG.error("node-{} cannot record that its store is current", node.node(), e);
            }
        }
        return confirmed;
    }

    /** One turn of a volume; false if too few peers answer. */
    private boolean compare(NodeAccess node, Volume volume, Progress progress)
            throws InterruptedException, ExecutionException {
        long endNanos = System.nanoTime() + TimeUnit.MILLISECONDS.toNanos(TURN_MILLIS);
        while (progress.group < volume.groups().size()) {
            PlacementGroup group = volume.groups().get(progress.group);
            if (group.slotOf(node.node()) >= 0) {
                if (progress.left >= UNFINISHED_MAX) {
                    return true;
                }
                int answered = compareGroup(node, volume, group, progress, endNanos);
                if (told(volume, group, progress) < needed(volume, progress)) {
                    return answered >= needed(volume, progress);
                }
            }
            progress.group++;
            progress.next.clear();
            progress.remembered.clear();
        }
        progress.ended = true;
        if (!progress.compared) {
            progress.compared = true;
            LOG.info(
                    "node-{} has compared its registers of volume {} with its peers; {} blocks remain to rebuild",
                    node.node(),
                    volume.name(),
                    progress.left);
        }
        return true;
    }

    private static int needed(Volume volume, Progress progress) {
        ProtectionPolicy policy = volume.policyOf(progress.group);
        return policy.n() - policy.f();
    }

    /** Returns the counter of the block from which a holder goes on to tell. */
    private static long next(Volume volume, Progress progress, int holder) {
        return progress.next.getOrDefault(
                holder, volume.firstRegister(progress.group).counter());
    }

    private static boolean hasToldAll(Volume volume, Progress progress, int holder) {
        return next(volume, progress, holder)
                > volume.lastRegister(progress.group).counter();
    }

    /** Returns the number of other nodes that have listed all their blocks. */
    private static int told(Volume volume, PlacementGroup group, Progress progress) {
        return (int) group.holders().stream()
                .filter(holder -> hasToldAll(volume, progress, holder))
                .count();
    }

    /**
     * Each other holder tells of its blocks at its own pace, so that none who is slow, or lies, holds up the others, until n - f have told of
     * all or the turn is over.
     *
     * @return how many have told of any, now or before
     */
    private int compareGroup(NodeAccess node, Volume volume, PlacementGroup group, Progress progress, long endNanos)
            throws InterruptedException, ExecutionException {
        BlockingQueue<HolderReply> told = new LinkedBlockingQueue<>();
        Set<Integer> answered = new HashSet<>();
        int first = 0;
        for (int holder : group.holders()) {
            if (hasToldAll(volume, progress, holder)) {
                answered.add(holder);
            } else if (holder != node.node()) {
                ask(node, volume, progress, holder, told);
                first++;
            }
        }
        for (int open = first, taken = 0; open > 0; taken++) {
            // Until it is known how the store stands each is heard once.
            boolean judged = taken >= first || answers.standing(volume.id()) != StoreState.UNKNOWN;
            if (judged && told(volume, group, progress) >= needed(volume, progress)) {
                break;
            }
            HolderReply next = told.take();
            open--;
            LatestReply reply = next.reply();
            if (reply == null) {
                continue;
            }
            progress.remembered.put(next.holder(), reply.laterLife());
            if (reply.counts() && progress.left < UNFINISHED_MAX) {
                answered.add(next.holder());
                compareWith(node, volume, progress, next.holder(), reply);
                boolean more = reply.blocks().size() >= BLOCKS_MIN && !hasToldAll(volume, progress, next.holder());
                if (more && System.nanoTime() < endNanos) {
                    ask(node, volume, progress, next.holder(), told);
                    open++;
                }
            }
        }
        judge(node, volume, progress);
        return answered.size();
    }

    private void ask(NodeAccess node, Volume volume, Progress progress, int holder, BlockingQueue<HolderReply> told) {
        LatestRequest question = new LatestRequest(
                volume.id(),
                volume.policy().protocol(),
                next(volume, progress, holder),
                node.store().lives().own());
        PrincipalId peer = PrincipalId.node(holder);
        var _ = node.run(new Survey(
                        Set.of(peer),
                        question,
                        message -> message instanceof LatestReply reply
                                && reply.volume() == question.volume()
                                && reply.from() == question.from(),
                        peersMillis))
                .whenComplete((answers, _) ->
                        told.add(new HolderReply(holder, answers == null ? null : (LatestReply) answers.get(peer))));
    }

    /** Looks at what a holder claims up to where it goes on, and at what is lost here up to there. */
    private void compareWith(NodeAccess node, Volume volume, Progress progress, int holder, LatestReply reply)
            throws InterruptedException, ExecutionException {
        long end = Math.min(volume.lastRegister(progress.group).counter() + 1, reply.next());
        TreeMap<Long, Bytes> theirs = new TreeMap<>();
        for (LatestVersion each : reply.blocks()) {
            if (isOfGroup(volume, progress, BlockId.register(volume.id(), each.block()))) {
                theirs.put(each.block(), each.version());
            }
        }
        for (long from = reply.from(); from < end; ) {
            LatestRecords own = node.store()
                    .latest(
                            RecordKind.ofVersions(volume.policy().protocol().isVersioned()),
                            BlockId.register(volume.id(), from),
                            BlockId.register(volume.id(), end - 1),
                            NodeControlMessage.LATEST_MAX)
                    .get();
            long next = own.next().map(BlockId::counter).orElse(end);
            look(node, volume, progress, suspects(volume, progress, own, theirs.subMap(from, next)));
            from = next;
        }
        progress.next.put(holder, end);
    }

    private static boolean isOfGroup(Volume volume, Progress progress, BlockId block) {
        return volume.knows(block) && volume.groupIndex(block) == progress.group;
    }

    /** Returns the blocks for which some node claims a later version, or whose fragment here is known to be lost. */
    private static List<BlockId> suspects(
            Volume volume, Progress progress, LatestRecords own, Map<Long, Bytes> theirs) {
        Map<Long, Bytes> claims = new TreeMap<>(theirs);
        List<BlockId> suspects = new ArrayList<>();
        for (Latest mine : own.blocks()) {
            Bytes claimed = claims.remove(mine.block().counter());
            boolean behind = claimed != null && claimed.compareTo(mine.suffix()) > 0;
            if ((behind || !mine.whole()) && isOfGroup(volume, progress, mine.block())) {
                suspects.add(mine.block());
            }
        }
        claims.keySet().forEach(block -> suspects.add(BlockId.register(volume.id(), block)));
        synchronized (progress) {
            // These are looked at again and again anyway.
            suspects.removeAll(progress.unfinished);
        }
        return suspects;
    }

    private void compareAgain(NodeAccess node, Volume volume, Progress progress) throws InterruptedException {
        if (progress.left > 0 && System.nanoTime() - progress.triedNanos >= retryNanos) {
            progress.triedNanos = System.nanoTime();
            look(node, volume, progress, List.copyOf(progress.unfinished));
        }
    }

    /** Makes the node's own server look at the blocks, and records its results. */
    private void look(NodeAccess node, Volume volume, Progress progress, List<BlockId> blocks)
            throws InterruptedException {
        Semaphore permits = new Semaphore(atOnce);
        for (BlockId block : blocks) {
            ProtectionPolicy policy = volume.policyOf(block);
            long bytes = policy.fragmentBytes(policy.blockBytes());
            permits.acquire();
            while (!mayLook()) {
                TimeUnit.MILLISECONDS.sleep(RATE_MILLIS);
            }
            Message question = volume.policy().protocol().isVersioned()
                    ? new PasisBackground.ScrubRequest(block)
                    : new ScrubMessage.ScrubRequest(block);
            var _ = node.ask(question, ANSWER_MILLIS).whenComplete((answer, _) -> {
                looked.incrementAndGet();
                take(progress, block, found(answer), bytes);
                permits.release();
            });
        }
        permits.acquire(atOnce);
    }

    private static ScrubMessage.ScrubOutcome found(@Nullable Message answer) {
        return switch (answer) {
            case ScrubMessage.ScrubResult seen -> seen.found();
            case PasisBackground.ScrubResult looked -> looked.found();
            case null, default -> ScrubMessage.ScrubOutcome.UNASKED;
        };
    }

    private void take(Progress progress, BlockId block, ScrubMessage.ScrubOutcome found, long bytes) {
        synchronized (progress) {
            switch (found) {
                case GOOD, ABSENT -> progress.unfinished.remove(block);
                case COMPLETED, REPAIRED -> {
                    background.rebuild().charge(0, bytes);
                    if (!progress.unfinished.remove(block)) {
                        bad.incrementAndGet();
                    }
                    repaired.incrementAndGet();
                }
                case UNFINISHED, UNASKED -> bad.addAndGet(progress.unfinished.add(block) ? 1 : 0);
            }
            progress.left = progress.unfinished.size();
        }
        if (found != ScrubMessage.ScrubOutcome.COMPLETED && found != ScrubMessage.ScrubOutcome.REPAIRED) {
            synchronized (fruitless) {
                fruitless.charge(nowMillis(), bytes);
            }
        }
    }

    private boolean mayLook() {
        synchronized (fruitless) {
            return fruitless.open(nowMillis()) && background.rebuild().open(0);
        }
    }

    private static long nowMillis() {
        return TimeUnit.NANOSECONDS.toMillis(System.nanoTime());
    }
}
