package io.bulwark.console.work;

import io.bulwark.client.ClusterStatus;
import io.bulwark.console.StatusView;
import io.bulwark.console.live.ClusterWatch;
import java.time.Duration;
import java.time.Instant;
import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.Deque;
import java.util.List;
import java.util.Optional;
import java.util.function.ToLongFunction;
import org.jspecify.annotations.Nullable;
import org.springframework.stereotype.Component;

/** The background work of all members now, and its rates between the times at which somebody looked. */
@Component
class WorkWatch {
    private static final Duration MEMORY = Duration.ofMinutes(1);
    private static final Duration APART = Duration.ofSeconds(2);

    private final ClusterWatch watch;
    private final Deque<ClusterWatch.Observation> seen = new ArrayDeque<>();

    WorkWatch(ClusterWatch watch) {
        this.watch = watch;
    }

    /**
     * Returns the work as the cluster reports it now.
     *
     * @throws io.bulwark.client.error.BulwarkException if it does not answer
     */
    WorkView now() {
        ClusterWatch.Observation now = watch.now();
        Optional<ClusterWatch.Observation> before = remember(now);
        StatusView status = StatusView.of(now.status());
        List<WorkView.NodeWork> nodes = now.status().nodes().stream()
                .map(node -> node(node, now, before, status))
                .toList();
        List<WorkView.VolumeWork> volumes = now.status().volumes().stream()
                .map(volume -> volume(volume, now, before))
                .toList();
        List<WorkView.Alarm> alarms = Alarms.of(now.status(), before.map(ClusterWatch.Observation::status));
        return new WorkView(now.at(), alarms, nodes, volumes, status.recoveries());
    }

    /** Returns the oldest observation within the last minute before this one. */
    private synchronized Optional<ClusterWatch.Observation> remember(ClusterWatch.Observation now) {
        while (!seen.isEmpty() && seen.getFirst().at().isBefore(now.at().minus(MEMORY))) {
            seen.removeFirst();
        }
        if (seen.isEmpty() || !seen.getLast().at().plus(APART).isAfter(now.at())) {
            seen.addLast(now);
        }
        return seen.getFirst().at().isBefore(now.at()) ? Optional.of(seen.getFirst()) : Optional.empty();
    }

    private static WorkView.NodeWork node(
            ClusterStatus.NodeStatus node,
            ClusterWatch.Observation now,
            Optional<ClusterWatch.Observation> before,
            StatusView status) {
        StatusView.Rebuild rebuild = status.nodes().stream()
                .filter(each -> each.number() == node.node())
                .findFirst()
                .map(StatusView.Node::rebuild)
                .orElse(null);
        Double idle = rate(node, now, before, each -> each.background().idleMillis());
        return new WorkView.NodeWork(
                node.node(),
                node.reachable(),
                node.pending(),
                node.lacking(),
                node.background().looked(),
                rate(node, now, before, each -> each.background().looked()),
                node.background().foundBad(),
                node.background().repaired(),
                node.background().idleMillis(),
                idle == null ? null : Math.min(1, idle / 1000),
                poolBytes(now.status(), node.node()),
                node.historyPoolBytes(),
                node.historyPoolNeededBytes(),
                node.unverified(),
                rebuild);
    }

    static long poolBytes(ClusterStatus status, int node) {
        return status.volumes().stream()
                .mapToLong(volume -> volume.versions()
                        .getOrDefault(node, ClusterStatus.Versions.ZERO)
                        .poolBytes())
                .sum();
    }

    /** Returns the rate of a counter of a node; null if it is unknown, or the node has started anew. */
    private static @Nullable Double rate(
            ClusterStatus.NodeStatus node,
            ClusterWatch.Observation now,
            Optional<ClusterWatch.Observation> before,
            ToLongFunction<ClusterStatus.NodeStatus> counter) {
        Optional<ClusterStatus.NodeStatus> old = before.flatMap(each -> each.status().nodes().stream()
                .filter(other -> other.node() == node.node() && other.reachable())
                .findFirst());
        if (old.isEmpty() || !node.reachable()) {
            return null;
        }
        return rate(
                counter.applyAsLong(old.get()),
                counter.applyAsLong(node),
                before.get().at(),
                now.at());
    }

    private static @Nullable Double rate(long old, long count, Instant since, Instant now) {
        double seconds = Duration.between(since, now).toMillis() / 1000.0;
        return seconds <= 0 || count < old ? null : (count - old) / seconds;
    }

    private static WorkView.VolumeWork volume(
            ClusterStatus.VolumeStatus volume,
            ClusterWatch.Observation now,
            Optional<ClusterWatch.Observation> before) {
        List<WorkView.NodeVersions> nodes = new ArrayList<>();
        volume.versions()
                .forEach((node, versions) -> nodes.add(new WorkView.NodeVersions(
                        node,
                        versions.unverified(),
                        versions.poolBytes(),
                        versions.verifications(),
                        versions.onDemand(),
                        versions.cooperative(),
                        versions.avoided(),
                        versions.poisonous(),
                        versions.refused())));
        ClusterStatus.Versions sum = sum(volume);
        Double rate = before.flatMap(old -> old.status().volumes().stream()
                        .filter(each -> each.volume().id() == volume.volume().id()
                                && each.versions()
                                        .keySet()
                                        .equals(volume.versions().keySet()))
                        .findFirst()
                        .map(each -> rate(sum(each).verifications(), sum.verifications(), old.at(), now.at())))
                .orElse(null);
        return new WorkView.VolumeWork(
                volume.volume().name(),
                volume.volume().policy().protocol().text(),
                volume.volume().policy().verification().text(),
                sum.unverified(),
                nodes.isEmpty() ? null : rate,
                nodes);
    }

    static ClusterStatus.Versions sum(ClusterStatus.VolumeStatus volume) {
        return volume.versions().values().stream().reduce(ClusterStatus.Versions.ZERO, ClusterStatus.Versions::plus);
    }
}
