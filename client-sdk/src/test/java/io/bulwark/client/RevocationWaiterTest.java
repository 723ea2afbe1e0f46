package io.bulwark.client;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.bulwark.protocol.cluster.ClusterMap;
import io.bulwark.protocol.cluster.PlacementGroup;
import io.bulwark.protocol.cluster.ProtectionPolicy;
import io.bulwark.protocol.cluster.Volume;
import io.bulwark.protocol.cluster.VolumeKind;
import io.bulwark.protocol.control.NodeControlMessage.RevocationReply;
import io.bulwark.protocol.id.PrincipalId;
import io.bulwark.protocol.mutation.PlantedBug;
import io.bulwark.protocol.wire.Message;
import java.time.Duration;
import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.Deque;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.Set;
import java.util.SortedMap;
import java.util.TreeMap;
import java.util.stream.Collectors;
import java.util.stream.Stream;
import org.jspecify.annotations.NullMarked;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.parallel.Execution;
import org.junit.jupiter.api.parallel.ExecutionMode;

/** Tests of the messages to an operator who waits for the removal of a client. */
@NullMarked
@Execution(ExecutionMode.CONCURRENT)
class RevocationWaiterTest {
    private static final PrincipalId REVOKED = PrincipalId.client(20);

    private static String problem(Map<PrincipalId, Long> undecided, List<PrincipalId> busy, List<PrincipalId> silent) {
        return RevocationWaiter.problem(REVOKED, new Principals.RevocationProgress(5, 2, undecided, busy, silent));
    }

    @Test
    void whoSaysThatSomethingIsUndecidedIsNamed() {
        assertThat(problem(Map.of(PrincipalId.node(3), 7L, PrincipalId.node(1), 1L), List.of(), List.of()))
                .contains("are undecided at node-1 (1), node-3 (7): ")
                .contains("settled when its block is written (under FP the node's log names the block), under an older"
                        + " policy")
                .doesNotContain("has not answered")
                .doesNotContain("searching");
    }

    @Test
    void whoIsSilentIsNamed() {
        assertThat(problem(Map.of(), List.of(), List.of(PrincipalId.node(4))))
                .contains("node-4 has not answered;")
                .doesNotContain("searching")
                .doesNotContain("undecided")
                .doesNotContain("is written");
    }

    /** The node answers, so nobody need look after it. */
    @Test
    void whoIsNotDoneYetIsNotCalledSilent() {
        assertThat(problem(Map.of(), List.of(PrincipalId.node(4)), List.of()))
                .contains("node-4 is still searching for its writes;")
                .doesNotContain("has not answered");
        RevocationWaiter waiting = new RevocationWaiter(
                nodes -> new TreeMap<>(Map.of(PrincipalId.node(1), new RevocationReply(REVOKED, false, 0))), REVOKED);
        List<Principals.RevocationProgress> told = new ArrayList<>();
        assertThatThrownBy(() -> waiting.await(() -> held(1, 1, 2, 3, 4), Set::of, Duration.ZERO, told::add))
                .hasMessageContaining("node-2, node-3, node-4 has not answered; node-1 is still");
        assertThat(told.getFirst().busy()).containsExactly(PrincipalId.node(1));
    }

    /** The time ends when all have just confirmed once more. */
    @Test
    void whoIsWaitedForNextIsNamedWhenTheTimeIsOver() {
        Deque<Set<PrincipalId>> silent = new ArrayDeque<>(List.of(Set.of(), nodes(2)));
        RevocationWaiter waiting = new RevocationWaiter(
                nodes -> {
                    SortedMap<PrincipalId, Message> all = new TreeMap<>();
                    nodes.forEach(node -> all.put(node, new RevocationReply(REVOKED, true, 0)));
                    all.keySet().removeAll(Objects.requireNonNull(silent.poll()));
                    return all;
                },
                REVOKED);
        assertThatThrownBy(() -> waiting.await(() -> held(1, 0, 1, 2, 3), Set::of, Duration.ZERO, _ -> {}))
                .hasMessageContaining("node-2 has not answered");
    }

    /** A map in which these nodes hold the slots of one register volume. */
    private static ClusterMap held(long epoch, Integer... holders) {
        ProtectionPolicy policy = new ProtectionPolicy(1, 2, 4, ProtectionPolicy.BLOCK_BYTES_MIN);
        PlacementGroup group = new PlacementGroup(epoch, List.of(holders));
        return new ClusterMap(
                1, List.of(), List.of(new Volume(3, "disk", VolumeKind.REGISTER, policy, 100, List.of(group))));
    }

    /**
     * Waits on nodes that give their listed answers in turn, then report that they are done; returns the nodes asked
     * each time.
     */
    private List<Set<PrincipalId>> await(Map<Integer, Deque<RevocationReply>> answers, List<ClusterMap> maps) {
        List<Set<PrincipalId>> asked = new ArrayList<>();
        Deque<ClusterMap> next = new ArrayDeque<>(maps);
        RevocationWaiter waiting = new RevocationWaiter(
                nodes -> {
                    asked.add(Set.copyOf(nodes));
                    SortedMap<PrincipalId, Message> all = new TreeMap<>();
                    for (PrincipalId node : nodes) {
                        RevocationReply reply = answers.getOrDefault(node.number(), new ArrayDeque<>())
                                .poll();
                        all.put(node, reply == null ? new RevocationReply(REVOKED, true, 0) : reply);
                    }
                    return all;
                },
                REVOKED);
        waiting.await(
                () -> Objects.requireNonNull(next.size() > 1 ? next.poll() : next.peek()),
                Set::of,
                Duration.ofSeconds(30),
                _ -> {});
        return asked;
    }

    private static Set<PrincipalId> nodes(Integer... numbers) {
        return Stream.of(numbers).map(PrincipalId::node).collect(Collectors.toSet());
    }

    /**
     * A round that began before the last node's confirmation may continue after the first time. Only every second
     * answer after that belongs to a later round.
     */
    @PlantedBug(
            in = RevocationWaiter.class,
            rule = "a node must say five times that its repairs are settled",
            replace = "TIMES_DONE = 5;",
            with = "TIMES_DONE = 3;")
    @Test
    void eachNodeMustSayFiveTimesThatItIsDoneAndOnlyWhoHasNotIsAskedAgain() {
        Deque<RevocationReply> late = new ArrayDeque<>(List.of(
                new RevocationReply(REVOKED, false, 0),
                new RevocationReply(REVOKED, true, 2),
                new RevocationReply(REVOKED, true, 0),
                new RevocationReply(REVOKED, true, 1)));
        Set<PrincipalId> all = nodes(0, 1, 2, 3);
        assertThat(await(Map.of(1, late), List.of(held(1, 0, 1, 2, 3))))
                .containsExactly(all, nodes(1), nodes(1), all, nodes(1), all, all, all);
    }

    @Test
    void whoHasTakenASlotMeanwhileIsAskedToo() {
        List<Set<PrincipalId>> asked = await(Map.of(), List.of(held(1, 0, 1, 2, 3), held(2, 0, 1, 2, 4)));
        assertThat(asked).hasSize(10);
        assertThat(asked.subList(5, 10)).containsOnly(nodes(0, 1, 2, 4));
    }

    /** The same nodes hold other slots, or one has taken its own slot anew: its earlier answer was not about that. */
    @Test
    void whoHasTakenAnotherSlotMeanwhileIsAskedAnew() {
        assertThat(await(Map.of(), List.of(held(1, 0, 1, 2, 3), held(2, 0, 1, 3, 2))))
                .hasSize(10);
        assertThat(await(Map.of(), List.of(held(1, 0, 1, 2, 3), held(2, 0, 1, 2, 3))))
                .hasSize(10);
        assertThat(await(Map.of(), List.of(held(1, 0, 1, 2, 3), new ClusterMap(1, List.of(), List.of()))))
                .as("the volume is no more")
                .hasSize(5);
    }

    @Test
    void whoIsRevokedMeanwhileIsNotWaitedFor() {
        Deque<Set<PrincipalId>> gone = new ArrayDeque<>(List.of(Set.of()));
        RevocationWaiter waiting = new RevocationWaiter(
                nodes -> {
                    SortedMap<PrincipalId, Message> all = new TreeMap<>();
                    nodes.forEach(node -> all.put(node, new RevocationReply(REVOKED, true, 0)));
                    all.remove(PrincipalId.node(3));
                    return all;
                },
                REVOKED);
        List<Principals.RevocationProgress> told = new ArrayList<>();
        waiting.await(
                () -> held(1, 0, 1, 2, 3),
                () -> Objects.requireNonNullElse(gone.poll(), nodes(3)),
                Duration.ofSeconds(30),
                told::add);
        assertThat(told.getFirst().silent()).containsExactly(PrincipalId.node(3));
        assertThat(told.getLast().asked()).isEqualTo(3);
    }
}
