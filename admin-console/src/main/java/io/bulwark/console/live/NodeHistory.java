package io.bulwark.console.live;

import io.bulwark.client.ClusterStatus;
import java.time.Duration;
import java.time.Instant;
import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.Deque;
import java.util.List;
import java.util.Optional;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import java.util.stream.Stream;
import org.jspecify.annotations.Nullable;

/**
 * The last hour of each node's verification, scrubbing and repair, as the node itself reports it: as many samples as the history of the
 * whole, of the first {@value #NODES_MAX} nodes. Series are called {@code node-3.scrub.rate}. Not thread-safe: {@link History} guards it.
 */
final class NodeHistory {
    static final int NODES_MAX = 256;

    private static final Pattern NAME = Pattern.compile("node-([0-9]{1,9})\\.([a-z.]+)");

    private final Deque<Sample> samples = new ArrayDeque<>();

    /** Figures of a node. The order is that in a sample. */
    private enum Figure {
        CHECKED("scrub.rate", true),
        REPAIRED("repair.rate", true),
        VERIFIED("verification.rate", true),
        PENDING("backlog.blocks", false),
        UNVERIFIED("backlog.unverified", false);

        private final String series;
        /** True if the node counts, so that the series is a rate. */
        private final boolean counter;

        Figure(String series, boolean counter) {
            this.series = series;
            this.counter = counter;
        }
    }

    /**
     * A sample.
     *
     * @param nodes the numbers of those that answered
     * @param figures of each node in turn
     */
    @SuppressWarnings(
            "ArrayRecordComponent") // Never compared, and never shared; boxed it would be several times as large.
    private record Sample(Instant at, int[] nodes, long[] figures) {
        private double value(int node, Figure figure) {
            for (int i = 0; i < nodes.length; i++) {
                if (nodes[i] == node) {
                    return figures[i * Figure.values().length + figure.ordinal()];
                }
            }
            return Double.NaN;
        }
    }

    void add(Instant at, ClusterStatus status) {
        List<ClusterStatus.NodeStatus> answering = status.nodes().stream()
                .filter(ClusterStatus.NodeStatus::reachable)
                .limit(NODES_MAX)
                .toList();
        int width = Figure.values().length;
        int[] nodes = new int[answering.size()];
        long[] figures = new long[answering.size() * width];
        for (int i = 0; i < nodes.length; i++) {
            ClusterStatus.NodeStatus node = answering.get(i);
            nodes[i] = node.node();
            figures[i * width + Figure.CHECKED.ordinal()] = node.background().looked();
            figures[i * width + Figure.REPAIRED.ordinal()] = node.background().repaired();
            figures[i * width + Figure.PENDING.ordinal()] = node.pending();
            for (ClusterStatus.VolumeStatus volume : status.volumes()) {
                ClusterStatus.Versions versions = volume.versions().get(node.node());
                if (versions != null) {
                    figures[i * width + Figure.VERIFIED.ordinal()] += versions.verifications();
                    figures[i * width + Figure.UNVERIFIED.ordinal()] += versions.unverified();
                }
            }
        }
        add(new Sample(at, nodes, figures));
    }

    void addGap(Instant at) {
        add(new Sample(at, new int[0], new long[0]));
    }

    private void add(Sample sample) {
        samples.addLast(sample);
        while (samples.size() > History.SAMPLES_MAX) {
            samples.removeFirst();
        }
    }

    /** Returns a series of a node from a time on; empty if the name means none. */
    Optional<History.Series> series(String name, Instant since) {
        Matcher parts = NAME.matcher(name);
        if (!parts.matches()) {
            return Optional.empty();
        }
        int node = Integer.parseInt(parts.group(1));
        return Stream.of(Figure.values())
                .filter(figure -> figure.series.equals(parts.group(2)))
                .filter(figure -> samples.stream().anyMatch(sample -> !Double.isNaN(sample.value(node, figure))))
                .findFirst()
                .map(figure -> series(name, node, figure, since));
    }

    private History.Series series(String name, int node, Figure figure, Instant since) {
        List<Long> seconds = new ArrayList<>();
        List<@Nullable Double> values = new ArrayList<>();
        Sample before = null;
        for (Sample sample : samples) {
            double value = figure.counter ? rate(node, figure, before, sample) : sample.value(node, figure);
            if (!sample.at.isBefore(since)) {
                seconds.add(sample.at.getEpochSecond());
                values.add(Double.isNaN(value) ? null : value);
            }
            before = sample;
        }
        return new History.Series(name, History.unit(figure.series), "console", seconds, values);
    }

    private static double rate(int node, Figure figure, @Nullable Sample before, Sample sample) {
        if (before == null) {
            return Double.NaN;
        }
        double seconds = Duration.between(before.at, sample.at).toMillis() / 1000.0;
        double counted = sample.value(node, figure) - before.value(node, figure);
        // A node that started anew counts from 0.
        return seconds <= 0 ? Double.NaN : Double.isNaN(counted) ? counted : Math.max(0, counted) / seconds;
    }
}
