package io.bulwark.storage.completion;

import io.bulwark.client.object.Metadata;
import io.bulwark.protocol.cluster.Fact;
import io.bulwark.protocol.cluster.Volume;
import io.bulwark.protocol.cluster.VolumeKind;
import io.bulwark.protocol.control.NodeControlMessage.VolumeWork;
import io.bulwark.protocol.metadata.Query;
import io.bulwark.protocol.metadata.Reply;
import io.bulwark.storage.node.BackgroundWork;
import io.bulwark.storage.node.NodeAccess;
import java.io.IOException;
import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.Deque;
import java.util.List;
import java.util.Map;
import java.util.SortedMap;
import java.util.TreeMap;
import java.util.concurrent.ConcurrentSkipListMap;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.TimeUnit;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Keeps a node's extents complete: one thread follows the metadata from where the last life stopped, another re-reads what
 * is referenced, round after round, a third keeps the agreed time moving. All wait while the metadata service does not
 * answer.
 */
public final class Completion implements BackgroundWork {
    private static final Logger LOG = LoggerFactory.getLogger(Completion.class);
    private static final int PAGE = 100;
    private static final long MAP_MILLIS = 2_000;
    /** What a server was told is durable after so long; only then the cursor moves past it on disk. */
    private static final long SETTLE_MILLIS = 10_000;

    private static final long SCRUB_PAUSE_MILLIS = 10_000;
    private static final long STOP_MILLIS = 5_000;

    private final Metadata metadata;
    private final CompletionConfig config;
    private final SortedMap<Integer, VolumeProgress> progress = new ConcurrentSkipListMap<>();
    private final Deque<long[]> toldSequences = new ArrayDeque<>();
    private volatile @Nullable Parts parts;
    private volatile List<Volume> volumes = List.of();
    private volatile boolean stopping;
    private long mapMillis = -MAP_MILLIS;

    /** What there is once the node serves. */
    private record Parts(
            NodeAccess node,
            Cursors cursors,
            ExtentChecks checks,
            LayoutWalk walk,
            FactFeed facts,
            VerdictReports reports,
            ControlSession session,
            List<Thread> threads) {}

    public Completion(Metadata metadata, CompletionConfig config) {
        this.metadata = metadata;
        this.config = config;
    }

    @Override
    public void start(NodeAccess node) {
        Cursors cursors = new Cursors(config.cursors());
        ControlSession session = new ControlSession(metadata);
        Parts made = new Parts(
                node,
                cursors,
                new ExtentChecks(node, config),
                new LayoutWalk(node.operations(), node.node()),
                new FactFeed(metadata, node, cursors.sequence()),
                new VerdictReports(session, node.evidence(), node.node()),
                session,
                new ArrayList<>());
        parts = made;
        String name = "bulwark-completion-" + node.node();
        made.threads().add(Thread.ofVirtual().name(name).start(() -> loop(() -> follow(made), config.pollMillis())));
        made.threads()
                .add(Thread.ofVirtual()
                        .name(name + "-session")
                        .start(() -> loop(session::renew, config.renewMillis())));
        if (config.scrubPerSecond() > 0) {
            Pace pace = new Pace(config.scrubPerSecond());
            made.threads()
                    .add(Thread.ofVirtual()
                            .name(name + "-scrub")
                            .start(() -> loop(() -> scrub(made, pace), SCRUB_PAUSE_MILLIS)));
        }
    }

    @Override
    public void stop() {
        stopping = true;
        Parts running = parts;
        if (running == null) {
            return;
        }
        running.threads().forEach(Thread::interrupt);
        try {
            for (Thread thread : running.threads()) {
                thread.join(STOP_MILLIS);
            }
            running.session().close();
            save(running);
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
        } catch (IOException e) {
            LOG.warn("how far completion has come cannot be saved; it will begin further back", e);
        }
    }

    /** What was done and what is left; empty counts before the node serves. */
    public CompletionStatus status() {
        Parts running = parts;
        List<VolumeWork> work = new ArrayList<>();
        progress.forEach((volume, at) -> work.add(new VolumeWork(volume, at.unfinished(), at.caughtUp())));
        return running == null
                ? new CompletionStatus(0, 0, 0, 0, 0, 0, work)
                : running.checks().status(running.reports().reported(), work);
    }

    /** A round of work that may fail because others do not answer. */
    private interface Round {
        void run() throws InterruptedException, ExecutionException, IOException;
    }

    private void loop(Round round, long pauseMillis) {
        boolean failing = false;
        while (!stopping) {
            try {
                round.run();
                failing = false;
            } catch (ExecutionException | IOException e) {
                if (!failing) {
                    LOG.info("completion waits: {}", e.getMessage());
                }
                failing = true;
            } catch (InterruptedException e) {
                return;
            } catch (RuntimeException e) {
                LOG.error("a round of completion failed", e);
            }
            try {
                TimeUnit.MILLISECONDS.sleep(pauseMillis);
            } catch (InterruptedException e) {
                return;
            }
        }
    }

    private void follow(Parts running) throws InterruptedException, ExecutionException, IOException {
        long now = TimeUnit.NANOSECONDS.toMillis(System.nanoTime());
        if (volumes.isEmpty() || now - mapMillis >= MAP_MILLIS || mapMillis < 0) {
            volumes = volumesOf(running.node().node());
            mapMillis = now;
        }
        running.facts().poll(volumes);
        toldSequences.addLast(new long[] {now, running.facts().sequence()});
        for (Volume volume : volumes) {
            VolumeProgress at = progress.computeIfAbsent(
                    volume.id(), id -> new VolumeProgress(running.cursors().inode(id)));
            retry(running, at, now);
            learn(running, volume, at);
        }
        running.reports().poll();
        save(running);
    }

    /** The object volumes of which this node holds a slot. */
    private List<Volume> volumesOf(int node) throws InterruptedException, ExecutionException {
        if (!(metadata.query(new Query.GetMap()).get() instanceof Reply.Map(var map))) {
            throw new IllegalStateException("the replicas answer no map");
        }
        return map.volumes().stream()
                .filter(volume -> volume.kind() == VolumeKind.OBJECT)
                .filter(volume -> volume.groups().stream().anyMatch(group -> group.slotOf(node) >= 0))
                .toList();
    }

    private void learn(Parts running, Volume volume, VolumeProgress at)
            throws InterruptedException, ExecutionException {
        while (!at.crowded()) {
            Reply.References page = page(volume.id(), at.cursor());
            for (Reply.Reference reference : page.references()) {
                visit(running, volume, reference, at);
            }
            running.checks().awaitAll();
            at.advance(page.next(), !page.more());
            if (!page.more()) {
                return;
            }
        }
    }

    private void visit(Parts running, Volume volume, Reply.Reference reference, VolumeProgress at)
            throws InterruptedException {
        reference.pendingRanges().forEach(range -> running.node().tell(new Fact.Pending(range)));
        if (reference.layout().isPresent()
                && !running.walk()
                        .walk(
                                volume,
                                reference.inode(),
                                reference.layout().get(),
                                extent -> running.checks().complete(extent, at))) {
            at.unreadable(volume, reference);
        }
    }

    private void retry(Parts running, VolumeProgress at, long nowMillis) throws InterruptedException {
        if (!at.retryIsDue(nowMillis, config.retryMillis())) {
            return;
        }
        for (Referenced extent : at.toRetry()) {
            running.checks().complete(extent, at);
        }
        for (Map.Entry<Volume, Reply.Reference> again : at.takeUnreadable()) {
            visit(running, again.getKey(), again.getValue(), at);
        }
        running.checks().awaitAll();
    }

    /** Everything that is referenced, re-read and checked. */
    private void scrub(Parts running, Pace pace) throws InterruptedException, ExecutionException {
        for (Volume volume : volumes) {
            VolumeProgress at = progress.get(volume.id());
            long cursor = 0;
            boolean more = at != null;
            while (more && at != null) {
                Reply.References page = page(volume.id(), cursor);
                for (Reply.Reference reference : page.references()) {
                    if (reference.layout().isPresent()) {
                        var _ = running.walk()
                                .walk(
                                        volume,
                                        reference.inode(),
                                        reference.layout().get(),
                                        extent -> {
                                            pace.await();
                                            running.checks().scrub(extent, at);
                                        });
                    }
                }
                cursor = page.next();
                more = page.more();
            }
        }
    }

    private Reply.References page(int volume, long after) throws InterruptedException, ExecutionException {
        Reply reply = metadata.query(new Query.References(volume, after, PAGE)).get();
        if (!(reply instanceof Reply.References references)) {
            throw new ExecutionException(new IllegalStateException("references of volume " + volume + ": " + reply));
        }
        return references;
    }

    private void save(Parts running) throws IOException {
        long settled = TimeUnit.NANOSECONDS.toMillis(System.nanoTime()) - SETTLE_MILLIS;
        long sequence = running.cursors().sequence();
        while (!toldSequences.isEmpty() && toldSequences.getFirst()[0] <= settled) {
            sequence = toldSequences.removeFirst()[1];
        }
        SortedMap<Integer, Long> inodes = new TreeMap<>();
        progress.forEach((volume, at) -> inodes.put(volume, at.safeCursor()));
        running.cursors().save(sequence, inodes);
    }
}
