package io.bulwark.storage.background;

import io.bulwark.protocol.control.NodeControlMessage.VersionsReport;
import io.bulwark.protocol.id.BlockId;
import io.bulwark.protocol.id.PrincipalId;
import io.bulwark.protocol.pasis.PasisBackground;
import io.bulwark.protocol.pasis.PasisCounters;
import io.bulwark.protocol.pasis.VerificationWatch;
import io.bulwark.storage.node.BackgroundWork;
import io.bulwark.storage.node.NodeAccess;
import io.micrometer.core.instrument.FunctionCounter;
import io.micrometer.core.instrument.Gauge;
import io.micrometer.core.instrument.MeterRegistry;
import java.util.List;
import java.util.Map;
import java.util.TreeMap;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.function.ToLongFunction;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Has the node's own servers verify blocks of volumes with lazy verification: the servers tell what there is to verify, the scheduler
 * says when and which, one thread asks the servers to do it. Thread-safe.
 */
public final class LazyVerification implements BackgroundWork {
    private static final Logger LOG = LoggerFactory.getLogger(LazyVerification.class);
    /** Longer than a verification takes before it gives up. */
    private static final long ANSWER_MILLIS = 30_000;

    /** Verification begins though the node is busy once so much of the history pool is taken. */
    private static final double PRESSED_SHARE = 0.75;

    private static final long WAIT_MILLIS_MAX = 1_000;
    private static final long STOP_MILLIS = 5_000;

    private final Background background;
    private final HistoryPool pool;
    private final ReadChoice choice = new ReadChoice();
    private final Map<Integer, Map<Integer, PasisCounters>> counters = new ConcurrentHashMap<>();
    private final PoolShortage shortage = new PoolShortage(System::nanoTime);
    private final AtomicInteger servers = new AtomicInteger();
    private volatile @Nullable NodeAccess node;
    private volatile @Nullable Thread thread;
    private volatile boolean stopping;

    public LazyVerification(Background background, HistoryPool pool, MeterRegistry meters) {
        this.background = background;
        this.pool = pool;
        gauge(
                meters,
                "bulwark.pasis.unverified",
                "Versions that are neither verified nor collected.",
                PasisCounters::possibleVersions);
        gauge(
                meters,
                "bulwark.pasis.pool.bytes",
                "Bytes of the history pool that their fragments take.",
                PasisCounters::poolBytes);
        Gauge.builder("bulwark.pasis.pool.max.bytes", this, each -> each.pool.bytes())
                .description("Size of the history pool.")
                .register(meters);
        Gauge.builder("bulwark.pasis.pool.short", this, each -> each.neededBytes() > 0 ? 1 : 0)
                .description("1 while the history pool is too small for the clients that write.")
                .register(meters);
        counter(
                meters,
                "bulwark.pasis.verifications",
                "Versions that the node verified by reading at the others.",
                PasisCounters::verifications);
        counter(
                meters,
                "bulwark.pasis.verifications.on.demand",
                "Verifications that a bound, a read or a write waited for.",
                PasisCounters::onDemand);
        counter(
                meters,
                "bulwark.pasis.cooperative",
                "Versions verified by the word of b + 1 other nodes.",
                PasisCounters::cooperative);
        counter(
                meters,
                "bulwark.pasis.avoided",
                "Versions collected unverified, since a later one was verified.",
                PasisCounters::avoided);
        counter(meters, "bulwark.pasis.poisonous", "Versions discarded as poisonous.", PasisCounters::poisonous);
        counter(meters, "bulwark.pasis.refused", "Writes refused at a bound.", PasisCounters::refused);
        counter(
                meters,
                "bulwark.pasis.fragments.sent",
                "Answers to clients' reads with a fragment.",
                PasisCounters::fragmentsSent);
        counter(
                meters,
                "bulwark.pasis.hashes.sent",
                "Answers to clients' reads with the hash alone.",
                PasisCounters::hashesSent);
    }

    /**
     * Returns the size that the history pool needs. It is 0 unless a client wrote within the last minute while the pool
     * was too small for the clients.
     */
    public long neededBytes() {
        return shortage.neededBytes();
    }

    private void recordShortage(int volume, long neededBytes) {
        if (shortage.note(neededBytes)) {
            LOG.warn(
                    "the history pool of {} bytes is too small for a few versions of each client in volume {}: set "
                            + "history-pool to {} bytes or more, or some clients may block the writes of others",
                    pool.bytes(),
                    volume,
                    shortage.neededBytes());
        }
    }

    /** Returns the receiver of reports from the server of a shard. */
    public VerificationWatch watch(int shard) {
        servers.incrementAndGet();
        return new Watch(shard);
    }

    /** By rising volume id. */
    public List<VersionsReport> report() {
        Map<Integer, PasisCounters> byVolume = new TreeMap<>();
        counters.values()
                .forEach(each ->
                        each.forEach((volume, counted) -> byVolume.merge(volume, counted, PasisCounters::plus)));
        return byVolume.entrySet().stream()
                .map(each -> report(each.getKey(), each.getValue()))
                .toList();
    }

    @Override
    public void start(NodeAccess started) {
        node = started;
        thread = Thread.ofPlatform()
                .daemon()
                .name("node-" + started.node() + "-verification")
                .start(() -> run(started));
    }

    @Override
    public void stop() {
        stopping = true;
        Thread running = thread;
        if (running == null) {
            return;
        }
        running.interrupt();
        try {
            running.join(STOP_MILLIS);
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
        }
    }

    private void run(NodeAccess serving) {
        while (!stopping) {
            try {
                DueVerification next = background.awaitVerification(
                        this::isUnderPressure, serving.store()::holdsUnwritten, WAIT_MILLIS_MAX);
                if (next != null) {
                    verify(serving, next);
                }
            } catch (InterruptedException e) {
                return;
            } catch (RuntimeException e) {
                LOG.error("a step of verification failed", e);
            }
        }
    }

    private boolean isUnderPressure() {
        return total(PasisCounters::poolBytes) > pool.bytes() * PRESSED_SHARE;
    }

    private void verify(NodeAccess serving, DueVerification due) {
        // Only repair removes a writer's incomplete versions, and poisonous ones at too few nodes to ever be complete.
        PasisBackground.Verify asked = new PasisBackground.Verify(due.block(), due.again());
        var _ = serving.ask(asked, ANSWER_MILLIS).whenComplete((answer, error) -> {
            boolean settled = answer instanceof PasisBackground.Verified verified
                    && (verified.found() == PasisBackground.VerificationOutcome.VERIFIED
                            || verified.found() == PasisBackground.VerificationOutcome.IDLE);
            background.endVerification(due.block(), settled);
        });
    }

    private final class Watch implements VerificationWatch {
        private final int shard;

        Watch(int shard) {
            this.shard = shard;
        }

        @Override
        public void possible(long nowMillis, BlockId block, int versions, boolean responsible) {
            if (background.possible(block, versions, responsible)) {
                synchronized (choice) {
                    choice.onWrite(nowMillis);
                }
            }
        }

        @Override
        public long forgotten() {
            return background.forgotten();
        }

        @Override
        public void writeBegins(PrincipalId client, BlockId block) {
            background.writeBegins(client, block);
        }

        @Override
        public void writeCame(PrincipalId client, BlockId block) {
            background.writeCame(client, block);
        }

        @Override
        public void poolIsShort(int volume, long neededBytes) {
            // They share the pool evenly.
            recordShortage(volume, neededBytes * servers.get());
        }

        @Override
        public boolean mustVerifyBeforeRead(long nowMillis, BlockId block) {
            NodeAccess serving = node;
            synchronized (choice) {
                return choice.verifies(nowMillis, serving == null ? 0 : serving.requestsInProcessing());
            }
        }

        @Override
        public void onCountersChanged(int volume, PasisCounters counted) {
            counters.computeIfAbsent(shard, _ -> new ConcurrentHashMap<>()).put(volume, counted);
        }
    }

    private static VersionsReport report(int volume, PasisCounters counted) {
        return new VersionsReport(
                volume,
                counted.possibleVersions(),
                counted.poolBytes(),
                counted.verifications(),
                counted.onDemand(),
                counted.cooperative(),
                counted.avoided(),
                counted.poisonous(),
                counted.refused());
    }

    private long total(ToLongFunction<PasisCounters> value) {
        return counters.values().stream()
                .flatMap(each -> each.values().stream())
                .mapToLong(value)
                .sum();
    }

    private void gauge(MeterRegistry meters, String name, String description, ToLongFunction<PasisCounters> value) {
        Gauge.builder(name, this, each -> each.total(value))
                .description(description)
                .register(meters);
    }

    private void counter(MeterRegistry meters, String name, String description, ToLongFunction<PasisCounters> value) {
        FunctionCounter.builder(name, this, each -> each.total(value))
                .description(description)
                .register(meters);
    }
}
