package io.bulwark.console.dashboard;

import io.bulwark.client.BucketInfo;
import io.bulwark.client.ClusterStatus;
import io.bulwark.client.error.BulwarkException;
import io.bulwark.console.dashboard.DashboardView.Capacity;
import io.bulwark.console.dashboard.DashboardView.Event;
import io.bulwark.console.dashboard.DashboardView.Load;
import io.bulwark.console.dashboard.Redundancy.Activity;
import io.bulwark.console.dashboard.Redundancy.Level;
import io.bulwark.console.dashboard.Redundancy.Margin;
import io.bulwark.console.live.ChangeLog;
import io.bulwark.console.live.ClusterWatch;
import io.bulwark.console.live.History;
import io.bulwark.protocol.cluster.ClusterMap;
import java.time.Clock;
import java.time.Duration;
import java.time.Instant;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.List;
import java.util.Optional;
import org.jspecify.annotations.Nullable;
import org.springframework.beans.factory.annotation.Autowired;
import org.springframework.stereotype.Component;

/** Makes the dashboard's summary from what is known. It never waits for the cluster if a recent status is known. */
@Component
class Dashboard {
    private static final int EVENTS_MAX = 12;
    private static final Duration OLD = Duration.ofSeconds(30);
    private static final ClusterMap NO_MAP = new ClusterMap(0, List.of(), List.of());

    private final ClusterWatch watch;
    private final History history;
    private final ChangeLog changes;
    private final Clock clock;

    @Autowired
    Dashboard(ClusterWatch watch, History history, ChangeLog changes) {
        this(watch, history, changes, Clock.systemUTC());
    }

    Dashboard(ClusterWatch watch, History history, ChangeLog changes, Clock clock) {
        this.watch = watch;
        this.history = history;
        this.changes = changes;
        this.clock = clock;
    }

    DashboardView view() {
        ClusterWatch.Standing standing = watch.standing();
        Instant now = clock.instant();
        DashboardView.@Nullable Outage outage = standing.outage()
                .map(known -> new DashboardView.Outage(known.problem(), known.since()))
                .orElse(null);
        if (standing.known().isEmpty()) {
            return new DashboardView(
                    Level.UNKNOWN,
                    "The state of the cluster is unknown: it has not answered since this console started.",
                    null,
                    outage,
                    List.of(),
                    List.of(),
                    null,
                    new Load(null, null, 0, 0),
                    events(List.of()));
        }
        ClusterWatch.Observation known = standing.known().get();
        ClusterStatus status = known.status();
        Redundancy redundancy = new Redundancy(status);
        List<Margin> margins = new ArrayList<>(redundancy.volumes());
        margins.add(redundancy.replicas());
        margins.sort(Comparator.comparing(Margin::level).reversed().thenComparing(Margin::subject));
        List<Activity> activities = redundancy.activities(map(), now);
        boolean current = outage == null && known.at().isAfter(now.minus(OLD));
        Level level = current ? worst(margins, activities, status) : Level.UNKNOWN;
        return new DashboardView(
                level,
                current
                        ? headline(level, status)
                        : "The state of the cluster is unknown now; the figures below are old.",
                known.at(),
                outage,
                margins,
                activities,
                capacity(status),
                load(status, current),
                events(status.faults()));
    }

    private ClusterMap map() {
        try {
            return watch.recentMap().map();
        } catch (BulwarkException e) {
            // The outage is shown; nothing is known of changes.
            return NO_MAP;
        }
    }

    private static Level worst(List<Margin> margins, List<Activity> activities, ClusterStatus status) {
        Level level = status.volumes().isEmpty() ? Level.UNKNOWN : Level.GOOD;
        for (Margin margin : margins) {
            level = max(level, margin.level());
        }
        for (Activity activity : activities) {
            // A silent node that holds no slot endangers nothing.
            level = max(level, activity.level() == Level.BAD ? Level.WARN : activity.level());
        }
        return level;
    }

    private static Level max(Level a, Level b) {
        return a.compareTo(b) >= 0 ? a : b;
    }

    private static String headline(Level level, ClusterStatus status) {
        return switch (level) {
            case GOOD ->
                "All volumes and the metadata replicas can take all faults of their policies: "
                        + status.nodes().size() + " nodes and "
                        + status.replicas().size() + " replicas answer.";
            case WARN -> "The cluster serves, with less redundancy than its policies ask for, or with work to do.";
            case BAD -> "A further fault may make data unavailable. See what to do below.";
            case UNKNOWN -> "There is no volume yet, so there is nothing to protect.";
        };
    }

    private Capacity capacity(ClusterStatus status) {
        long used = 0;
        long free = 0;
        int silent = 0;
        for (ClusterStatus.NodeStatus node : status.nodes()) {
            used += node.usedBytes();
            free += node.freeBytes();
            silent += node.reachable() ? 0 : 1;
        }
        Double growth = growth().orElse(null);
        Long full = growth == null || growth < 1 ? null : (long) (free / growth * 3_600_000);
        return new Capacity(
                used,
                free,
                status.buckets().stream().mapToLong(BucketInfo::objects).sum(),
                status.buckets().stream().mapToLong(BucketInfo::bytes).sum(),
                growth,
                full,
                silent);
    }

    /** Growth in bytes per hour over the kept history, if that is at least five minutes long. */
    private Optional<Double> growth() {
        History.Series series = history.series("capacity.used", Instant.EPOCH).orElse(null);
        if (series == null) {
            return Optional.empty();
        }
        int first = -1;
        int last = -1;
        for (int i = 0; i < series.values().size(); i++) {
            if (series.values().get(i) != null) {
                first = first < 0 ? i : first;
                last = i;
            }
        }
        if (first < 0 || series.seconds().get(last) - series.seconds().get(first) < 300) {
            return Optional.empty();
        }
        Double from = series.values().get(first);
        Double to = series.values().get(last);
        if (from == null || to == null) {
            return Optional.empty();
        }
        return Optional.of((to - from)
                * 3600
                / (series.seconds().get(last) - series.seconds().get(first)));
    }

    private Load load(ClusterStatus status, boolean current) {
        return new Load(
                current ? history.latest("metadata.rate").orElse(null) : null,
                current ? history.latest("metadata.latency").orElse(null) : null,
                status.nodes().stream()
                        .flatMap(node -> node.rebuild().stream())
                        .mapToLong(ClusterStatus.Rebuild::bytesPerSecond)
                        .sum(),
                status.nodes().stream()
                        .mapToLong(ClusterStatus.NodeStatus::pending)
                        .sum());
    }

    private List<Event> events(List<ClusterStatus.Fault> faults) {
        List<Event> events = new ArrayList<>();
        faults.stream()
                .sorted(Comparator.comparing(ClusterStatus.Fault::at).reversed())
                .limit(EVENTS_MAX)
                .map(fault -> new Event(
                        fault.at(),
                        "fault",
                        Level.WARN,
                        "f+1 nodes report node-" + fault.node() + ": "
                                + fault.verdict().text() + ", block " + fault.block() + "."))
                .forEach(events::add);
        changes.recent().stream()
                .limit(EVENTS_MAX)
                .map(change -> new Event(change.at(), kind(change), level(change.level()), change.text()))
                .forEach(events::add);
        events.sort(Comparator.comparing(Event::at).reversed());
        return events.stream().limit(EVENTS_MAX).toList();
    }

    private static String kind(ChangeLog.Change change) {
        return change.text().contains("recover") ? "recovery" : "change";
    }

    private static Level level(ChangeLog.Level level) {
        return switch (level) {
            case GOOD, INFO -> Level.GOOD;
            case WARN -> Level.WARN;
            case BAD -> Level.BAD;
        };
    }
}
