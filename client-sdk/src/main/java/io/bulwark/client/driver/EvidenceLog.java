package io.bulwark.client.driver;

import io.bulwark.protocol.effect.Effect;
import io.bulwark.protocol.effect.Verdict;
import io.bulwark.protocol.id.PrincipalId;
import io.micrometer.core.instrument.Counter;
import io.micrometer.core.instrument.MeterRegistry;
import io.micrometer.core.instrument.simple.SimpleMeterRegistry;
import java.time.Instant;
import java.time.InstantSource;
import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.EnumMap;
import java.util.HashMap;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.TreeMap;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * The last evidence in memory. Poisonous versions are kept apart, as reports of these suspend clients, and each
 * principal has its own share, so that none displaces the others'. Counters cover all evidence; the log has some of it.
 * It gets at most one line per second and pair of principal and verdict, so that a liar cannot fill the disk. Only
 * {@link Verdict#CORRUPT} and {@link Verdict#MISBEHAVED} are warnings; the other verdicts accuse nobody. Thread-safe.
 */
public final class EvidenceLog implements EvidenceListener {
    /** Maximum number of entries about poisonous versions, and of all other entries; the oldest are dropped first. */
    public static final int ENTRIES_MAX = 16_384;

    /** Maximum number of these about one principal. */
    public static final int SHARE_MAX = ENTRIES_MAX / 4;

    private static final Logger LOG = LoggerFactory.getLogger(EvidenceLog.class);
    private static final long LOG_INTERVAL_MILLIS = 1000;
    /** Principals beyond this many are not told apart any more. */
    private static final int PRINCIPALS_MAX = 8192;

    private final MeterRegistry meters;
    private final InstantSource clock;
    private final KeptEntries poisonous = new KeptEntries();
    private final KeptEntries others = new KeptEntries();
    private final Map<PrincipalId, EnumMap<Verdict, Tally>> tallies = new HashMap<>();
    private long total;

    /** Makes a log with meters of its own and the system's clock. */
    public EvidenceLog() {
        this(new SimpleMeterRegistry(), InstantSource.system());
    }

    public EvidenceLog(MeterRegistry meters, InstantSource clock) {
        this.meters = meters;
        this.clock = clock;
    }

    /** One piece of evidence and when it came, with its number in the order of arrival, counted from 1. */
    public record Entry(long number, Instant at, Effect.Evidence evidence) {}

    @Override
    public void onEvidence(Effect.Evidence evidence) {
        Instant now = clock.instant();
        long silenced;
        synchronized (this) {
            if (evidence.verdict() != Verdict.SLOW) {
                total++;
                (evidence.verdict() == Verdict.POISONOUS ? poisonous : others).add(new Entry(total, now, evidence));
            }
            silenced = tally(evidence).count(now.toEpochMilli());
        }
        if (silenced >= 0) {
            log(evidence, silenced);
        }
    }

    /** Returns the retained evidence with a number above {@code after}, oldest first. */
    public synchronized List<Entry> since(long after) {
        List<Entry> found = new ArrayList<>(poisonous.since(after));
        found.addAll(others.since(after));
        found.sort(Comparator.comparingLong(Entry::number));
        return found;
    }

    /** Does the same as {@link #since} for poisonous versions alone. */
    public synchronized List<Entry> poisonousSince(long after) {
        return poisonous.since(after);
    }

    /** The number of the last entry, 0 before the first. */
    public synchronized long last() {
        return total;
    }

    /** Returns the count of each verdict, by principal, since the start. */
    public synchronized Map<PrincipalId, Map<Verdict, Long>> counts() {
        Map<PrincipalId, Map<Verdict, Long>> counts = new TreeMap<>();
        tallies.forEach((about, byVerdict) -> {
            EnumMap<Verdict, Long> copy = new EnumMap<>(Verdict.class);
            byVerdict.forEach((verdict, tally) -> copy.put(verdict, tally.count));
            counts.put(about, copy);
        });
        return counts;
    }

    private Tally tally(Effect.Evidence evidence) {
        boolean full = tallies.size() >= PRINCIPALS_MAX && !tallies.containsKey(evidence.about());
        PrincipalId about = full ? PrincipalId.NOBODY : evidence.about();
        return tallies.computeIfAbsent(about, key -> new EnumMap<>(Verdict.class))
                .computeIfAbsent(evidence.verdict(), verdict -> new Tally(counter(about, verdict)));
    }

    private Counter counter(PrincipalId about, Verdict verdict) {
        return Counter.builder("bulwark.client.evidence")
                .description("Findings about other members: bad, impossible or missing answers.")
                .tag("about", about.toString())
                .tag("verdict", verdict.name())
                .register(meters);
    }

    private static void log(Effect.Evidence evidence, long silenced) {
        String more = silenced == 0 ? "" : " (and " + silenced + " similar)";
        switch (evidence.verdict()) {
            case CORRUPT, MISBEHAVED, POISONOUS ->
                LOG.warn(
                        "{} {}: block {}: {}{}",
                        evidence.about(),
                        evidence.verdict(),
                        evidence.block(),
                        evidence.detail(),
                        more);
            case DAMAGED, OTHER_VERSION, BEHIND ->
                LOG.info(
                        "{} {}: block {}: {}{}",
                        evidence.about(),
                        evidence.verdict(),
                        evidence.block(),
                        evidence.detail(),
                        more);
            // A busy node is no finding; a connection that is lost has its own line.
            case SLOW ->
                LOG.debug("{} is slow: block {}: {}{}", evidence.about(), evidence.block(), evidence.detail(), more);
        }
    }

    /** Entries by their numbers, in this order. */
    private static final class KeptEntries {
        private final LinkedHashMap<Long, Entry> entries = new LinkedHashMap<>();
        private final Map<PrincipalId, ArrayDeque<Long>> shares = new HashMap<>();

        void add(Entry entry) {
            PrincipalId about = entry.evidence().about();
            ArrayDeque<Long> share = shares.computeIfAbsent(about, ignored -> new ArrayDeque<>());
            share.addLast(entry.number());
            entries.put(entry.number(), entry);
            if (share.size() > SHARE_MAX) {
                remove(about);
            } else if (entries.size() > ENTRIES_MAX) {
                remove(entries.firstEntry().getValue().evidence().about());
            }
        }

        /** The oldest about one. */
        private void remove(PrincipalId about) {
            ArrayDeque<Long> share = shares.get(about);
            if (share != null) {
                entries.remove(share.removeFirst());
                if (share.isEmpty()) {
                    shares.remove(about);
                }
            }
        }

        List<Entry> since(long after) {
            return entries.values().stream()
                    .filter(entry -> entry.number() > after)
                    .toList();
        }
    }

    private static final class Tally {
        private final Counter counter;
        private long count;
        private long silenced;
        private long loggedAtMillis = Long.MIN_VALUE;

        Tally(Counter counter) {
            this.counter = counter;
        }

        /** Counts one; returns how many were not logged since the last line if this one is to be logged, else -1. */
        long count(long nowMillis) {
            count++;
            counter.increment();
            if (loggedAtMillis != Long.MIN_VALUE && nowMillis - loggedAtMillis < LOG_INTERVAL_MILLIS) {
                silenced++;
                return -1;
            }
            loggedAtMillis = nowMillis;
            long before = silenced;
            silenced = 0;
            return before;
        }
    }
}
