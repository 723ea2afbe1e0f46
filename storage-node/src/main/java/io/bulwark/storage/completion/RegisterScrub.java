package io.bulwark.storage.completion;

import io.bulwark.client.object.Metadata;
import io.bulwark.protocol.cluster.Fact;
import io.bulwark.protocol.cluster.Volume;
import io.bulwark.protocol.cluster.VolumeKind;
import io.bulwark.protocol.control.NodeControlMessage.VolumeWork;
import io.bulwark.protocol.effect.Loaded;
import io.bulwark.protocol.effect.RecordKind;
import io.bulwark.protocol.fp.FpScrub;
import io.bulwark.protocol.id.BlockId;
import io.bulwark.protocol.metadata.Query;
import io.bulwark.protocol.metadata.Reply;
import io.bulwark.storage.node.BackgroundWork;
import io.bulwark.storage.node.NodeAccess;
import java.util.ArrayList;
import java.util.EnumMap;
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

/**
 * Goes through a node's register volumes round after round: one thread through the blocks that it holds something of,
 * another through those that it holds nothing of, as it may have missed their writes; a third looks again at what could not
 * be made up. What is done about a block is the server's to decide ({@link FpScrub}).
 */
public final class RegisterScrub implements BackgroundWork {
    private static final Logger LOG = LoggerFactory.getLogger(RegisterScrub.class);
    private static final int PAGE = 256;
    /** What goes beyond is found again in the next round. */
    private static final int UNFINISHED_MAX = 10_000;

    private static final long ANSWER_MILLIS = 60_000;
    private static final long STOP_MILLIS = 5_000;

    private final Metadata metadata;
    private final CompletionConfig config;
    private final long pauseMillis;
    private final Semaphore permits;
    private final List<Thread> threads = new ArrayList<>();
    private final Map<FpScrub.Found, AtomicLong> counts = new EnumMap<>(FpScrub.Found.class);
    private final SortedMap<Integer, SortedSet<BlockId>> unfinished = new ConcurrentSkipListMap<>();
    private volatile boolean stopping;

    /** Something to go through. */
    private interface Round {
        void run(Pace pace) throws InterruptedException, ExecutionException;
    }

    /** @param config its bounds hold for blocks here as for extents there; it polls for volumes as often */
    public RegisterScrub(Metadata metadata, CompletionConfig config) {
        this.metadata = metadata;
        this.config = config;
        this.pauseMillis = Math.max(config.pace().pollMillis(), config.pace().retryMillis());
        this.permits = new Semaphore(config.pace().atOnce());
        for (FpScrub.Found found : FpScrub.Found.values()) {
            counts.put(found, new AtomicLong());
        }
    }

    @Override
    public void start(NodeAccess node) {
        if (config.pace().scrubPerSecond() > 0) {
            begin(node, "held", pace -> held(node, pace));
            begin(node, "absent", pace -> absent(node, pace));
            begin(node, "again", pace -> again(node, pace));
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

    /** What was done and what is left. */
    public ScrubStatus status() {
        List<VolumeWork> work = new ArrayList<>();
        unfinished.forEach((volume, blocks) -> work.add(new VolumeWork(volume, blocks.size(), true)));
        long scrubbed = counts.values().stream().mapToLong(AtomicLong::get).sum();
        return new ScrubStatus(scrubbed, count(FpScrub.Found.COMPLETED), count(FpScrub.Found.REPAIRED), work);
    }

    private long count(FpScrub.Found found) {
        AtomicLong counter = counts.get(found);
        return counter == null ? 0 : counter.get();
    }

    private void begin(NodeAccess node, String name, Round round) {
        threads.add(Thread.ofVirtual()
                .name("bulwark-scrub-" + node.node() + "-" + name)
                .start(() -> loop(round)));
    }

    private void loop(Round round) {
        Pace pace = new Pace(config.pace().scrubPerSecond());
        boolean failing = false;
        while (!stopping) {
            try {
                round.run(pace);
                failing = false;
                TimeUnit.MILLISECONDS.sleep(pauseMillis);
            } catch (InterruptedException e) {
                return;
            } catch (ExecutionException | RuntimeException e) {
                if (!failing) {
                    LOG.info("scrubbing of register volumes waits: {}", e.getMessage());
                }
                failing = true;
                if (!rest()) {
                    return;
                }
            }
        }
    }

    private boolean rest() {
        try {
            TimeUnit.MILLISECONDS.sleep(pauseMillis);
            return true;
        } catch (InterruptedException e) {
            return false;
        }
    }

    /** What there is of any block, re-read and checked. */
    private void held(NodeAccess node, Pace pace) throws InterruptedException, ExecutionException {
        for (Volume volume : volumes(node)) {
            BlockId last = BlockId.register(volume.id(), volume.blocks() - 1);
            long next = 0;
            while (next < volume.blocks()) {
                List<Loaded.Meta> page = scan(node, BlockId.register(volume.id(), next), last, PAGE);
                next = page.size() < PAGE
                        ? volume.blocks()
                        : page.getLast().key().block().counter() + 1;
                for (BlockId block :
                        page.stream().map(meta -> meta.key().block()).distinct().toList()) {
                    look(node, pace, volume, block);
                }
            }
        }
    }

    private void absent(NodeAccess node, Pace pace) throws InterruptedException, ExecutionException {
        for (Volume volume : volumes(node)) {
            for (long counter = 0; counter < volume.blocks(); counter++) {
                BlockId block = BlockId.register(volume.id(), counter);
                if (volume.group(block).slotOf(node.node()) >= 0
                        && scan(node, block, block, 1).isEmpty()) {
                    look(node, pace, volume, block);
                }
            }
        }
    }

    private void again(NodeAccess node, Pace pace) throws InterruptedException, ExecutionException {
        for (Volume volume : volumes(node)) {
            for (BlockId block : List.copyOf(unfinished.getOrDefault(volume.id(), new ConcurrentSkipListSet<>()))) {
                look(node, pace, volume, block);
            }
        }
    }

    private static List<Loaded.Meta> scan(NodeAccess node, BlockId from, BlockId to, int max)
            throws InterruptedException, ExecutionException {
        return node.store()
                .scan(RecordKind.REGISTER_VERSION, from, to, max, _ -> true)
                .get()
                .records();
    }

    /** The register volumes of which this node holds a slot; its servers are told of them, too. */
    private List<Volume> volumes(NodeAccess node) throws InterruptedException, ExecutionException {
        if (!(metadata.query(new Query.GetMap()).get() instanceof Reply.Map(var map))) {
            throw new IllegalStateException("the replicas answer no map");
        }
        List<Volume> mine = map.volumes().stream()
                .filter(volume -> volume.kind() == VolumeKind.REGISTER)
                .filter(volume -> volume.groups().stream().anyMatch(group -> group.slotOf(node.node()) >= 0))
                .toList();
        mine.forEach(volume -> node.tell(new Fact.OfVolume(volume.id(), Optional.of(volume))));
        unfinished.keySet().removeIf(id -> mine.stream().noneMatch(volume -> volume.id() == id));
        return mine;
    }

    private void look(NodeAccess node, Pace pace, Volume volume, BlockId block) throws InterruptedException {
        if (volume.group(block).slotOf(node.node()) < 0) {
            return;
        }
        pace.await();
        permits.acquire();
        var _ = node.ask(new FpScrub.Look(block), ANSWER_MILLIS).whenComplete((answer, error) -> {
            permits.release();
            if (answer instanceof FpScrub.Seen seen) {
                take(block, seen.found());
            }
        });
    }

    private void take(BlockId block, FpScrub.Found found) {
        AtomicLong counter = counts.get(found);
        if (counter != null) {
            counter.incrementAndGet();
        }
        SortedSet<BlockId> blocks = unfinished.computeIfAbsent(block.volume(), _ -> new ConcurrentSkipListSet<>());
        switch (found) {
            case GOOD, ABSENT -> blocks.remove(block);
            case COMPLETED, REPAIRED -> {
                blocks.remove(block);
                LOG.info("scrubbing: register {} is {}", block, found);
            }
            case UNFINISHED -> {
                if (blocks.size() < UNFINISHED_MAX) {
                    blocks.add(block);
                }
            }
            case UNASKED -> LOG.debug("scrubbing: too few peers answer about {}", block);
        }
    }
}
