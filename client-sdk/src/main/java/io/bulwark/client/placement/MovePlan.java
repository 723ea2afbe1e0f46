package io.bulwark.client.placement;

import io.bulwark.client.error.PreconditionFailedException;
import io.bulwark.client.error.Subject;
import io.bulwark.protocol.cluster.ClusterMap;
import io.bulwark.protocol.cluster.PlacementGroup;
import io.bulwark.protocol.cluster.Volume;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import java.util.SortedSet;
import java.util.TreeMap;
import java.util.TreeSet;
import java.util.function.Predicate;
import java.util.stream.Collectors;

/**
 * Plan of the slots to move, at most one of each group. It includes announced changes, so that a restarted command
 * resumes them. Loads are counted in each volume by itself, as a slot's weight differs between volumes. The loads of
 * all volumes together break ties.
 */
public final class MovePlan {
    private final ClusterMap map;
    private final Optional<String> volume;
    private final List<Volume> volumes;

    private MovePlan(ClusterMap map, Optional<String> volume) {
        this.map = map;
        this.volume = volume;
        this.volumes = map.volumes().stream()
                .filter(each -> volume.isEmpty() || each.name().equals(volume.get()))
                .toList();
    }

    /**
     * Plans the moves of these volumes.
     *
     * @param volume the name of one; all if empty
     */
    public static MovePlan of(ClusterMap map, Optional<String> volume) {
        MovePlan plan = new MovePlan(map, volume);
        if (plan.volumes.isEmpty() && volume.isPresent()) {
            throw new PreconditionFailedException("no volume has this name", Subject.volume(volume.get()));
        }
        return plan;
    }

    /** The same volumes as they are now, and those that there are since. */
    MovePlan by(ClusterMap later) {
        return new MovePlan(later, volume);
    }

    /** The volumes whose holders can change. */
    List<Volume> movable() {
        return volumes.stream().filter(volume -> !volume.hasFixedHolders()).toList();
    }

    /** Returns the register volumes without verification, which keep their holders. */
    public List<String> kept() {
        return volumes.stream()
                .filter(Volume::hasFixedHolders)
                .map(Volume::name)
                .toList();
    }

    /**
     * All slots of a node to one that takes its place.
     *
     * @throws PreconditionFailedException if that cannot be, which is found before anything has changed
     */
    public List<Move> replacing(int old, int fresh) {
        requireMovable(old);
        requireNode(fresh);
        List<Move> moves = new ArrayList<>();
        for (Volume volume : movable()) {
            for (int index = 0; index < volume.groups().size(); index++) {
                PlacementGroup group = volume.groups().get(index);
                int slot = group.slotOf(old);
                if (slot < 0) {
                    continue;
                }
                Move move = new Move(volume.name(), index, old, fresh);
                int later = later(group).get(slot);
                if (later != old && later != fresh) {
                    throw refused(move, "the slot of node-" + old + " already moves to node-" + later);
                }
                if (later == old && later(group).contains(fresh)) {
                    throw refused(
                            move,
                            "node-" + fresh + " already holds a slot there; `bulwark node drain` spreads the slots "
                                    + "of node-" + old + " over other nodes");
                }
                moves.add(move);
            }
        }
        return moves;
    }

    /**
     * All slots of a node to others, each to the one with the fewest.
     *
     * @param mayTake which nodes can be thought of
     * @throws PreconditionFailedException if that cannot be, which is found before anything has changed
     */
    public List<Move> planDrain(int node, Predicate<Integer> mayTake) {
        requireNode(node);
        requireMovable(node);
        Set<Integer> others = map.nodes().stream()
                .map(each -> each.node())
                .filter(each -> each != node && mayTake.test(each))
                .collect(Collectors.toSet());
        List<Move> moves = new ArrayList<>();
        Map<Integer, Integer> all = loads(map.volumes());
        for (Volume volume : movable()) {
            Map<Integer, Integer> loads = loads(List.of(volume));
            for (int index = 0; index < volume.groups().size(); index++) {
                PlacementGroup group = volume.groups().get(index);
                int slot = group.slotOf(node);
                if (slot < 0) {
                    continue;
                }
                List<Integer> later = later(group);
                int to = later.get(slot);
                if (to == node) {
                    to = others.stream()
                            .filter(each -> !later.contains(each))
                            .min(Comparator.<Integer>comparingInt(each -> loads.getOrDefault(each, 0))
                                    .thenComparing(each -> all.getOrDefault(each, 0))
                                    .thenComparing(each -> each))
                            .orElseThrow(() -> noneLeft(volume, node, later));
                    loads.merge(to, 1, Integer::sum);
                    all.merge(to, 1, Integer::sum);
                }
                moves.add(new Move(volume.name(), index, node, to));
            }
        }
        return moves;
    }

    /** Slots to a node, from those that have the most, until it has its share. */
    public List<Move> planFill(int node) {
        requireNode(node);
        List<Move> moves = new ArrayList<>();
        Map<Integer, Integer> all = loads(map.volumes());
        for (Volume volume : movable()) {
            Map<Integer, Integer> loads = loads(List.of(volume));
            map.nodes().forEach(each -> loads.putIfAbsent(each.node(), 0));
            SortedSet<Integer> open = new TreeSet<>();
            for (int index = 0; index < volume.groups().size(); index++) {
                PlacementGroup group = volume.groups().get(index);
                int at = later(group).indexOf(node);
                if (at < 0) {
                    open.add(index);
                } else if (group.slotOf(node) < 0) {
                    moves.add(new Move(volume.name(), index, group.holders().get(at), node));
                }
            }
            List<Move> taken = share(volume, node, loads, all, open);
            taken.forEach(move -> all.merge(move.from(), -1, Integer::sum));
            moves.addAll(taken);
        }
        return moves;
    }

    /**
     * @param loads of this volume
     * @param all of all volumes, before it takes any of this one
     * @param open the groups in which it neither holds a slot nor is to
     */
    private static List<Move> share(
            Volume volume, int node, Map<Integer, Integer> loads, Map<Integer, Integer> all, SortedSet<Integer> open) {
        List<Move> moves = new ArrayList<>();
        while (true) {
            Optional<Integer> most = sortedByLoad(loads, all).stream()
                    .filter(each -> open.stream().anyMatch(index -> isLastingHolder(volume, index, each)))
                    .findFirst();
            if (most.isEmpty() || loads.getOrDefault(most.get(), 0) - loads.getOrDefault(node, 0) <= 1) {
                return moves;
            }
            int from = most.get();
            int index = open.stream()
                    .filter(each -> isLastingHolder(volume, each, from))
                    .findFirst()
                    .orElseThrow();
            open.remove(index);
            loads.merge(from, -1, Integer::sum);
            loads.merge(node, 1, Integer::sum);
            moves.add(new Move(volume.name(), index, from, node));
        }
    }

    private static List<Integer> sortedByLoad(Map<Integer, Integer> loads, Map<Integer, Integer> all) {
        return loads.entrySet().stream()
                .sorted(Comparator.<Map.Entry<Integer, Integer>>comparingInt(entry -> -entry.getValue())
                        .thenComparingInt(entry -> -all.getOrDefault(entry.getKey(), 0))
                        .thenComparing(Map.Entry::getKey))
                .map(Map.Entry::getKey)
                .toList();
    }

    /** Returns whether a node holds a slot of a group now, and will keep it. */
    private static boolean isLastingHolder(Volume volume, int index, int node) {
        PlacementGroup group = volume.groups().get(index);
        int slot = group.slotOf(node);
        return slot >= 0 && later(group).get(slot) == node;
    }

    /** Returns how many slots of these volumes each node holds once all announced changes are complete. */
    private static Map<Integer, Integer> loads(List<Volume> volumes) {
        Map<Integer, Integer> loads = new TreeMap<>();
        volumes.stream()
                .flatMap(volume -> volume.groups().stream())
                .forEach(group -> later(group).forEach(holder -> loads.merge(holder, 1, Integer::sum)));
        return loads;
    }

    /** The holders once what is announced has opened. */
    private static List<Integer> later(PlacementGroup group) {
        return group.change().isPresent() ? group.opened().holders() : group.holders();
    }

    private void requireMovable(int node) {
        List<String> registers = volumes.stream()
                .filter(Volume::hasFixedHolders)
                .filter(each -> each.groups().stream().anyMatch(group -> group.slotOf(node) >= 0))
                .map(Volume::name)
                .toList();
        if (!registers.isEmpty()) {
            throw new PreconditionFailedException(
                    "node-" + node + " holds slots of register volumes without verification, which cannot move: "
                            + String.join(", ", registers)
                            + "; nothing was changed there. --volume NAME moves the slots of another volume",
                    Subject.NONE);
        }
    }

    /** Makes sure that the map names a node. */
    public void requireNode(int node) {
        if (map.nodes().stream().noneMatch(each -> each.node() == node)) {
            throw new PreconditionFailedException(
                    "the cluster map does not name node-" + node + "; `bulwark node add node-" + node
                            + " --address HOST` adds it once it has joined",
                    Subject.NONE);
        }
    }

    private static PreconditionFailedException refused(Move move, String why) {
        return new PreconditionFailedException(move.place() + ": " + why + "; nothing was changed there", Subject.NONE);
    }

    private static PreconditionFailedException noneLeft(Volume volume, int node, List<Integer> holders) {
        return new PreconditionFailedException(
                "no reachable node can take a slot of node-" + node + ": the policy of volume " + volume.name()
                        + " needs " + holders.size()
                        + " nodes, and the other nodes already hold slots of that group ("
                        + holders.stream().map(each -> "node-" + each).collect(Collectors.joining(", "))
                        + "); add a node first. Nothing was changed there",
                Subject.NONE);
    }
}
