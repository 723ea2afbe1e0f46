package io.bulwark.storage.completion;

import io.bulwark.client.object.Metadata;
import io.bulwark.protocol.cluster.Fact;
import io.bulwark.protocol.cluster.ProtectionPolicy;
import io.bulwark.protocol.cluster.Verification;
import io.bulwark.protocol.cluster.Volume;
import io.bulwark.protocol.cluster.VolumeKind;
import io.bulwark.protocol.completion.CompletionPace;
import io.bulwark.protocol.control.NodeControlMessage.VolumeWork;
import io.bulwark.protocol.effect.Loaded;
import io.bulwark.protocol.effect.RecordKind;
import io.bulwark.protocol.id.BlockId;
import io.bulwark.protocol.kernel.ScrubMessage;
import io.bulwark.protocol.metadata.Query;
import io.bulwark.protocol.metadata.Reply;
import io.bulwark.protocol.pasis.PasisBackground;
import io.bulwark.protocol.wire.Message;
import io.bulwark.storage.background.Background;
import io.bulwark.storage.background.ScrubCounts;
import io.bulwark.storage.background.Scrubber;
import io.bulwark.storage.node.BackgroundWork;
import io.bulwark.storage.node.NodeAccess;
import java.util.ArrayList;
import java.util.EnumMap;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.SortedMap;
import java.util.SortedSet;
import java.util.concurrent.ConcurrentSkipListMap;
import java.util.concurrent.ConcurrentSkipListSet;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.Semaphore;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicLong;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;
import org.slf4j.event.Level;

/**
 * Goes through a node's register volumes round after round: one thread through the blocks that it holds something of,
 * another through those that it holds nothing of, as it may have missed their writes; a third looks again at what could not
 * be made up. What is done about a block is the server's to decide ({@link ScrubMessage}, {@link PasisBackground.ScrubRequest}).
 */
public final class RegisterScrub implements BackgroundWork {
    private static final Logger LOG = LoggerFactory.getLogger(RegisterScrub.class);
    private static final int PAGE = 256;
    /** Limit of unfinished blocks; the next round finds the others again. */
    private static final int UNFINISHED_MAX = 10_000;

    private static final long ANSWER_MILLIS = 60_000;
    private static final long STOP_MILLIS = 5_000;

    private final Metadata metadata;
    private final Background background;
    private final CompletionPace pace;
    private final Semaphore permits;
    private final AtomicLong foundBad = new AtomicLong();
    private final List<Thread> threads = new ArrayList<>();
    private final Map<ScrubMessage.ScrubOutcome, AtomicLong> counts = new EnumMap<>(ScrubMessage.ScrubOutcome.class);
    private final SortedMap<Integer, SortedSet<BlockId>> unfinished = new ConcurrentSkipListMap<>();
    private volatile boolean stopping;

    /** Round through some blocks. */
    private interface Round {
        void run(Scrubber scrubber) throws InterruptedException, ExecutionException;
    }

    /**
     * A scrubber that is to be started.
     *
     * @param config its bounds hold for blocks here as for extents there; it polls for volumes as often
     * @param background decides when a block is looked at
     */
    public RegisterScrub(Metadata metadata, CompletionConfig config, Background background) {
        this.metadata = metadata;
        this.background = background;
        this.pace = config.pace();
        this.permits = new Semaphore(config.pace().atOnce());
        for (ScrubMessage.ScrubOutcome found : ScrubMessage.ScrubOutcome.values()) {
            counts.put(found, new AtomicLong());
        }
    }

    @Override
    public void start(NodeAccess node) {
        background.count(() -> new ScrubCounts(
                looks(),
                foundBad.get(),
                count(ScrubMessage.ScrubOutcome.COMPLETED) + count(ScrubMessage.ScrubOutcome.REPAIRED)));
        if (background.scrubs()) {
            begin(node, Scrubber.REGISTERS, scrubber -> held(node, scrubber));
            begin(node, Scrubber.MISSED_REGISTERS, scrubber -> checkAbsent(node, scrubber));
            begin(node, Scrubber.UNFINISHED_REGISTERS, scrubber -> again(node, scrubber));
        }
    }

    @Override
    public void stop() {
        stopping = true;
        threads.forEach(Thread::interrupt);
        try {
            for (Thread thread : threads) {
                thread.join(STOP_MILLIS);
            }
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
        }
    }

    /** Returns the completed and remaining work. */
    public ScrubStatus status() {
        List<VolumeWork> work = new ArrayList<>();
        unfinished.forEach((volume, blocks) -> work.add(new VolumeWork(volume, blocks.size(), true)));
        return new ScrubStatus(
                looks(), count(ScrubMessage.ScrubOutcome.COMPLETED), count(ScrubMessage.ScrubOutcome.REPAIRED), work);
    }

    private long looks() {
        return counts.values().stream().mapToLong(AtomicLong::get).sum();
    }

    private long count(ScrubMessage.ScrubOutcome found) {
        AtomicLong counter = counts.get(found);
        return counter == null ? 0 : counter.get();
    }

    private void begin(NodeAccess node, Scrubber scrubber, Round round) {
        threads.add(Thread.ofVirtual()
                .name("bulwark-scrub-" + node.node() + "-" + scrubber)
                .start(() -> loop(scrubber, round)));
    }

    private void loop(Scrubber scrubber, Round round) {
        boolean failing = false;
        while (!stopping) {
            try {
                long began = System.nanoTime();
                round.run(scrubber);
                failing = false;
                TimeUnit.MILLISECONDS.sleep(pauseMillis(scrubber, System.nanoTime() - began));
            } catch (InterruptedException e) {
                return;
            } catch (ExecutionException | RuntimeException e) {
                if (!failing) {
                    LOG.info("the scrub of register volumes is waiting: {}", e.getMessage());
                }
                failing = true;
                if (!rest()) {
                    return;
                }
            }
        }
    }

    /** Known damage is looked at again soon. */
    private long pauseMillis(Scrubber scrubber, long roundNanos) {
        return pace.scrubPauseMillis(
                scrubber == Scrubber.UNFINISHED_REGISTERS ? 0 : TimeUnit.NANOSECONDS.toMillis(roundNanos));
    }

    private boolean rest() {
        try {
            TimeUnit.MILLISECONDS.sleep(pace.scrubPauseMillis(0));
            return true;
        } catch (InterruptedException e) {
            return false;
        }
    }

    /** Re-reads and checks the records of each held block. */
    private void held(NodeAccess node, Scrubber scrubber) throws InterruptedException, ExecutionException {
        for (Volume volume : volumes(node)) {
            BlockId last = volume.lastRegister(volume.groups().size() - 1);
            long next = 0;
            while (next <= last.counter()) {
                List<Loaded.Meta> page = scan(node, volume, BlockId.register(volume.id(), next), last, PAGE);
                next = 1
                        + (page.size() < PAGE
                                ? last.counter()
                                : page.getLast().key().block().counter());
                Map<BlockId, Integer> records = new LinkedHashMap<>();
                page.forEach(meta -> records.merge(meta.key().block(), 1, Integer::sum));
                for (Map.Entry<BlockId, Integer> block : records.entrySet()) {
                    look(node, scrubber, volume, block.getKey(), versions(volume, block.getValue()));
                }
            }
        }
    }

    /** Under FP the latest version is re-read, under PASIS all of them. */
    private static int versions(Volume volume, int records) {
        return volume.policy().protocol().isVersioned() ? records : 1;
    }

    private void checkAbsent(NodeAccess node, Scrubber scrubber) throws InterruptedException, ExecutionException {
        for (Volume volume : volumes(node)) {
            long all = volume.blocks() * (volume.generation() + 1);
            for (long each = 0; each < all; each++) {
                BlockId block = BlockId.register(volume.id(), (int) (each / volume.blocks()), each % volume.blocks());
                if (volume.group(block).slotOf(node.node()) >= 0
                        && scan(node, volume, block, block, 1).isEmpty()) {
                    look(node, scrubber, volume, block, 0);
                }
            }
        }
    }

    private void again(NodeAccess node, Scrubber scrubber) throws InterruptedException, ExecutionException {
        for (Volume volume : volumes(node)) {
            for (BlockId block : List.copyOf(unfinished.getOrDefault(volume.id(), new ConcurrentSkipListSet<>()))) {
                look(node, scrubber, volume, block, 1);
            }
        }
    }

    /** Returns a page of the written records. Recent ones that may soon be overwritten stay in the write-back cache. */
    private static List<Loaded.Meta> scan(NodeAccess node, Volume volume, BlockId from, BlockId to, int max)
            throws InterruptedException, ExecutionException {
        RecordKind kind = RecordKind.ofVersions(volume.policy().protocol().isVersioned());
        return node.store().scanWritten(kind, from, to, max, _ -> true).get().records();
    }

    /**
     * Returns the register volumes to scrub in which this node holds a slot, and tells its servers of all that it
     * holds. Volumes whose versions are never verified serve only measurements, and are not scrubbed.
     */
    private List<Volume> volumes(NodeAccess node) throws InterruptedException, ExecutionException {
        if (!(metadata.query(new Query.GetMap()).get() instanceof Reply.Map(var map))) {
            throw new IllegalStateException("the reply of the replicas is not a cluster map");
        }
        List<Volume> held = map.volumes().stream()
                .filter(volume -> volume.kind() == VolumeKind.REGISTER)
                .filter(volume -> volume.groups().stream().anyMatch(group -> group.slotOf(node.node()) >= 0))
                .toList();
        held.forEach(volume -> node.tell(new Fact.OfVolume(volume.id(), Optional.of(volume))));
        List<Volume> mine = held.stream()
                .filter(volume -> volume.policy().verification() != Verification.NONE)
                .toList();
        unfinished.keySet().removeIf(id -> mine.stream().noneMatch(volume -> volume.id() == id));
        return mine;
    }

    private void look(NodeAccess node, Scrubber scrubber, Volume volume, BlockId block, int fragments)
            throws InterruptedException {
        if (volume.group(block).slotOf(node.node()) < 0 || node.store().holdsUnwritten(block)) {
            return;
        }
        permits.acquire();
        ProtectionPolicy policy = volume.policyOf(block);
        int fragmentBytes = policy.fragmentBytes(policy.blockBytes());
        background.awaitLook(scrubber, (long) fragments * fragmentBytes);
        long bytes = (long) Math.max(1, fragments) * fragmentBytes;
        Message question = volume.policy().protocol().isVersioned()
                ? new PasisBackground.ScrubRequest(block)
                : new ScrubMessage.ScrubRequest(block);
        var _ = node.ask(question, ANSWER_MILLIS).whenComplete((answer, error) -> {
            background.endLook();
            permits.release();
            switch (answer) {
                case ScrubMessage.ScrubResult seen -> take(block, seen.found(), bytes);
                case PasisBackground.ScrubResult looked -> take(block, looked.found(), bytes);
                case null, default -> LOG.debug("scrub: no answer for {}", block, error);
            }
        });
    }

    /** @param bytes of what was made, if anything was; under PASIS of all that may have been */
    private void take(BlockId block, ScrubMessage.ScrubOutcome found, long bytes) {
        AtomicLong counter = counts.get(found);
        if (counter != null) {
            counter.incrementAndGet();
        }
        SortedSet<BlockId> blocks = unfinished.computeIfAbsent(block.volume(), _ -> new ConcurrentSkipListSet<>());
        switch (found) {
            case GOOD, ABSENT -> blocks.remove(block);
            case COMPLETED, REPAIRED -> {
                background.rebuild().charge(0, bytes);
                if (!blocks.remove(block)) {
                    foundBad.incrementAndGet();
                }
                // That it had missed a write is nothing that anybody has to look at; `status` counts both.
                LOG.atLevel(found == ScrubMessage.ScrubOutcome.REPAIRED ? Level.INFO : Level.DEBUG)
                        .log("scrub: register {} is {}", block, found);
            }
            case UNFINISHED -> {
                if (blocks.size() < UNFINISHED_MAX && blocks.add(block)) {
                    foundBad.incrementAndGet();
                }
            }
            case UNASKED -> LOG.debug("scrub: too few peers answer for {}", block);
        }
    }
}
