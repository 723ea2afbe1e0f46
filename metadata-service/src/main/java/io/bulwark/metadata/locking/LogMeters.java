package io.bulwark.metadata.locking;

import io.bulwark.protocol.locking.LogRefusal;
import io.bulwark.protocol.metadata.RoundReason;
import io.micrometer.core.instrument.Counter;
import io.micrometer.core.instrument.Gauge;
import io.micrometer.core.instrument.MeterRegistry;
import io.micrometer.core.instrument.Timer;
import java.util.EnumMap;
import java.util.Locale;
import java.util.Map;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicInteger;

/** Meters of the log server in a replica's process, over all lives of the replica. */
public final class LogMeters {
    private final Counter appends;
    private final Counter entries;
    private final Map<RoundReason, Timer> rounds = new EnumMap<>(RoundReason.class);
    private final Map<LogRefusal, Counter> refusals = new EnumMap<>(LogRefusal.class);
    private final AtomicInteger open = new AtomicInteger();
    private final AtomicInteger owed = new AtomicInteger();

    public LogMeters(MeterRegistry meters) {
        appends = Counter.builder("bulwark.locking.appends")
                .description("Batches of entries that the log server has taken.")
                .register(meters);
        entries = Counter.builder("bulwark.locking.entries")
                .description("Entries of logs that the log server has taken.")
                .register(meters);
        for (RoundReason reason : RoundReason.values()) {
            rounds.put(
                    reason,
                    Timer.builder("bulwark.locking.rounds")
                            .description("Rounds that have closed a log, and how long they took, by reason.")
                            .tag("reason", reason.name().toLowerCase(Locale.ROOT))
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
        Gauge.builder("bulwark.locking.fetches.owed", owed, AtomicInteger::get)
                .description("Logs whose end the replica has not had ordered yet though their round is open.")
                .register(meters);
    }

    void appended(int count) {
        appends.increment();
        entries.increment(count);
    }

    void closed(RoundReason reason, long millis) {
        Timer timer = rounds.get(reason);
        if (timer != null) {
            timer.record(millis, TimeUnit.MILLISECONDS);
        }
    }

    void refused(LogRefusal reason) {
        Counter counter = refusals.get(reason);
        if (counter != null) {
            counter.increment();
        }
    }

    void setOpen(int logs, int fetches) {
        open.set(logs);
        owed.set(fetches);
    }
}
