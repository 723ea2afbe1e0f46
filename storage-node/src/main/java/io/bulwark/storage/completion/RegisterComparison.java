package io.bulwark.storage.completion;

import io.bulwark.client.object.Metadata;
import io.bulwark.client.survey.Survey;
import io.bulwark.protocol.cluster.Fact;
import io.bulwark.protocol.cluster.PlacementGroup;
import io.bulwark.protocol.cluster.Protocol;
import io.bulwark.protocol.cluster.Verification;
import io.bulwark.protocol.cluster.Volume;
import io.bulwark.protocol.cluster.VolumeKind;
import io.bulwark.protocol.control.NodeControlMessage.LatestReply;
import io.bulwark.protocol.control.NodeControlMessage.LatestRequest;
import io.bulwark.protocol.control.NodeControlMessage.LatestVersion;
import io.bulwark.protocol.control.NodeControlMessage.VolumeWork;
import io.bulwark.protocol.fp.FpScrub;
import io.bulwark.protocol.id.BlockId;
import io.bulwark.protocol.id.PrincipalId;
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
import io.bulwark.storage.status.LatestAnswers.Standing;
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
import java.util.TreeSet;
import java.util.concurrent.ConcurrentSkipListMap;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.Semaphore;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicLong;
import java.util.stream.Collectors;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * After a start a node does not know whether its disk has all that it promised: it may be another one's, or older, or incomplete. So it
 * compares, for each register volume that there was when it started, the names of the latest versions in its index with those of n - f
 * others, block after block, and has looked at what it lacks (docs/storage.md). Until that is done the volume is unverified here.
 *
 * <p>What was complete is at m + f slots at least. Less this one and f - 1 others that lie or are silent, one of n - f others has it and
 * says so. What others only claim costs a look.
 *
 * <p>A store of which peers remember later starts was set back in time. It is one of the f that may forget, so it says nothing of registers
 * to others, and does not count for others who compare, until it has made up what it missed ({@link Standing}).
 */
public final class RegisterComparison implements BackgroundWork {
    private static final Logger LOG = LoggerFactory.getLogger(RegisterComparison.class);
    private static final long PEERS_MILLIS = 2_000;
    private static final long ANSWER_MILLIS = 60_000;
    private static final long RATE_MILLIS = 20;
    private static final long STOP_MILLIS = 5_000;
    /** With more than so many that cannot be made up now nothing more is compared. */
    private static final int UNFINISHED_MAX = 10_000;

    private final Metadata metadata;
    private final Background background;
    private final LatestAnswers answers;
    private final long pollMillis;
    private final long retryNanos;
    private final int atOnce;
    /** Of the volumes that this node holds a slot of; written by the one thread. */
    private final ConcurrentSkipListMap<Integer, Progress> volumes = new ConcurrentSkipListMap<>();

    private final AtomicLong looked = new AtomicLong();
    private final AtomicLong bad = new AtomicLong();
    private final AtomicLong repaired = new AtomicLong();
    /** A life of this node that its store does not know of, as far as a correct peer says; 0 if none is known. */
    private long laterLife;

    private volatile boolean knowsFirst;
    private volatile @Nullable Thread thread;
    private volatile boolean stopping;

    /** How far one volume is. */
    private static final class Progress {
        private final SortedSet<BlockId> unfinished = new TreeSet<>();
        private final Set<PrincipalId> silent = new HashSet<>();
        private int group;
        private long from;
        private long triedNanos = System.nanoTime();
        /** Whether all was gone through. */
        private boolean ended;
        /** Whether this node knows what it lacks. */
        private volatile boolean compared;

        private volatile int left;
    }

    /**
     * One that is to be started.
     *
     * @param config it asks for volumes, and looks again at what could not be made up, as often, and looks at as many blocks at once
     * @param background decides how fast fragments are made again
     * @param answers what this node tells others who compare
     */
    public RegisterComparison(
            Metadata metadata, CompletionConfig config, Background background, LatestAnswers answers) {
        this.answers = answers;
        this.metadata = metadata;
        this.background = background;
        this.pollMillis = config.pace().pollMillis();
        this.retryNanos = TimeUnit.MILLISECONDS.toNanos(config.pace().retryMillis());
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

    /** What is left, of each register volume that the node knows of and holds a slot of. */
    public List<VolumeWork> status() {
        List<VolumeWork> work = new ArrayList<>();
        volumes.forEach((volume, progress) -> work.add(new VolumeWork(volume, progress.left, progress.compared)));
        return work;
    }

    /** Whether all register volumes that there were when the node started have been compared. */
    public boolean compared() {
        return knowsFirst && volumes.values().stream().allMatch(progress -> progress.compared);
    }

    /** Whether register requests of others are served: not by a store that may have forgotten what it promised. */
    public boolean serves() {
        return answers.standing() == Standing.CURRENT;
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
                TimeUnit.MILLISECONDS.sleep(pollMillis);
            } catch (InterruptedException e) {
                return;
            } catch (ExecutionException | RuntimeException e) {
                LOG.debug("comparing registers waits", e);
                if (!rest()) {
                    return;
                }
            }
        }
    }

    private boolean rest() {
        try {
            TimeUnit.MILLISECONDS.sleep(pollMillis);
            return true;
        } catch (InterruptedException e) {
            return false;
        }
    }

    /** False if peers are missing. */
    private boolean round(NodeAccess node) throws InterruptedException, ExecutionException {
        if (!(metadata.query(new Query.GetMap()).get() instanceof Reply.Map(var map))) {
            throw new IllegalStateException("the replicas answer no map");
        }
        List<Volume> held = map.volumes().stream()
                .filter(volume -> volume.kind() == VolumeKind.REGISTER)
                .filter(volume -> volume.groups().stream().anyMatch(group -> group.slotOf(node.node()) >= 0))
                .toList();
        volumes.keySet().retainAll(held.stream().map(Volume::id).toList());
        for (Volume volume : held) {
            if (volumes.containsKey(volume.id())) {
                continue;
            }
            Progress progress = new Progress();
            // What nobody verifies is not repaired either.
            progress.ended = volume.policy().verification() == Verification.NONE;
            // What began, or was taken, while this node was up has lost nothing by its start; its peers hear of this
            // life all the same.
            progress.compared = knowsFirst || progress.ended;
            volumes.put(volume.id(), progress);
        }
        knowsFirst = true;
        boolean further = true;
        for (Volume volume : held) {
            Progress progress = volumes.get(volume.id());
            if (progress != null && (!progress.ended || progress.left > 0)) {
                node.tell(new Fact.OfVolume(volume.id(), Optional.of(volume)));
                lookAgain(node, volume, progress);
                further &= progress.ended || compare(node, volume, progress);
            }
        }
        judge(node);
        return further;
    }

    /** A store that was set back is as good as any once all that it missed is made up. */
    private void judge(NodeAccess node) {
        boolean done = volumes.values().stream().allMatch(progress -> progress.compared && progress.left == 0);
        if (!done || answers.standing() == Standing.CURRENT) {
            return;
        }
        if (answers.standing() == Standing.SET_BACK) {
            try {
                node.store().lives().beginAfter(laterLife);
            } catch (StoreException e) {
                LOG.error("node-{} cannot write down that it has made up what it missed", node.node(), e);
                return;
            }
            LOG.info("node-{} has made up what its store had forgotten, and serves registers again", node.node());
        }
        standCurrent(node);
    }

    private void standCurrent(NodeAccess node) {
        try {
            node.store().lives().confirm();
            answers.stand(Standing.CURRENT);
        } catch (StoreException e) {
            LOG.error("node-{} cannot write down that its store is current", node.node(), e);
        }
    }

    /** By what peers remember of this node: of f+1 that say the same one is correct. */
    private void judge(NodeAccess node, Volume volume, List<LatestReply> replies) {
        int enough = volume.policy().f() + 1;
        List<Long> later = replies.stream()
                .map(LatestReply::laterLife)
                .filter(life -> life > 0)
                .sorted(Comparator.reverseOrder())
                .toList();
        if (later.size() >= enough) {
            laterLife = Math.max(laterLife, later.get(enough - 1));
            if (answers.standing() != Standing.SET_BACK) {
                answers.stand(Standing.SET_BACK);
                LOG.error(
                        "the store of node-{} was set back in time, or is new: it begins its life {}, and its peers"
                                + " remember life {}. It serves no registers until it has made up what it forgot; that"
                                + " needs n - f others that were not set back",
                        node.node(),
                        node.store().lives().own().number(),
                        laterLife);
            }
        } else if (answers.standing() == Standing.UNKNOWN && replies.size() - later.size() >= enough) {
            standCurrent(node);
        }
    }

    private boolean compare(NodeAccess node, Volume volume, Progress progress)
            throws InterruptedException, ExecutionException {
        while (progress.group < volume.groups().size()) {
            PlacementGroup group = volume.groups().get(progress.group);
            if (group.slotOf(node.node()) < 0 || progress.from >= volume.blocks()) {
                progress.group++;
                progress.from = 0;
            } else if (progress.left >= UNFINISHED_MAX) {
                return true;
            } else if (!compareNext(node, volume, group, progress)) {
                return false;
            }
        }
        progress.ended = true;
        if (!progress.compared) {
            progress.compared = true;
            LOG.info(
                    "node-{} has compared what it holds of volume {} with its peers; {} blocks are left to make up",
                    node.node(),
                    volume.name(),
                    progress.left);
        }
        return true;
    }

    /** Goes on by as many blocks as n - f others tell of at once; false if fewer answer. */
    private boolean compareNext(NodeAccess node, Volume volume, PlacementGroup group, Progress progress)
            throws InterruptedException, ExecutionException {
        int needed = volume.policy().n() - volume.policy().f();
        List<LatestReply> replies = ask(node, volume, group, progress, needed);
        judge(node, volume, replies);
        replies.removeIf(reply -> !reply.counts());
        if (replies.size() < needed) {
            return false;
        }
        replies.sort(Comparator.comparingLong(LatestReply::next).reversed());
        long end = Math.min(volume.blocks(), replies.get(needed - 1).next());
        Map<Long, Bytes> theirs = new HashMap<>();
        for (LatestReply reply : replies) {
            for (LatestVersion each : reply.blocks()) {
                BlockId block = BlockId.register(volume.id(), each.block());
                if (each.block() < end && volume.groupIndex(block) == progress.group) {
                    theirs.merge(each.block(), each.version(), (a, b) -> a.compareTo(b) >= 0 ? a : b);
                }
            }
        }
        look(node, volume, progress, suspects(node, volume, progress, end, theirs));
        progress.from = end;
        return true;
    }

    private static List<LatestReply> ask(
            NodeAccess node, Volume volume, PlacementGroup group, Progress progress, int needed)
            throws InterruptedException, ExecutionException {
        Set<PrincipalId> others = group.holders().stream()
                .filter(holder -> holder != node.node())
                .map(PrincipalId::node)
                .collect(Collectors.toSet());
        Set<PrincipalId> asked = new HashSet<>(others);
        asked.removeAll(progress.silent);
        if (asked.size() < needed) {
            asked = others;
        }
        LatestRequest question = new LatestRequest(
                volume.id(),
                volume.policy().protocol(),
                progress.from,
                node.store().lives().own());
        Map<PrincipalId, Message> answers = node.operations()
                .submit(new Survey(
                        asked,
                        question,
                        message -> message instanceof LatestReply reply
                                && reply.volume() == question.volume()
                                && reply.from() == question.from(),
                        PEERS_MILLIS))
                .get();
        progress.silent.addAll(asked);
        progress.silent.removeAll(answers.keySet());
        List<LatestReply> replies = new ArrayList<>();
        answers.values().forEach(message -> replies.add((LatestReply) message));
        return replies;
    }

    /** Blocks of which somebody claims more than there is here, or of which a fragment here is known to be lost. */
    private static List<BlockId> suspects(
            NodeAccess node, Volume volume, Progress progress, long end, Map<Long, Bytes> theirs)
            throws InterruptedException, ExecutionException {
        LatestRecords own = node.store()
                .latest(
                        LatestAnswers.kind(volume.policy().protocol()),
                        BlockId.register(volume.id(), progress.from),
                        BlockId.register(volume.id(), end - 1),
                        Integer.MAX_VALUE)
                .get();
        List<BlockId> suspects = new ArrayList<>();
        for (Latest mine : own.blocks()) {
            Bytes claimed = theirs.remove(mine.block().counter());
            boolean behind = claimed != null && claimed.compareTo(mine.suffix()) > 0;
            if ((behind || !mine.whole()) && volume.groupIndex(mine.block()) == progress.group) {
                suspects.add(mine.block());
            }
        }
        theirs.keySet().forEach(block -> suspects.add(BlockId.register(volume.id(), block)));
        return suspects;
    }

    private void lookAgain(NodeAccess node, Volume volume, Progress progress) throws InterruptedException {
        if (progress.left > 0 && System.nanoTime() - progress.triedNanos >= retryNanos) {
            progress.triedNanos = System.nanoTime();
            look(node, volume, progress, List.copyOf(progress.unfinished));
        }
    }

    /** Has these looked at by the node's own server, and waits for what comes of it. */
    private void look(NodeAccess node, Volume volume, Progress progress, List<BlockId> blocks)
            throws InterruptedException {
        Semaphore permits = new Semaphore(atOnce);
        long bytes = volume.policy().fragmentBytes(volume.policy().blockBytes());
        for (BlockId block : blocks) {
            permits.acquire();
            while (!background.rebuild().open(0)) {
                TimeUnit.MILLISECONDS.sleep(RATE_MILLIS);
            }
            Message question = volume.policy().protocol() == Protocol.PASIS
                    ? new PasisBackground.Look(block)
                    : new FpScrub.Look(block);
            var _ = node.ask(question, ANSWER_MILLIS).whenComplete((answer, _) -> {
                looked.incrementAndGet();
                take(progress, block, found(answer), bytes);
                permits.release();
            });
        }
        permits.acquire(atOnce);
    }

    private static FpScrub.Found found(@Nullable Message answer) {
        return switch (answer) {
            case FpScrub.Seen seen -> seen.found();
            case PasisBackground.Looked looked -> looked.found();
            case null, default -> FpScrub.Found.UNASKED;
        };
    }

    private void take(Progress progress, BlockId block, FpScrub.Found found, long bytes) {
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
    }
}
