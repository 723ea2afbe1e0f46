package io.bulwark.client.placement;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.bulwark.client.ClusterStatus;
import io.bulwark.client.Nodes;
import io.bulwark.client.error.PreconditionFailedException;
import io.bulwark.client.error.Subject;
import io.bulwark.client.error.UnavailableException;
import io.bulwark.protocol.cluster.ClusterMap;
import io.bulwark.protocol.cluster.NodeAddress;
import io.bulwark.protocol.cluster.PlacementGroup;
import io.bulwark.protocol.cluster.Volume;
import java.time.Duration;
import java.util.ArrayList;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import java.util.function.UnaryOperator;
import java.util.stream.Stream;
import org.jspecify.annotations.NullMarked;
import org.junit.jupiter.api.Test;

@NullMarked
class MoveExecutorTest {
    private static final int NODES = 6;

    private final FakeNodes nodes = new FakeNodes();
    private final Set<Integer> silent = new HashSet<>();
    private final List<MoveExecutor.MoveProgress> told = new ArrayList<>();

    /** The map, and each thing that happens the next time that it is asked for. */
    private static final class FakeNodes implements Nodes {
        private final List<PlacementGroup> groups =
                new ArrayList<>(List.of(SampleMaps.group(0, 1, 2, 3), SampleMaps.group(1, 2, 3, 4)));
        private final List<Runnable> soon = new ArrayList<>();
        private final List<String> calls = new ArrayList<>();
        private final List<Volume> created = new ArrayList<>();
        private Runnable quicker = () -> {};
        private boolean registers;

        @Override
        public ClusterMap map() {
            List<Runnable> now = List.copyOf(soon);
            soon.clear();
            now.forEach(Runnable::run);
            return SampleMaps.of(
                    NODES, Stream.concat(Stream.of(volume()), created.stream()).toArray(Volume[]::new));
        }

        private Volume volume() {
            PlacementGroup[] all = groups.toArray(PlacementGroup[]::new);
            return registers ? SampleMaps.registers("main", all) : SampleMaps.objects("main", all);
        }

        private void set(int group, UnaryOperator<PlacementGroup> change) {
            groups.set(group, change.apply(groups.get(group)));
        }

        /** Opens the change; first the nodes that keep a slot confirm it, then the node that takes one. */
        private void opens(int group) {
            soon.add(() -> {
                set(group, PlacementGroup::opened);
                soon.add(() -> {
                    set(group, MoveExecutorTest::confirmedByKept);
                    soon.add(() -> set(group, MoveExecutorTest::confirmedByAll));
                });
            });
        }

        @Override
        public void set(NodeAddress address) {
            throw new AssertionError("not asked for");
        }

        @Override
        public void remove(int node) {
            throw new AssertionError("not asked for");
        }

        @Override
        public void change(String volume, int index, long epoch, int from, int to) {
            quicker.run();
            PlacementGroup group = groups.get(index);
            calls.add(index + ": " + from + " to " + to);
            if (group.epoch() != epoch || group.change().isPresent()) {
                throw new PreconditionFailedException("another is pending", Subject.volume(volume));
            }
            assertThat(group.unconfirmed()).as("f is 1").isSubsetOf(group.slotOf(from));
            set(index, each -> each.announced(each.slotOf(from), to));
            opens(index);
        }

        @Override
        public void abort(String volume, int group, long epoch) {
            throw new AssertionError("not asked for");
        }
    }

    private static PlacementGroup confirmedByKept(PlacementGroup group) {
        PlacementGroup confirmed = group;
        for (int slot = 0; slot < group.holders().size(); slot++) {
            confirmed = group.fresh().contains(slot) ? confirmed : confirmed.confirmed(slot);
        }
        return confirmed;
    }

    private static PlacementGroup confirmedByAll(PlacementGroup group) {
        PlacementGroup confirmed = group;
        for (int slot = 0; slot < group.holders().size(); slot++) {
            confirmed = confirmed.confirmed(slot);
        }
        return confirmed;
    }

    private ClusterStatus status() {
        List<ClusterStatus.NodeStatus> all = new ArrayList<>();
        for (int node = 0; node < NODES; node++) {
            boolean answers = !silent.contains(node);
            ClusterStatus.Background none = new ClusterStatus.Background(0, 0, 0, 0);
            all.add(new ClusterStatus.NodeStatus(
                    node, "there", answers, "", 0, 0, 7, 0, none, 0, 0, List.of(), Optional.empty(), Map.of()));
        }
        return new ClusterStatus(
                all,
                List.of(),
                List.of(),
                List.of(),
                List.of(),
                new ClusterStatus.Recoveries(Duration.ZERO, Duration.ZERO, Optional.empty(), List.of()));
    }

    private MoveExecutor moving(Move... moves) {
        MovePlan plan = MovePlan.of(nodes.map(), Optional.empty());
        return new MoveExecutor(nodes, this::status, plan, _ -> List.of(moves), 1);
    }

    private static Move move(int group, int from, int to) {
        return new Move("main", group, from, to);
    }

    @Test
    void slotsOfSeveralGroupsMoveAtATimeAndAllIsWaitedFor() throws Exception {
        silent.add(1); // Who is replaced need not answer.
        MoveExecutor moving = moving(move(0, 1, 5), move(1, 1, 5));
        moving.requireAnswers();
        MoveExecutor.MoveProgress over = moving.run(true, told::add);
        assertThat(over).isEqualTo(new MoveExecutor.MoveProgress(2, 2, 2, ""));
        assertThat(nodes.groups.get(0)).isEqualTo(new PlacementGroup(2, List.of(0, 5, 2, 3)));
        assertThat(nodes.groups.get(1)).isEqualTo(new PlacementGroup(2, List.of(5, 2, 3, 4)));
        assertThat(nodes.calls).containsExactly("0: 1 to 5", "1: 1 to 5");
        assertThat(told.getFirst().over()).isFalse();
        assertThat(told.stream().map(MoveExecutor.MoveProgress::waits))
                .anyMatch(waits -> waits.contains("node-5 to rebuild (7 blocks left)"));
    }

    @Test
    void holdersOfRegistersAreWaitedForToo() throws Exception {
        nodes.registers = true;
        assertThat(moving(move(0, 1, 5)).run(true, told::add)).isEqualTo(new MoveExecutor.MoveProgress(1, 1, 1, ""));
        assertThat(told.stream().map(MoveExecutor.MoveProgress::waits))
                .anyMatch(waits -> waits.contains("node-5 to rebuild"))
                .anyMatch(waits -> waits.contains("node-0, node-2, node-3 to agree"));
    }

    @Test
    void whoBeginsAgainGoesOn() throws Exception {
        nodes.set(0, group -> group.announced(1, 5));
        nodes.opens(0);
        assertThat(moving(move(0, 1, 5), move(1, 1, 5)).run(true, told::add).over())
                .isTrue();
        assertThat(nodes.calls).containsExactly("1: 1 to 5");
    }

    @Test
    void aSlotMovesOnceTheOneBeforeIsConfirmed() throws Exception {
        nodes.set(0, group -> group.announced(2, 4));
        nodes.opens(0);
        assertThat(moving(move(0, 1, 5)).run(true, told::add).over()).isTrue();
        assertThat(nodes.groups.get(0)).isEqualTo(new PlacementGroup(3, List.of(0, 5, 4, 3)));
    }

    @Test
    void withoutWaitingOnlyWhatCanBeIsAnnounced() throws Exception {
        nodes.set(1, group -> group.announced(1, 0));
        MoveExecutor moving = moving(move(0, 1, 5), move(1, 1, 5));
        MoveExecutor.MoveProgress standing = moving.run(false, told::add);
        assertThat(standing.over()).isFalse();
        assertThat(nodes.calls).containsExactly("0: 1 to 5");
        assertThat(moving.announced()).isEqualTo(1);
    }

    @Test
    void nothingIsAnnouncedWhereWhoIsNeededDoesNotAnswer() throws Exception {
        silent.add(5);
        assertThatThrownBy(() -> moving(move(0, 1, 5)).requireAnswers())
                .isInstanceOf(UnavailableException.class)
                .hasMessageContaining("node-5");
        silent.clear();
        silent.add(3);
        assertThatThrownBy(() -> moving(move(0, 1, 5)).requireAnswers())
                .isInstanceOf(UnavailableException.class)
                .hasMessageContainingAll("group 0 of volume main", "node-3", "f = 1");
        moving(move(0, 1, 5)).run(false, told::add);
        assertThat(nodes.calls).isEmpty();
        moving(move(0, 3, 5)).requireAnswers();
    }

    @Test
    void ofTwoWhoMoveASlotOneIsTold() {
        MoveExecutor moving = moving(move(0, 1, 5));
        nodes.quicker = () -> nodes.set(0, group -> group.announced(1, 4));
        assertThatThrownBy(() -> moving.run(true, told::add))
                .isInstanceOf(PreconditionFailedException.class)
                .hasMessageContainingAll("group 0 of volume main", "node-4", "another operator");
    }

    @Test
    void whoseChangeIsGivenUpIsTold() {
        MoveExecutor moving = moving(move(0, 1, 5));
        nodes.set(0, group -> group.announced(1, 5));
        nodes.soon.add(() -> nodes.soon.add(() -> nodes.set(0, group -> group.announced(1, 1))));
        assertThatThrownBy(() -> moving.run(true, told::add)).hasMessageContaining("aborted");

        MoveExecutor later = moving(move(1, 1, 5));
        nodes.set(1, group -> group.announced(0, 5));
        nodes.soon.add(() ->
                nodes.soon.add(() -> nodes.set(1, group -> group.announced(0, 1).opened())));
        assertThatThrownBy(() -> later.run(true, told::add)).hasMessageContaining("aborted");
        assertThat(nodes.calls).isEmpty();
    }

    @Test
    void whatWasPlacedOnADrainedNodeMeanwhileMovesToo() throws Exception {
        MovePlan plan = MovePlan.of(nodes.map(), Optional.empty());
        MoveExecutor moving = new MoveExecutor(nodes, this::status, plan, each -> each.planDrain(0, _ -> true), 1);
        List<Move> before = moving.moves();
        nodes.created.add(SampleMaps.registers("later", SampleMaps.group(0, 1, 2, 3)));
        MoveExecutor.MoveProgress standing = moving.run(true, now -> {
            told.add(now);
            Volume later = nodes.created.getFirst();
            PlacementGroup group = later.groups().getFirst();
            if (now.moves() > before.size() && group.slotOf(0) >= 0) {
                int to = moving.moves().getLast().to();
                nodes.created.set(0, SampleMaps.registers("later", new PlacementGroup(2, List.of(to, 1, 2, 3))));
            }
        });
        assertThat(before).hasSize(1).allMatch(move -> move.volume().equals("main"));
        assertThat(moving.moves()).hasSize(2).anyMatch(move -> move.volume().equals("later"));
        assertThat(told).anyMatch(now -> now.moves() == 2 && !now.over());
        assertThat(standing.over()).isTrue();
    }
}
