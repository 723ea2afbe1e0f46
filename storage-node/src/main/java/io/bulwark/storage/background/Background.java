package io.bulwark.storage.background;

import io.bulwark.protocol.completion.RebuildRate;
import io.bulwark.protocol.completion.WorkThrottle;
import io.bulwark.protocol.control.NodeControlMessage.BackgroundReport;
import io.bulwark.protocol.control.NodeControlMessage.RebuildReport;
import io.bulwark.protocol.id.BlockId;
import io.bulwark.protocol.id.PrincipalId;
import io.bulwark.storage.node.BackgroundWork;
import io.bulwark.storage.node.NodeAccess;
import io.micrometer.core.instrument.FunctionCounter;
import io.micrometer.core.instrument.Gauge;
import io.micrometer.core.instrument.MeterRegistry;
import java.util.List;
import java.util.concurrent.CopyOnWriteArrayList;
import java.util.concurrent.TimeUnit;
import java.util.function.BooleanSupplier;
import java.util.function.Predicate;
import java.util.function.Supplier;
import java.util.function.ToDoubleFunction;
import org.jspecify.annotations.Nullable;

/** The one {@link BackgroundScheduler} of a running node, under a real clock. Thread-safe. */
public final class Background implements BackgroundWork {
    private static final long ASK_AGAIN_MILLIS = 20;

    private final BackgroundScheduler scheduler;
    /** Schedules dissemination, which has a rate of its own. */
    private final BackgroundScheduler disseminations;

    private final Rebuild rebuild;
    private final long rebuildBytesPerSecond;
    private final boolean scrubs;
    /** Time at which the wait for verifications ends; guarded by the scheduler's lock. */
    private long wakesMillis;

    private final List<Supplier<ScrubCounts>> counted = new CopyOnWriteArrayList<>();
    private volatile @Nullable NodeAccess node;

    public Background(BackgroundPace pace, VerificationPace verification, MeterRegistry meters) {
        this.scheduler = new BackgroundScheduler(pace, verification, nowMillis());
        this.disseminations = new BackgroundScheduler(pace.ofDissemination(), verification, nowMillis());
        this.rebuild = new Rebuild(pace.rebuildBytesPerSecond());
        this.rebuildBytesPerSecond = pace.rebuildBytesPerSecond();
        this.scrubs = pace.scrubBytesPerSecond() > 0;
        counter(
                meters,
                "bulwark.background.looked",
                "Fragments checked, and blocks that peers were asked about.",
                BackgroundReport::looked);
        counter(
                meters,
                "bulwark.background.found.bad",
                "Fragments found damaged, missing or behind.",
                BackgroundReport::foundBad);
        counter(
                meters,
                "bulwark.background.repaired",
                "Fragments repaired of those found so.",
                BackgroundReport::repaired);
        counter(
                meters,
                "bulwark.background.idle.millis",
                "Time of background work while no client had requests.",
                BackgroundReport::idleMillis);
        FunctionCounter.builder("bulwark.background.rebuilt.bytes", rebuild, each -> each.bytes)
                .description("Bytes of fragments that the node has rebuilt.")
                .register(meters);
        Gauge.builder("bulwark.background.rebuild.rate", pace, BackgroundPace::rebuildBytesPerSecond)
                .description("Limit of rebuilding, in bytes per second.")
                .register(meters);
    }

    @Override
    public void start(NodeAccess started) {
        node = started;
    }

    @Override
    public void stop() {
        node = null;
    }

    /** Returns whether this node scrubs. */
    public boolean scrubs() {
        return scrubs;
    }

    /** Adds to what {@link #report} sums up. */
    public void count(Supplier<ScrubCounts> counts) {
        counted.add(counts);
    }

    /** Returns the background work since the node started. */
    public BackgroundReport report() {
        ScrubCounts sum = counted.stream().map(Supplier::get).reduce(ScrubCounts.NONE, ScrubCounts::plus);
        long idleMillis;
        synchronized (scheduler) {
            idleMillis = scheduler.idleUsedMillis();
        }
        return new BackgroundReport(sum.looked(), sum.foundBad(), sum.repaired(), idleMillis);
    }

    /** Returns how much was rebuilt since the node started, and the recent rate. */
    public RebuildReport rebuilding() {
        return new RebuildReport(rebuild.bytes, rebuild.recentPerSecond(), rebuildBytesPerSecond);
    }

    /** Lets a state machine re-read fragments; the times that it names are not used. */
    public WorkThrottle allowance(Scrubber scrubber) {
        return scrubs ? new Scheduled(scheduler, scrubber) : WorkThrottle.NEVER;
    }

    /** Lets a state machine disseminate extents; the times that it names are not used. */
    public WorkThrottle dissemination() {
        return new Scheduled(disseminations, Scrubber.EXTENTS);
    }

    /** Returns the rate for all that make fragments again; the times that they name are not used. */
    public RebuildRate rebuild() {
        return rebuild;
    }

    /**
     * Waits until a look may begin, also by what is rebuilt, and begins it.
     *
     * @param bytes of the fragment that is re-read
     */
    public void awaitLook(Scrubber scrubber, long bytes) throws InterruptedException {
        while (true) {
            long now = foregroundNoted();
            synchronized (scheduler) {
                if (rebuild.open(now) && scheduler.open(now, scrubber)) {
                    scheduler.begin(now, scrubber, bytes);
                    return;
                }
            }
            TimeUnit.MILLISECONDS.sleep(ASK_AGAIN_MILLIS);
        }
    }

    /** A look that began is over. */
    public void endLook() {
        long now = foregroundNoted();
        synchronized (scheduler) {
            scheduler.end(now);
        }
    }

    /** A block has so many unverified versions now, for which this node is responsible or not. */
    boolean possible(BlockId block, int versions, boolean responsible) {
        long now = nowMillis();
        synchronized (scheduler) {
            boolean written = scheduler.possible(now, block, versions, responsible);
            wakeIfSooner(now);
            return written;
        }
    }

    /** Returns a counter that rises when blocks forgotten for lack of room are to be reported again. */
    long forgotten() {
        synchronized (scheduler) {
            return scheduler.forgotten();
        }
    }

    /** A client has learnt a block's time, and is going to write. */
    void writeBegins(PrincipalId client, BlockId block) {
        long now = nowMillis();
        synchronized (scheduler) {
            scheduler.writeBegins(now, client, block);
        }
    }

    /** Records the arrival of an expected write. */
    void writeCame(PrincipalId client, BlockId block) {
        long now = nowMillis();
        synchronized (scheduler) {
            scheduler.writeCame(now, client, block);
            wakeIfSooner(now);
        }
    }

    private void wakeIfSooner(long now) {
        synchronized (scheduler) {
            if (now + scheduler.verificationWaitMillis(now) < wakesMillis) {
                scheduler.notifyAll();
            }
        }
    }

    /**
     * Waits for a block to be verified, and takes it; {@link #endVerification} must follow.
     *
     * @param pressed whether room for more versions is short, so that verification runs even if the node is not idle
     * @param cached whether a block's versions are still in the write-back cache
     * @return null if there was none before the timeout
     */
    @Nullable
    DueVerification awaitVerification(BooleanSupplier pressed, Predicate<BlockId> cached, long timeoutMillis)
            throws InterruptedException {
        long end = nowMillis() + timeoutMillis;
        while (true) {
            long now = foregroundNoted();
            boolean shortOfRoom = pressed.getAsBoolean();
            synchronized (scheduler) {
                DueVerification next =
                        scheduler.nextVerification(now, shortOfRoom, cached).orElse(null);
                if (next != null || now >= end) {
                    return next;
                }
                wakesMillis = Math.min(end, now + scheduler.verificationWaitMillis(now));
                scheduler.wait(wakesMillis - now);
            }
        }
    }

    void endVerification(BlockId block, boolean settled) {
        long now = foregroundNoted();
        synchronized (scheduler) {
            scheduler.verified(now, block, settled);
            scheduler.notifyAll();
        }
    }

    /** Tells the scheduler of the last request of a client; what time it is. */
    private long foregroundNoted() {
        return foregroundNoted(scheduler);
    }

    private long foregroundNoted(BackgroundScheduler by) {
        long now = nowMillis();
        NodeAccess running = node;
        if (running != null) {
            synchronized (by) {
                by.onForeground(now - running.sinceForegroundMillis());
            }
        }
        return now;
    }

    private final class Scheduled implements WorkThrottle {
        private final BackgroundScheduler by;
        private final Scrubber scrubber;

        Scheduled(BackgroundScheduler by, Scrubber scrubber) {
            this.by = by;
            this.scrubber = scrubber;
        }

        @Override
        public boolean open(long anyMillis) {
            long now = foregroundNoted(by);
            synchronized (by) {
                return by.open(now, scrubber);
            }
        }

        @Override
        public void begin(long anyMillis, long bytes) {
            synchronized (by) {
                by.begin(nowMillis(), scrubber, bytes);
            }
        }

        @Override
        public void end() {
            long now = foregroundNoted(by);
            synchronized (by) {
                by.end(now);
            }
        }
    }

    /** One rate for all shards and threads. */
    private static final class Rebuild implements RebuildRate {
        private final RebuildRate rate;
        private final SlidingWindow lately = new SlidingWindow(nowMillis());
        private volatile long bytes;

        Rebuild(long bytesPerSecond) {
            this.rate = RebuildRate.of(bytesPerSecond);
        }

        @Override
        public synchronized boolean open(long anyMillis) {
            return rate.open(nowMillis());
        }

        @Override
        public synchronized void charge(long anyMillis, long more) {
            bytes += more;
            lately.add(nowMillis(), more);
            rate.charge(nowMillis(), more);
        }

        synchronized long recentPerSecond() {
            return lately.perSecond(nowMillis());
        }
    }

    private void counter(
            MeterRegistry meters, String name, String description, ToDoubleFunction<BackgroundReport> value) {
        FunctionCounter.builder(name, this, background -> value.applyAsDouble(background.report()))
                .description(description)
                .register(meters);
    }

    private static long nowMillis() {
        return TimeUnit.NANOSECONDS.toMillis(System.nanoTime());
    }
}
