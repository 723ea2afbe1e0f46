package io.bulwark.client;

import static org.assertj.core.api.Assertions.assertThat;

import io.bulwark.protocol.cluster.ClusterMap;
import io.bulwark.protocol.cluster.PlacementGroup;
import io.bulwark.protocol.cluster.ProtectionPolicy;
import io.bulwark.protocol.cluster.Volume;
import io.bulwark.protocol.cluster.VolumeKind;
import io.bulwark.protocol.control.NodeControlMessage.RevocationReply;
import io.bulwark.protocol.id.PrincipalId;
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

/** What an operator is told who waits until a client is put out. */
@NullMarked
class PuttingOutTest {
    private static final PrincipalId REVOKED = PrincipalId.client(20);

    private static String problem(Map<PrincipalId, Long> undecided, List<PrincipalId> silent) {
        return PuttingOut.problem(REVOKED, new Principals.RevocationProgress(5, 2, undecided, silent));
    }

    @Test
    void whoSaysThatSomethingIsUndecidedIsNamed() {
        assertThat(problem(Map.of(PrincipalId.node(3), 7L, PrincipalId.node(1), 1L), List.of()))
                .contains("are not decided yet at node-1 (1), node-3 (7);")
                .doesNotContain("has not confirmed");
    }

    /** A map in which these nodes hold the slots of one register volume. */
    private static ClusterMap held(Integer... holders) {
        ProtectionPolicy policy = new ProtectionPolicy(1, 2, 4, ProtectionPolicy.BLOCK_BYTES_MIN);
        PlacementGroup group = new PlacementGroup(1, List.of(holders));
        return new ClusterMap(
                1, List.of(), List.of(new Volume(3, "disk", VolumeKind.REGISTER, policy, 100, List.of(group))));
    }

    /** Each node answers in turn what is listed for it, and that it is done after that. */
    private List<Set<PrincipalId>> await(Map<Integer, Deque<RevocationReply>> answers, List<ClusterMap> maps) {
        List<Set<PrincipalId>> asked = new ArrayList<>();
        Deque<ClusterMap> next = new ArrayDeque<>(maps);
        PuttingOut waiting = new PuttingOut(
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
                Set.of(),
                Duration.ofSeconds(30),
                _ -> {});
        return asked;
    }

    private static Set<PrincipalId> nodes(Integer... numbers) {
        return Stream.of(numbers).map(PrincipalId::node).collect(Collectors.toSet());
    }

    /** What began before the last one was done may go on after the first time: only the third answer is of a round that began later. */
    @Test
    void eachNodeMustSayThreeTimesThatItIsDoneAndOnlyWhoHasNotIsAskedAgain() {
        Deque<RevocationReply> late = new ArrayDeque<>(List.of(
                new RevocationReply(REVOKED, false, 0),
                new RevocationReply(REVOKED, true, 2),
                new RevocationReply(REVOKED, true, 0),
                new RevocationReply(REVOKED, true, 1)));
        assertThat(await(Map.of(1, late), List.of(held(0, 1, 2, 3))))
                .containsExactly(nodes(0, 1, 2, 3), nodes(1), nodes(1), nodes(0, 1, 2, 3), nodes(1), nodes(0, 1, 2, 3));
    }

    @Test
    void whoHasTakenASlotMeanwhileIsAskedToo() {
        List<Set<PrincipalId>> asked = await(Map.of(), List.of(held(0, 1, 2, 3), held(0, 1, 2, 4)));
        assertThat(asked).hasSize(6);
        assertThat(asked.subList(3, 6)).containsOnly(nodes(0, 1, 2, 4));
    }

    @Test
    void whoIsSilentIsNamed() {
        assertThat(problem(Map.of(), List.of(PrincipalId.node(4))))
                .contains("node-4 has not confirmed it yet;")
                .doesNotContain("not decided");
    }
}
