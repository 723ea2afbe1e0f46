package io.bulwark.console.live;

import io.bulwark.client.ClusterStatus;
import java.time.Duration;
import java.time.Instant;
import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.Deque;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.SortedMap;
import java.util.TreeMap;
import org.jspecify.annotations.Nullable;
import org.springframework.stereotype.Component;

/**
 * The last hour of the cluster's figures: one sample each {@link #STEP}, at most {@value #SAMPLES_MAX}. A sample holds one figure for
 * each volume, a few for the whole, and a few for each node up to a bound. Thread-safe.
 */
@Component
public class History {
    public static final Duration STEP = Duration.ofSeconds(10);
    public static final int SAMPLES_MAX = 360;

    /** Name of the series with the faults that a volume can still take is this and the volume's name. */
    public static final String FAULTS_LEFT = "faults-left.";

    /** Series that are rates, each with the counter that it follows. */
    private static final SortedMap<String, String> COUNTERS = new TreeMap<>(Map.of(
            "metadata.rate",
            "metadata.applied",
            "scrub.rate",
            "scrub.checked",
            "repair.rate",
            "repair.done",
            "verification.rate",
            "verification.done"));

    private final Deque<Sample> samples = new ArrayDeque<>();
    private final NodeHistory nodes = new NodeHistory();
    private List<String> names = List.of();

    /** Unit of a series' values. */
    public enum Unit {
        BYTES,
        PER_SECOND,
        MILLISECONDS,
        BLOCKS,
        FAULTS
    }

    /**
     * Points of one series in the order of time.
     *
     * @param source {@code console} or {@code prometheus}
     * @param seconds since 1970
     * @param values of the same length; null where the cluster did not answer
     */
    public record Series(String name, Unit unit, String source, List<Long> seconds, List<@Nullable Double> values) {}

    @SuppressWarnings(
            "ArrayRecordComponent") // Never compared, and never shared; boxed it would be several times as large.
    private record Sample(Instant at, List<String> names, double[] values) {
        private double value(String name) {
            int index = names.indexOf(name);
            return index < 0 ? Double.NaN : values[index];
        }
    }

    /** Adds a sample of a cluster that answered. */
    public synchronized void add(ClusterWatch.Observation observation, Duration latency) {
        Map<String, Double> figures = new LinkedHashMap<>();
        ClusterStatus status = observation.status();
        long used = 0;
        long free = 0;
        long pending = 0;
        long checked = 0;
        long repaired = 0;
        for (ClusterStatus.NodeStatus node : status.nodes()) {
            used += node.usedBytes();
            free += node.freeBytes();
            pending += node.pending();
            checked += node.background().looked();
            repaired += node.background().repaired();
        }
        figures.put("capacity.used", (double) used);
        figures.put("capacity.free", (double) free);
        figures.put("backlog.blocks", (double) pending);
        figures.put("scrub.checked", (double) checked);
        figures.put("repair.done", (double) repaired);
        long unverified = 0;
        long verified = 0;
        long pool = 0;
        for (ClusterStatus.VolumeStatus volume : status.volumes()) {
            for (ClusterStatus.Versions versions : volume.versions().values()) {
                unverified += versions.unverified();
                verified += versions.verifications();
                pool += versions.poolBytes();
            }
            figures.put(FAULTS_LEFT + volume.volume().name(), (double) volume.moreFaults());
        }
        figures.put("backlog.unverified", (double) unverified);
        figures.put("verification.done", (double) verified);
        figures.put("pool.used", (double) pool);
        long failed = status.replicas().stream()
                .filter(replica -> !replica.reachable() || !replica.agrees())
                .count();
        figures.put("replica-faults-left", (double) (status.replicas().size() / 3 - failed));
        figures.put("metadata.applied", (double) status.agreedApplied());
        figures.put("metadata.latency", latency.toNanos() / 1e6);
        add(observation.at(), figures);
        nodes.add(observation.at(), status);
    }

    /** Adds a sample of a cluster that did not answer: plots have a gap there. */
    public synchronized void addGap(Instant at) {
        add(at, Map.of());
        nodes.addGap(at);
    }

    private void add(Instant at, Map<String, Double> figures) {
        List<String> given = List.copyOf(figures.keySet());
        // The names are the same in almost all samples, and kept once.
        if (!given.isEmpty() && !given.equals(names)) {
            names = given;
        }
        double[] values =
                figures.values().stream().mapToDouble(Double::doubleValue).toArray();
        samples.addLast(new Sample(at, given.isEmpty() ? given : names, values));
        while (samples.size() > SAMPLES_MAX) {
            samples.removeFirst();
        }
    }

    /** Returns the names of all series of the whole; those of nodes are called {@code node-3.scrub.rate} and so on. */
    public synchronized List<String> names() {
        List<String> all = new ArrayList<>(COUNTERS.keySet());
        names.stream().filter(name -> !COUNTERS.containsValue(name)).forEach(all::add);
        return all;
    }

    /** Returns a series from a time on; empty if there is none of this name. */
    public synchronized Optional<Series> series(String name, Instant since) {
        if (!names().contains(name)) {
            return nodes.series(name, since);
        }
        List<Long> seconds = new ArrayList<>();
        List<@Nullable Double> values = new ArrayList<>();
        String counter = COUNTERS.get(name);
        Sample before = null;
        for (Sample sample : samples) {
            double value = counter == null ? sample.value(name) : rate(counter, before, sample);
            if (!sample.at.isBefore(since)) {
                seconds.add(sample.at.getEpochSecond());
                values.add(Double.isNaN(value) ? null : value);
            }
            before = sample;
        }
        return Optional.of(new Series(name, unit(name), "console", seconds, values));
    }

    /** Returns the last value of a series; empty if the cluster did not answer then. */
    public Optional<Double> latest(String name) {
        return series(name, Instant.EPOCH)
                .filter(series -> !series.values().isEmpty())
                .flatMap(series -> Optional.ofNullable(series.values().getLast()));
    }

    /** Returns the time of the first sample. */
    public synchronized Optional<Instant> first() {
        return Optional.ofNullable(samples.peekFirst()).map(Sample::at);
    }

    static Unit unit(String name) {
        return switch (name) {
            case "capacity.used", "capacity.free", "pool.used" -> Unit.BYTES;
            case "metadata.rate", "requests.rate", "stores.rate", "scrub.rate", "repair.rate", "verification.rate" ->
                Unit.PER_SECOND;
            case "metadata.latency" -> Unit.MILLISECONDS;
            case "backlog.blocks", "backlog.unverified" -> Unit.BLOCKS;
            default -> Unit.FAULTS;
        };
    }

    private static double rate(String counter, @Nullable Sample before, Sample sample) {
        if (before == null) {
            return Double.NaN;
        }
        double seconds = Duration.between(before.at, sample.at).toMillis() / 1000.0;
        double executed = sample.value(counter) - before.value(counter);
        return seconds <= 0 ? Double.NaN : Double.isNaN(executed) ? executed : Math.max(0, executed) / seconds;
    }
}
