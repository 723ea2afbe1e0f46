package io.bulwark.client.placement;

import io.bulwark.client.ClusterStatus;
import io.bulwark.client.Nodes;
import io.bulwark.client.error.PreconditionFailedException;
import io.bulwark.client.error.Subject;
import io.bulwark.client.error.UnavailableException;
import io.bulwark.protocol.cluster.ClusterMap;
import io.bulwark.protocol.cluster.PlacementGroup;
import io.bulwark.protocol.cluster.Volume;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import java.util.SortedSet;
import java.util.TreeSet;
import java.util.function.Consumer;
import java.util.function.Function;
import java.util.function.Supplier;
import java.util.stream.Collectors;

/**
 * Moves slots: announces each change once its group tolerates it, and watches the progress of all. All lasting state is
 * in the map, so that this may end at any time and another one may continue.
 *
 * <p>A group tolerates the change of a slot while at most f - 1 other slots are unconfirmed or have a holder that does
 * not answer. The state machine cannot see who answers.
 */
public final class MoveExecutor {
    private static final int TRIES = 3;

    private final Nodes nodes;
    private final Supplier<ClusterStatus> status;
    private final MovePlan plan;
    private final Function<MovePlan, List<Move>> wanted;
    private final List<Move> moves;
    private List<String> volumes;
    private final long pauseMillis;
    /** The epoch that each group was in when its change was seen to be announced. */
    private final Map<Move, Long> announced = new HashMap<>();

    /**
     * Progress of the moves.
     *
     * @param moves in all
     * @param moved slots that have their new holder
     * @param rebuilt those of them whose holder has all the data that was stored before
     * @param waits reason for waiting, for people; empty if it does not wait
     */
    public record MoveProgress(int moves, int moved, int rebuilt, String waits) {
        public boolean over() {
            return moved == moves && waits.isEmpty();
        }

        @Override
        public String toString() {
            return moved + " of " + moves + " slots moved, " + rebuilt + " rebuilt"
                    + (waits.isEmpty() ? "" : "; waiting for " + waits);
        }
    }

    /**
     * Nothing is done yet.
     *
     * @param plan what of is waited for: all its volumes, until no change is open there any more
     * @param wanted which slots move; asked again when they have, as new volumes may have been placed on the same nodes meanwhile
     */
    public MoveExecutor(
            Nodes nodes,
            Supplier<ClusterStatus> status,
            MovePlan plan,
            Function<MovePlan, List<Move>> wanted,
            long pauseMillis) {
        this.nodes = nodes;
        this.status = status;
        this.plan = plan;
        this.wanted = wanted;
        this.moves = new ArrayList<>(wanted.apply(plan));
        this.volumes = plan.movable().stream().map(Volume::name).toList();
        this.pauseMillis = pauseMillis;
    }

    /** The slots that move, as far as is known. */
    public List<Move> moves() {
        return List.copyOf(moves);
    }

    /**
     * Checks that the required nodes answer, before anything is changed.
     *
     * @throws UnavailableException if a new holder does not answer, or too few others do; names them
     */
    public void requireAnswers() throws InterruptedException {
        for (int attempt = 1; ; attempt++) {
            ClusterMap map = nodes.map();
            Set<Integer> silent = silent(status.get());
            Optional<String> problem = moves.stream()
                    .flatMap(move -> problem(map, move, silent).stream())
                    .findFirst();
            if (problem.isEmpty()) {
                return;
            }
            if (attempt == TRIES) {
                throw new UnavailableException(problem.get() + "; no slot was moved", Subject.NONE);
            }
            Thread.sleep(pauseMillis);
        }
    }

    private static Optional<String> problem(ClusterMap map, Move move, Set<Integer> silent) {
        if (silent.contains(move.to())) {
            String at = map.nodes().stream()
                    .filter(each -> each.node() == move.to())
                    .map(each -> " at " + each.host() + ":" + each.port())
                    .findFirst()
                    .orElse("");
            return Optional.of("node-" + move.to() + ", the new holder of a slot, does not answer" + at);
        }
        Optional<Volume> volume = map.volume(move.volume());
        if (volume.isEmpty()) {
            return Optional.empty();
        }
        PlacementGroup group = volume.get().groups().get(move.group());
        if (group.slotOf(move.to()) >= 0) {
            return Optional.empty();
        }
        SortedSet<Integer> missing = new TreeSet<>(group.holders());
        missing.remove(move.from());
        missing.retainAll(silent);
        int f = volume.get().policyOf(move.group()).f();
        return missing.size() < f
                ? Optional.empty()
                : Optional.of(move.place() + " tolerates no further fault: " + names(missing) + " does not answer, "
                        + "and a slot"
                        + " that moves counts as faulty until it is rebuilt (f = " + f + ")");
    }

    /**
     * Announces the possible changes, once or until all moves are complete.
     *
     * @param listener receives the progress
     * @return the progress reached
     * @throws PreconditionFailedException if somebody else changes the same slots; announced changes continue
     */
    public MoveProgress run(boolean wait, Consumer<MoveProgress> listener) throws InterruptedException {
        while (true) {
            ClusterMap map = nodes.map();
            ClusterStatus now = status.get();
            Set<Integer> silent = silent(now);
            for (Move move : moves) {
                step(map, move, silent);
            }
            ClusterMap after = nodes.map();
            MoveProgress standing = standing(after, now);
            if (standing.over() && hasMorePlanned(after)) {
                standing = standing(after, now);
            }
            listener.accept(standing);
            if (standing.over() || !wait) {
                return standing;
            }
            Thread.sleep(pauseMillis);
        }
    }

    private boolean hasMorePlanned(ClusterMap map) {
        MovePlan later = plan.by(map);
        volumes = later.movable().stream().map(Volume::name).toList();
        List<Move> more = wanted.apply(later).stream()
                .filter(move -> !moves.contains(move))
                .toList();
        return moves.addAll(more);
    }

    /** Changes that are announced or have opened. */
    public int announced() {
        return announced.size();
    }

    private void step(ClusterMap map, Move move, Set<Integer> silent) {
        Optional<Volume> volume = map.volume(move.volume());
        if (volume.isEmpty()) {
            return;
        }
        PlacementGroup group = volume.get().groups().get(move.group());
        Long since = announced.get(move);
        if (group.slotOf(move.to()) >= 0) {
            announced.putIfAbsent(move, group.epoch());
            return;
        }
        int slot = group.slotOf(move.from());
        if (slot < 0) {
            throw lost(move, "node-" + move.from() + " no longer holds its slot");
        }
        Optional<PlacementGroup.Change> change = group.change();
        if (change.isPresent() && change.get().slot() == slot) {
            if (change.get().node() == move.to()) {
                announced.putIfAbsent(move, group.epoch());
                return;
            }
            if (change.get().node() != move.from()) {
                throw lost(
                        move,
                        "node-" + change.get().node() + " is the announced new holder of the slot of node-"
                                + move.from());
            }
        }
        if (since != null && (group.epoch() > since || change.isPresent())) {
            throw lost(move, "the change from node-" + move.from() + " to node-" + move.to() + " was aborted");
        }
        if (since != null
                || change.isPresent()
                || !canTolerateMove(volume.get().policyOf(move.group()).f(), group, slot, silent)) {
            return; // The map may be one from before it was announced; or another slot comes first.
        }
        announce(move, group.epoch());
    }

    private static boolean canTolerateMove(int f, PlacementGroup group, int slot, Set<Integer> silent) {
        Set<Integer> without = new TreeSet<>(group.unconfirmed());
        for (int holder : group.holders()) {
            if (silent.contains(holder)) {
                without.add(group.slotOf(holder));
            }
        }
        without.add(slot);
        return without.size() <= f;
    }

    private void announce(Move move, long epoch) {
        try {
            nodes.change(move.volume(), move.group(), epoch, move.from(), move.to());
            announced.put(move, epoch);
        } catch (PreconditionFailedException e) {
            // Somebody else was faster. The map, read again, shows whether it wants the same change.
            ClusterMap map = nodes.map();
            step(map, move, Set.copyOf(allNodes(map)));
        }
    }

    /** Returns all nodes; while none answers nothing is announced. */
    private static List<Integer> allNodes(ClusterMap map) {
        return map.volumes().stream()
                .flatMap(volume -> volume.groups().stream())
                .flatMap(group -> group.holders().stream())
                .distinct()
                .toList();
    }

    private MoveProgress standing(ClusterMap map, ClusterStatus now) {
        int moved = 0;
        int rebuilt = 0;
        SortedSet<Integer> rebuilding = new TreeSet<>();
        SortedSet<Integer> others = new TreeSet<>();
        for (Move move : moves) {
            Optional<PlacementGroup> group =
                    map.volume(move.volume()).map(volume -> volume.groups().get(move.group()));
            boolean has = group.isEmpty() || group.get().slotOf(move.to()) >= 0;
            moved += has ? 1 : 0;
            rebuilt += has && !(group.isPresent() && group.get().isFresh(move.to())) ? 1 : 0;
        }
        for (Volume volume : map.volumes()) {
            if (volumes.contains(volume.name())) {
                volume.groups().forEach(group -> awaited(group, rebuilding, others));
            }
        }
        return new MoveProgress(moves.size(), moved, rebuilt, waits(now, rebuilding, others, moves.size() - moved));
    }

    private static void awaited(PlacementGroup group, Set<Integer> rebuilding, Set<Integer> others) {
        for (int slot = 0; slot < group.holders().size(); slot++) {
            int holder = group.holders().get(slot);
            boolean seals =
                    group.change().isPresent() && !group.change().get().sealed().contains(slot);
            if (group.isFresh(holder)) {
                rebuilding.add(holder);
            } else if (seals || group.unconfirmed().contains(slot)) {
                others.add(holder);
            }
        }
    }

    private static String waits(
            ClusterStatus now, SortedSet<Integer> rebuilding, SortedSet<Integer> others, int unmoved) {
        Map<Integer, Long> pending = now.nodes().stream()
                .collect(Collectors.toMap(ClusterStatus.NodeStatus::node, ClusterStatus.NodeStatus::pending));
        String left = rebuilding.stream()
                .map(node -> {
                    long blocks = pending.getOrDefault(node, 0L);
                    return "node-" + node + " to rebuild" + (blocks > 0 ? " (" + blocks + " blocks left)" : "");
                })
                .collect(Collectors.joining(", "));
        String agree = others.isEmpty() ? "" : names(others) + " to agree";
        String both = left + (left.isEmpty() || agree.isEmpty() ? "" : ", ") + agree;
        return both.isEmpty() && unmoved > 0 ? "their turn" : both;
    }

    private static Set<Integer> silent(ClusterStatus status) {
        return status.nodes().stream()
                .filter(node -> !node.reachable())
                .map(ClusterStatus.NodeStatus::node)
                .collect(Collectors.toSet());
    }

    private static String names(Set<Integer> nodes) {
        return nodes.stream().map(node -> "node-" + node).collect(Collectors.joining(", "));
    }

    private static PreconditionFailedException lost(Move move, String how) {
        return new PreconditionFailedException(
                move.place() + ": another operator has changed it meanwhile: " + how + ". Announced changes continue;"
                        + " `bulwark node list --groups` shows them, and the same command resumes",
                Subject.NONE);
    }
}
