package io.bulwark.protocol.metadata;

import io.bulwark.protocol.cluster.NodeAddress;
import io.bulwark.protocol.cluster.PlacementGroup;
import io.bulwark.protocol.cluster.Volume;
import io.bulwark.protocol.id.PrincipalId;
import io.bulwark.protocol.metadata.NodeFault.Stage;
import java.util.Comparator;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.TreeMap;
import java.util.TreeSet;

/**
 * Removal of named nodes (Agile Store, 3.3.1, where a Byzantine-fault-tolerant state machine does it, too; docs/decisions,
 * 38). While the policy allows it, the slots of one node at a time move to others, each by an announced change as an
 * operator would give it, with the same bounds.
 */
final class NodeRemovals {
    /** Pause between two looks, in agreed time. */
    private static final long STEP_MILLIS = 1_000;

    /** Announced changes of one look. */
    private static final int CHANGES_MAX = 64;

    private static final long DAY_MILLIS = 24 * 3_600_000L;

    private final Tables tables;
    private final Volumes volumes;
    private final NodeFaults faults;
    private final PlacementChanges holders;
    private final SessionTable sessions;
    private final LockTable locks;
    private final AuditLog audit;

    NodeRemovals(
            Tables tables,
            Volumes volumes,
            NodeFaults faults,
            PlacementChanges holders,
            SessionTable sessions,
            LockTable locks,
            AuditLog audit) {
        this.tables = tables;
        this.volumes = volumes;
        this.faults = faults;
        this.holders = holders;
        this.sessions = sessions;
        this.locks = locks;
        this.audit = audit;
    }

    /** Goes on with removals, if it is time. */
    void settleDue() {
        Totals totals = tables.totals();
        if (totals.agreedMillis < totals.faultsDueMillis) {
            return;
        }
        // One at a time, but for one that waits for others: of these another one may be the reason.
        boolean moving = false;
        for (NodeFault each : faults.named()) {
            moving |= each.stage() == Stage.LEAVING && move(each);
        }
        if (faults.policy().removes() && !moving) {
            next(faults.named()).ifPresent(this::move);
        }
        boolean goesOn = faults.named().stream()
                .anyMatch(each -> each.stage() == Stage.LEAVING
                        || (each.stage() == Stage.NAMED && faults.policy().removes()));
        totals.faultsDueMillis = goesOn ? totals.agreedMillis + STEP_MILLIS : Totals.NEVER;
    }

    /** Gives up the changes that take a slot from a forgiven node, as far as their epochs have not opened. */
    void giveUp(int node) {
        for (Volume volume : volumes.map().volumes()) {
            for (int index = 0; index < volume.groups().size(); index++) {
                PlacementGroup group = volume.groups().get(index);
                int slot = group.slotOf(node);
                if (slot >= 0
                        && group.change()
                                .filter(change -> change.slot() == slot && change.node() != node)
                                .isPresent()) {
                    holders.abort(new Command.AbortChange(volume.name(), index, group.epoch()));
                }
            }
        }
    }

    /** Returns the one to remove next: that longest named, within the daily number. */
    private Optional<NodeFault> next(List<NodeFault> named) {
        long now = tables.totals().agreedMillis;
        long today = named.stream()
                .filter(each -> each.stage() != Stage.NAMED && now - each.removedMillis() < DAY_MILLIS)
                .count();
        if (today >= faults.policy().removalsPerDay()) {
            return Optional.empty();
        }
        return named.stream()
                .filter(each -> each.stage() == Stage.NAMED && holdsSlot(each.node()))
                .min(Comparator.comparingLong(NodeFault::sinceMillis).thenComparingInt(NodeFault::node))
                .map(each -> each.at(Stage.LEAVING, now));
    }

    private boolean holdsSlot(int node) {
        return volumes.map().volumes().stream()
                .filter(volume -> !volume.hasFixedHolders())
                .anyMatch(volume -> volume.groups().stream().anyMatch(group -> group.slotOf(node) >= 0));
    }

    /** Announces what can be; returns whether a slot of the node is about to move. */
    private boolean move(NodeFault leaving) {
        int node = leaving.node();
        Map<Integer, Integer> loads = loads();
        int left = 0;
        int changes = 0;
        boolean moving = false;
        for (Volume volume : volumes.map().volumes()) {
            for (int index = 0; index < volume.groups().size(); index++) {
                PlacementGroup group = volume.groups().get(index);
                if (volume.hasFixedHolders() || group.slotOf(node) < 0) {
                    continue;
                }
                left++;
                moving |= group.change().isPresent();
                if (changes < CHANGES_MAX
                        && group.change().isEmpty()
                        && toleratesMove(volume.policyOf(index).f(), group, node)) {
                    changes += announce(volume, index, node, loads) ? 1 : 0;
                }
            }
        }
        tables.nodeFaults.put(node, left == 0 ? leaving.at(Stage.REMOVED, leaving.removedMillis()) : leaving);
        return moving || changes > 0;
    }

    /** Announces the change of a slot, if a node can take it; its loads count only here. */
    private boolean announce(Volume volume, int index, int node, Map<Integer, Integer> loads) {
        PlacementGroup group = volume.groups().get(index);
        Optional<Integer> taker = takerOf(group, loads);
        if (taker.isEmpty()) {
            return false;
        }
        try {
            locks.requireFree(List.of(new Touch.OfVolume(volume.name())));
            Command.ChangeHolder change =
                    new Command.ChangeHolder(volume.name(), index, group.epoch(), node, taker.get());
            holders.change(change);
            audit.appendOwn(change);
        } catch (CommandRefusal refusal) {
            // A log relies on the holders, or the volume's f is being changed: the next look finds it over.
            return false;
        }
        loads.merge(taker.get(), 1, Integer::sum);
        return true;
    }

    /** Returns whether the group has its quorums without this slot and those of holders that are silent or unconfirmed. */
    private boolean toleratesMove(int f, PlacementGroup group, int node) {
        TreeSet<Integer> without = new TreeSet<>(group.unconfirmed());
        without.add(group.slotOf(node));
        faults.named().stream()
                .filter(each -> each.kind() == FaultKind.SILENT && group.slotOf(each.node()) >= 0)
                .forEach(each -> without.add(group.slotOf(each.node())));
        return without.size() <= f;
    }

    /** Returns the node with the fewest slots that is not suspected, holds none of the group, and has a session. */
    private Optional<Integer> takerOf(PlacementGroup group, Map<Integer, Integer> loads) {
        return volumes.nodes().stream()
                .map(NodeAddress::node)
                .filter(each -> group.slotOf(each) < 0
                        && !faults.isNamed(each)
                        && holders.isActiveNode(each)
                        && sessions.hasOpen(PrincipalId.node(each)))
                .min(Comparator.<Integer>comparingInt(each -> loads.getOrDefault(each, 0))
                        .thenComparing(each -> each));
    }

    private Map<Integer, Integer> loads() {
        Map<Integer, Integer> loads = new TreeMap<>();
        for (Volume volume : volumes.map().volumes()) {
            for (PlacementGroup group : volume.groups()) {
                List<Integer> later =
                        group.change().isPresent() ? group.opened().holders() : group.holders();
                later.forEach(holder -> loads.merge(holder, 1, Integer::sum));
            }
        }
        return loads;
    }
}
