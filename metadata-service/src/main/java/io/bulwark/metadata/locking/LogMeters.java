package io.bulwark.metadata.locking;

import io.bulwark.protocol.locking.LogRefusal;
import io.bulwark.protocol.metadata.RoundReason;
import io.micrometer.core.instrument.Counter;
import io.micrometer.core.instrument.Gauge;
import io.micrometer.core.instrument.MeterRegistry;
import java.util.EnumMap;
import java.util.Locale;
import java.util.Map;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.concurrent.atomic.AtomicLong;

/** Meters of a replica's log of promises and of its log server, over all lives of the replica. */
public final class LogMeters {
    private static final double MILLIS_PER_SECOND = 1_000;

    private final Counter syncs;
    private final Counter appends;
    private final Counter entries;
    private final Map<RoundReason, Counter> rounds = new EnumMap<>(RoundReason.class);
    private final Map<RoundReason, Counter> seconds = new EnumMap<>(RoundReason.class);
    private final Map<LogRefusal, Counter> refusals = new EnumMap<>(LogRefusal.class);
    private final AtomicInteger open = new AtomicInteger();
    private final AtomicLong largest = new AtomicLong();
    private final AtomicInteger owed = new AtomicInteger();

    public LogMeters(MeterRegistry meters) {
        syncs = Counter.builder("bulwark.replica.syncs")
                .description("Syncs of the log of promises.")
                .register(meters);
        appends = Counter.builder("bulwark.locking.appends")
                .description("Batches of entries that the log server has taken.")
                .register(meters);
        entries = Counter.builder("bulwark.locking.entries")
                .description("Entries of logs that the log server has taken.")
                .register(meters);
        for (RoundReason reason : RoundReason.values()) {
            String name = reason.name().toLowerCase(Locale.ROOT);
            rounds.put(
                    reason,
                    Counter.builder("bulwark.locking.rounds")
                            .description("Rounds that have closed a log, by reason.")
                            .tag("reason", name)
                            .register(meters));
            seconds.put(
                    reason,
                    Counter.builder("bulwark.locking.rounds.seconds")
                            .description("Time from the opening of rounds to their end, by reason.")
                            .tag("reason", name)
                            .register(meters));
        }
        for (LogRefusal reason : LogRefusal.values()) {
            refusals.put(
                    reason,
                    Counter.builder("bulwark.locking.refusals")
                            .description("Batches and reads of logs that were refused, by reason.")
                            .tag("reason", reason.name().toLowerCase(Locale.ROOT))
                            .register(meters));
        }
        Gauge.builder("bulwark.locking.logs", open, AtomicInteger::get)
                .description("Logs in the store of the log server.")
                .register(meters);
        Gauge.builder("bulwark.locking.largest.bytes", largest, AtomicLong::get)
                .description("Bytes of the largest log in the store of the log server.")
                .register(meters);
        Gauge.builder("bulwark.locking.fetches.owed", owed, AtomicInteger::get)
                .description("Logs whose end the replica has not had ordered yet though their round is open.")
                .register(meters);
    }

    /** The log of promises has synced what waited. */
    public void promisesSynced() {
        syncs.increment();
    }

    void appended(int count) {
        appends.increment();
        entries.increment(count);
    }

    void closed(RoundReason reason, long millis) {
        Counter count = rounds.get(reason);
        Counter time = seconds.get(reason);
        if (count != null && time != null) {
            count.increment();
            time.increment(millis / MILLIS_PER_SECOND);
        }
    }

    void refused(LogRefusal reason) {
        Counter counter = refusals.get(reason);
        if (counter != null) {
            counter.increment();
        }
    }

    void setOpen(int logs, long largestBytes, int fetches) {
        open.set(logs);
        largest.set(largestBytes);
        owed.set(fetches);
    }
}
