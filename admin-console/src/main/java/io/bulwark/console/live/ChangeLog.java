package io.bulwark.console.live;

import io.bulwark.client.ClusterStatus;
import io.bulwark.protocol.cluster.ClusterMap;
import io.bulwark.protocol.cluster.PlacementGroup;
import io.bulwark.protocol.cluster.Volume;
import java.time.Instant;
import java.util.ArrayDeque;
import java.util.Deque;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.function.Function;
import java.util.regex.Pattern;
import java.util.stream.Collectors;
import org.jspecify.annotations.Nullable;
import org.springframework.stereotype.Component;

/** Changes that this console saw since it started, in sentences; the last {@value #CHANGES_MAX}. Thread-safe. */
@Component
public class ChangeLog {
    static final int CHANGES_MAX = 200;

    private final Deque<Change> changes = new ArrayDeque<>();
    private @Nullable ClusterStatus status;
    private @Nullable ClusterMap map;
    private boolean reachable = true;

    /** Importance of a change. */
    public enum Level {
        GOOD,
        INFO,
        WARN,
        BAD
    }

    /** A change, in one sentence. */
    public record Change(Instant at, Level level, String text) {}

    /** Compares a status with the one before. */
    synchronized void onStatus(Instant at, ClusterStatus now) {
        if (!reachable) {
            reachable = true;
            add(at, Level.GOOD, "The cluster answers again.");
        }
        ClusterStatus before = status;
        status = now;
        if (before == null) {
            return;
        }
        nodes(at, before, now);
        replicas(at, before, now);
        Map<String, ClusterStatus.VolumeStatus> volumes =
                byKey(before.volumes(), volume -> volume.volume().name());
        for (ClusterStatus.VolumeStatus volume : now.volumes()) {
            ClusterStatus.VolumeStatus old = volumes.get(volume.volume().name());
            if (old != null && old.moreFaults() != volume.moreFaults()) {
                boolean better = volume.moreFaults() > old.moreFaults();
                Level level = better ? Level.GOOD : volume.moreFaults() > 0 ? Level.WARN : Level.BAD;
                add(
                        at,
                        level,
                        "Volume " + volume.volume().name() + " can take " + Math.max(0, volume.moreFaults())
                                + " more faulty nodes for certain, " + (better ? "up" : "down") + " from "
                                + Math.max(0, old.moreFaults()) + ".");
            }
        }
    }

    /** The cluster does not answer. */
    synchronized void onOutage(Instant at, String problem) {
        if (reachable) {
            reachable = false;
            add(at, Level.BAD, "The cluster ceased to answer: " + problem + ".");
        }
    }

    /** Compares a map with the one before. */
    synchronized void onMap(Instant at, ClusterMap now) {
        ClusterMap before = map;
        map = now;
        if (before == null || before.version() == now.version()) {
            return;
        }
        for (Volume volume : now.volumes()) {
            Volume old = before.volume(volume.id()).orElse(null);
            if (old == null) {
                add(at, Level.INFO, "Volume " + volume.name() + " was created.");
                continue;
            }
            for (int index = 0; index < volume.groups().size(); index++) {
                group(
                        at,
                        volume.name(),
                        index,
                        old.groups().get(index),
                        volume.groups().get(index));
            }
        }
        before.volumes().stream()
                .filter(volume -> now.volume(volume.id()).isEmpty())
                .forEach(volume -> add(at, Level.INFO, "Volume " + volume.name() + " was deleted."));
    }

    /** Returns the changes, the newest first. */
    public synchronized List<Change> recent() {
        return List.copyOf(changes);
    }

    /** Returns the changes that name a node or replica, the newest first. */
    public synchronized List<Change> about(String member) {
        Pattern named = Pattern.compile("\\b" + Pattern.quote(member) + "\\b");
        return changes.stream()
                .filter(change -> named.matcher(change.text()).find())
                .toList();
    }

    private void nodes(Instant at, ClusterStatus before, ClusterStatus now) {
        Map<Integer, ClusterStatus.NodeStatus> nodes = byKey(before.nodes(), ClusterStatus.NodeStatus::node);
        for (ClusterStatus.NodeStatus node : now.nodes()) {
            ClusterStatus.NodeStatus old = nodes.remove(node.node());
            if (old == null) {
                add(at, Level.INFO, "node-" + node.node() + " joined the cluster map.");
            } else if (old.reachable() != node.reachable()) {
                add(
                        at,
                        node.reachable() ? Level.GOOD : Level.BAD,
                        "node-" + node.node() + (node.reachable() ? " answers again." : " ceased to answer."));
            } else if (node.reachable() && !old.state().equals(node.state())) {
                add(
                        at,
                        node.state().equals("ok") ? Level.GOOD : Level.WARN,
                        "node-" + node.node() + " says: " + node.state() + ".");
            }
        }
        nodes.keySet().forEach(node -> add(at, Level.INFO, "node-" + node + " was removed from the cluster."));
    }

    private void replicas(Instant at, ClusterStatus before, ClusterStatus now) {
        Map<Integer, ClusterStatus.ReplicaStatus> replicas =
                byKey(before.replicas(), ClusterStatus.ReplicaStatus::replica);
        for (ClusterStatus.ReplicaStatus replica : now.replicas()) {
            ClusterStatus.ReplicaStatus old = replicas.remove(replica.replica());
            String name = "replica-" + replica.replica();
            if (old == null) {
                add(at, Level.INFO, name + " joined the replicas.");
            } else if (old.reachable() != replica.reachable()) {
                Level level = replica.reachable() ? Level.GOOD : Level.BAD;
                add(at, level, name + (replica.reachable() ? " answers again." : " ceased to answer."));
            } else if (replica.reachable() && old.agrees() != replica.agrees()) {
                Level level = replica.agrees() ? Level.GOOD : Level.BAD;
                add(
                        at,
                        level,
                        name + (replica.agrees() ? " agrees with the others again." : " contradicts the others."));
            }
        }
        replicas.keySet().forEach(number -> add(at, Level.INFO, "replica-" + number + " left the replicas."));
        Map<Integer, ClusterStatus.Recovery> recoveries =
                byKey(before.recoveries().replicas(), ClusterStatus.Recovery::replica);
        for (ClusterStatus.Recovery recovery : now.recoveries().replicas()) {
            ClusterStatus.Recovery old = recoveries.get(recovery.replica());
            if (old != null
                    && !Objects.equals(old.last(), recovery.last())
                    && recovery.last().isPresent()) {
                add(at, Level.INFO, "A recovery of replica-" + recovery.replica() + " was ordered.");
            } else if (old != null && old.open() && !recovery.open()) {
                add(at, Level.GOOD, "replica-" + recovery.replica() + " has recovered.");
            }
        }
        if (before.agreedLeader().isPresent()
                && now.agreedLeader().isPresent()
                && before.agreedLeader().getAsInt() != now.agreedLeader().getAsInt()) {
            add(at, Level.INFO, "replica-" + now.agreedLeader().getAsInt() + " leads now.");
        }
    }

    private void group(Instant at, String volume, int index, PlacementGroup old, PlacementGroup group) {
        String name = "Group " + index + " of volume " + volume;
        if (group.epoch() > old.epoch()) {
            add(at, Level.INFO, name + " is in epoch " + group.epoch() + ".");
        }
        if (group.change().isPresent() && old.change().isEmpty()) {
            PlacementGroup.Change change = group.change().get();
            int holder = group.holders().get(change.slot());
            add(at, Level.INFO, name + " moves a slot from node-" + holder + " to node-" + change.node() + ".");
        }
        if (!old.fresh().isEmpty() && group.fresh().isEmpty()) {
            add(at, Level.GOOD, name + " is rebuilt.");
        }
    }

    private static <K, V> Map<K, V> byKey(List<V> values, Function<V, K> key) {
        return values.stream().collect(Collectors.toMap(key, Function.identity(), (first, _) -> first));
    }

    private void add(Instant at, Level level, String text) {
        changes.addFirst(new Change(at, level, text));
        while (changes.size() > CHANGES_MAX) {
            changes.removeLast();
        }
    }
}
