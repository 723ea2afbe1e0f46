package io.bulwark.console.work;

import io.bulwark.client.ClusterStatus;
import io.bulwark.client.text.Quantity;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.List;
import java.util.Optional;

/** Alarms about background work, each with what to do next. */
final class Alarms {
    /** Part of the pool beyond which it nearly overflows. */
    private static final double POOL_FULL = 0.85;

    /** A backlog grows if it is at least this much larger than before, and counts at least this many. */
    private static final double GROWTH = 1.1;

    private static final long GROWTH_MIN = 100;

    private Alarms() {}

    /**
     * Returns the alarms, the worst first.
     *
     * @param before a status of up to a minute ago
     */
    static List<WorkView.Alarm> of(ClusterStatus now, Optional<ClusterStatus> before) {
        List<WorkView.Alarm> alarms = new ArrayList<>();
        now.nodes().forEach(node -> addNode(node, now, alarms));
        now.volumes().forEach(volume -> addVolume(volume, before, alarms));
        now.recoveries().replicas().forEach(recovery -> addRecovery(recovery, alarms));
        alarms.sort(Comparator.comparingInt(alarm -> alarm.level().equals("bad") ? 0 : 1));
        return alarms;
    }

    private static void addNode(ClusterStatus.NodeStatus node, ClusterStatus now, List<WorkView.Alarm> alarms) {
        String name = "node-" + node.node();
        if (!node.reachable()) {
            alarms.add(new WorkView.Alarm(
                    "bad",
                    name,
                    "It does not answer, so its work is unknown. When it returns, it completes what it missed."));
            return;
        }
        long used = WorkWatch.poolBytes(now, node.node());
        if (node.historyPoolNeededBytes() > 0) {
            alarms.add(new WorkView.Alarm(
                    "bad",
                    name,
                    "Its history pool of " + Quantity.bytes(node.historyPoolBytes()) + " is too small for all clients"
                            + " that may write under PASIS: faulty ones can block the others. Set history-pool to at"
                            + " least " + Quantity.bytes(node.historyPoolNeededBytes()) + ", or take rights away."));
        } else if (node.historyPoolBytes() > 0 && used > POOL_FULL * node.historyPoolBytes()) {
            alarms.add(new WorkView.Alarm(
                    "warn",
                    name,
                    "Unverified versions fill " + Math.round(100.0 * used / node.historyPoolBytes()) + " % of its"
                            + " history pool: soon it refuses writes."));
        }
        if (!node.unverified().isEmpty()) {
            alarms.add(new WorkView.Alarm(
                    "warn",
                    name,
                    "Since it started it has not compared what it holds with what it should hold, for "
                            + String.join(", ", node.unverified()) + ". Until then it counts as faulty there."));
        }
    }

    private static void addVolume(
            ClusterStatus.VolumeStatus volume, Optional<ClusterStatus> before, List<WorkView.Alarm> alarms) {
        long backlog = WorkWatch.sum(volume).unverified();
        long old = before.flatMap(status -> status.volumes().stream()
                        .filter(each -> each.volume().id() == volume.volume().id())
                        .findFirst())
                .map(each -> WorkWatch.sum(each).unverified())
                .orElse(backlog);
        if (backlog >= GROWTH_MIN && backlog > GROWTH * old) {
            alarms.add(new WorkView.Alarm(
                    "warn",
                    volume.volume().name(),
                    "Its verification backlog grows: " + Quantity.count(backlog, "version") + " now, "
                            + Quantity.count(old, "version") + " a moment ago. Clients write faster than the nodes"
                            + " verify in their idle time."));
        }
    }

    private static void addRecovery(ClusterStatus.Recovery recovery, List<WorkView.Alarm> alarms) {
        String name = "replica-" + recovery.replica();
        if (recovery.slow()) {
            alarms.add(new WorkView.Alarm(
                    "bad", name, "The other replicas report that its recovery exceeds its time. See its log."));
        }
        if (recovery.overdue()) {
            alarms.add(new WorkView.Alarm(
                    "bad",
                    name,
                    "The other replicas report that its recovery is overdue: the window of vulnerability grows. See the"
                            + " log of its supervisor, or recover it now."));
        }
    }
}
