package io.bulwark.client.placement;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.bulwark.client.error.PreconditionFailedException;
import io.bulwark.protocol.cluster.ClusterMap;
import io.bulwark.protocol.cluster.PlacementGroup;
import io.bulwark.protocol.cluster.Volume;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import org.jspecify.annotations.NullMarked;
import org.junit.jupiter.api.Test;

@NullMarked
class MovePlanTest {
    private static MovePlan plan(ClusterMap map) {
        return MovePlan.of(map, Optional.empty());
    }

    private static Move move(int group, int from, int to) {
        return new Move("main", group, from, to);
    }

    @Test
    void aNodeIsReplacedInEachGroupInWhichItHoldsASlot() {
        ClusterMap map = SampleMaps.of(
                6,
                SampleMaps.objects(
                        "main",
                        SampleMaps.group(0, 1, 2, 3),
                        SampleMaps.group(1, 2, 3, 4),
                        SampleMaps.group(4, 3, 2, 0)));
        assertThat(plan(map).replacing(1, 5)).containsExactly(move(0, 1, 5), move(1, 1, 5));
        assertThat(plan(map).replacing(5, 1)).isEmpty();
    }

    @Test
    void whatIsAnnouncedOrHasOpenedIsNotPlannedAnew() {
        ClusterMap map = SampleMaps.of(
                6,
                SampleMaps.objects(
                        "main",
                        SampleMaps.group(0, 1, 2, 3).announced(1, 5),
                        SampleMaps.group(1, 2, 3, 4).announced(0, 5).opened(),
                        SampleMaps.group(4, 3, 2, 1)));
        assertThat(plan(map).replacing(1, 5)).containsExactly(move(0, 1, 5), move(2, 1, 5));
        assertThat(plan(map).planDrain(1, _ -> true)).containsExactly(move(0, 1, 5), move(2, 1, 0));
        assertThatThrownBy(() -> plan(map).planDrain(77, _ -> true)).hasMessageContaining("does not name node-77");
        assertThat(plan(map).planFill(5)).contains(move(0, 1, 5));
    }

    @Test
    void aSlotThatSomebodyElseMovesIsNotPlanned() {
        ClusterMap map = SampleMaps.of(
                7,
                SampleMaps.objects(
                        "main",
                        SampleMaps.group(0, 1, 2, 3),
                        SampleMaps.group(1, 2, 3, 4).announced(0, 6)));
        assertThatThrownBy(() -> plan(map).replacing(1, 5))
                .isInstanceOf(PreconditionFailedException.class)
                .hasMessageContainingAll("group 1 of volume main", "node-6", "nothing was changed");
        assertThat(plan(map).replacing(2, 5))
                .as("another slot may move after it")
                .hasSize(2);
    }

    @Test
    void whoHoldsASlotOfTheGroupCannotTakeAnother() {
        ClusterMap map = SampleMaps.of(5, SampleMaps.objects("main", SampleMaps.around(5)));
        assertThatThrownBy(() -> plan(map).replacing(0, 1))
                .isInstanceOf(PreconditionFailedException.class)
                .hasMessageContainingAll("group 0 of volume main", "node drain");
        assertThatThrownBy(() -> plan(map).replacing(0, 5)).hasMessageContaining("does not name node-5");
        assertThatThrownBy(() -> plan(map).planFill(5)).hasMessageContaining("does not name node-5");
    }

    @Test
    void registersUnderFpMoveAsObjectsDo() {
        ClusterMap map = SampleMaps.of(
                6,
                SampleMaps.objects("main", SampleMaps.group(0, 1, 2, 3)),
                SampleMaps.registers("disk", SampleMaps.group(1, 2, 3, 4)));
        assertThat(plan(map).replacing(1, 5)).containsExactly(move(0, 1, 5), new Move("disk", 0, 1, 5));
        assertThat(plan(map).planDrain(4, _ -> true))
                .hasSize(1)
                .allMatch(move -> move.volume().equals("disk"));
        assertThat(plan(map).kept()).isEmpty();
    }

    @Test
    void registerVolumesUnderPasisMoveLikeOthers() {
        ClusterMap map = SampleMaps.of(6, SampleMaps.versions("disk", SampleMaps.group(1, 2, 3, 4, 5)));
        assertThat(plan(map).replacing(1, 0))
                .singleElement()
                .satisfies(move -> assertThat(move.volume()).isEqualTo("disk"));
        assertThat(plan(map).kept()).isEmpty();
    }

    @Test
    void registerVolumesThatNobodyVerifiesAreNamedBeforeAnythingIsPlanned() {
        ClusterMap map = SampleMaps.of(
                6,
                SampleMaps.objects("main", SampleMaps.group(0, 1, 2, 3)),
                SampleMaps.unverified("disk", SampleMaps.group(1, 2, 3, 4, 5)));
        for (int node : List.of(1, 4)) {
            assertThatThrownBy(() -> plan(map).replacing(node, 0))
                    .isInstanceOf(PreconditionFailedException.class)
                    .hasMessageContainingAll("register volumes", "disk", "nothing was changed");
            assertThatThrownBy(() -> plan(map).planDrain(node, _ -> true)).hasMessageContaining("disk");
        }
        assertThat(plan(map).replacing(0, 5)).containsExactly(move(0, 0, 5));
        assertThat(MovePlan.of(map, Optional.of("main")).replacing(1, 5)).containsExactly(move(0, 1, 5));
        assertThat(plan(map).kept()).containsExactly("disk");
        assertThatThrownBy(() -> MovePlan.of(map, Optional.of("other"))).hasMessageContaining("other");
    }

    @Test
    void whatIsDrainedGoesToThoseThatHoldLeast() {
        ClusterMap map = SampleMaps.of(6, SampleMaps.objects("main", SampleMaps.around(6)));
        List<Move> moves = plan(map).planDrain(0, _ -> true);
        assertThat(moves).hasSize(4).allMatch(move -> move.from() == 0);
        assertThat(after(map, moves).values()).containsExactlyInAnyOrder(5, 5, 5, 5, 4);
        assertThat(plan(map).planDrain(0, node -> node != 4)).noneMatch(move -> move.to() == 4);
    }

    @Test
    void noGroupIsLeftWithoutANodeForEachSlot() {
        ClusterMap four = SampleMaps.of(4, SampleMaps.objects("main", SampleMaps.around(4)));
        assertThatThrownBy(() -> plan(four).planDrain(0, _ -> true))
                .isInstanceOf(PreconditionFailedException.class)
                .hasMessageContainingAll("volume main", "needs 4 nodes", "add a node", "Nothing was changed");
        ClusterMap five = SampleMaps.of(5, SampleMaps.objects("main", SampleMaps.around(5)));
        assertThat(plan(five).planDrain(0, _ -> true)).hasSize(4);
        assertThatThrownBy(() -> plan(five).planDrain(0, node -> node != 4)).hasMessageContaining("no reachable node");
    }

    @Test
    void aNewNodeTakesItsShareFromThoseThatHaveMost() {
        ClusterMap map = SampleMaps.of(6, SampleMaps.objects("main", SampleMaps.around(5)));
        List<Move> moves = plan(map).planFill(5);
        assertThat(moves).hasSize(3).allMatch(move -> move.to() == 5);
        assertThat(moves.stream().map(Move::group)).doesNotHaveDuplicates();
        assertThat(after(map, moves).values()).containsExactlyInAnyOrder(4, 4, 3, 3, 3, 3);
        assertThat(plan(map).planFill(4)).isEmpty();
    }

    /** Balancing each volume alone would take slots from the first nodes only. */
    @Test
    void whatIsEvenInEachVolumeIsEvenInAllOfThem() {
        ClusterMap map = SampleMaps.of(
                6,
                SampleMaps.objects("main", SampleMaps.around(5)),
                SampleMaps.registers("disk", SampleMaps.around(5)));
        List<Move> filling = plan(map).planFill(5);
        assertThat(after(map, filling).values()).containsExactlyInAnyOrder(7, 7, 7, 7, 6, 6);
        ClusterMap seven = SampleMaps.of(
                7,
                SampleMaps.objects("main", SampleMaps.around(7)),
                SampleMaps.registers("disk", SampleMaps.around(7)));
        // Four of either volume, to six nodes that have as many: eight are two for two of them, and one for the others.
        assertThat(after(seven, plan(seven).planDrain(6, _ -> true)).values())
                .containsExactlyInAnyOrder(10, 10, 9, 9, 9, 9);
    }

    /** Returns the number of slots that each node holds after the moves. */
    private static Map<Integer, Integer> after(ClusterMap map, List<Move> moves) {
        Map<Integer, Integer> loads = new HashMap<>();
        for (Volume volume : map.volumes()) {
            for (PlacementGroup group : volume.groups()) {
                group.holders().forEach(holder -> loads.merge(holder, 1, Integer::sum));
            }
        }
        for (Move move : moves) {
            PlacementGroup group =
                    map.volume(move.volume()).orElseThrow().groups().get(move.group());
            assertThat(group.slotOf(move.from())).isNotNegative();
            assertThat(group.slotOf(move.to())).isNegative();
            loads.merge(move.from(), -1, Integer::sum);
            loads.merge(move.to(), 1, Integer::sum);
        }
        loads.values().removeIf(load -> load == 0);
        return loads;
    }
}
