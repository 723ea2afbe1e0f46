package io.bulwark.protocol.metadata;

import static io.bulwark.protocol.metadata.Rig.ALICE;
import static io.bulwark.protocol.metadata.Rig.READER;
import static org.assertj.core.api.Assertions.assertThat;

import io.bulwark.protocol.cluster.Decision;
import io.bulwark.protocol.cluster.PlacementGroup;
import io.bulwark.protocol.cluster.VolumeKind;
import io.bulwark.protocol.id.BlockId;
import io.bulwark.protocol.id.BlockRange;
import io.bulwark.protocol.id.PrincipalId;
import io.bulwark.protocol.metadata.Rig.User;
import io.bulwark.protocol.wire.Bytes;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.TreeMap;
import org.jspecify.annotations.NullMarked;
import org.junit.jupiter.api.Test;

/** What becomes of a version is decided once: PROTOCOLS section 6, decisions. f = 1, groups of four nodes of five. */
@NullMarked
class DecisionTest {
    private static final Bytes DIGEST = Rig.filled(32, 7);

    private final Rig rig = Rig.ready();
    private final User alice = rig.user(ALICE, 0);
    private final Map<Integer, User> nodes = new TreeMap<>();
    private final int registers = ((Reply.VolumeCreated)
                    alice.run(new Command.CreateVolume("disk", VolumeKind.REGISTER, Rig.POLICY, 1 << 20, 5, 0)))
            .volume();
    private final BlockId block = BlockId.register(registers, 0);

    private PlacementGroup group() {
        return rig.map().volume(registers).orElseThrow().group(block);
    }

    private User holder(int slot) {
        return node(group().holders().get(slot));
    }

    private User node(int number) {
        return nodes.computeIfAbsent(number, _ -> rig.user(PrincipalId.node(number), 0));
    }

    private int spare() {
        int node = 0;
        while (group().slotOf(node) >= 0) {
            node++;
        }
        return node;
    }

    private void vote(int slot, Decision decision) {
        holder(slot).done(vote(block, decision));
    }

    private static Command vote(BlockId on, Decision decision) {
        return new Command.CastVotes(List.of(new Command.Vote(on, DIGEST, decision)));
    }

    private Reply.DecisionFound found(BlockId of) {
        return (Reply.DecisionFound) rig.ask(PrincipalId.node(0), new Query.DecisionOf(of, DIGEST));
    }

    private List<Reply.DecisionEntry> decisions() {
        return ((Reply.DecisionList) rig.ask(PrincipalId.node(0), new Query.DecisionsAfter(0, 1000))).entries();
    }

    @Test
    void fPlusOneSlotsThatSayTheSameDecideForGood() {
        vote(2, Decision.RECOVERABLE);
        vote(0, Decision.VOID);
        assertThat(found(block).decision()).isEmpty();
        assertThat(found(block).votes())
                .containsExactly(new Reply.VoteEntry(0, Decision.VOID), new Reply.VoteEntry(2, Decision.RECOVERABLE));
        vote(1, Decision.VOID);
        assertThat(found(block).decision()).contains(Decision.VOID);
        for (int slot = 0; slot < 4; slot++) {
            vote(slot, Decision.RECOVERABLE);
        }
        assertThat(found(block).decision()).contains(Decision.VOID);
        assertThat(decisions()).singleElement().satisfies(entry -> {
            assertThat(entry.block()).isEqualTo(block);
            assertThat(entry.digest()).isEqualTo(DIGEST);
            assertThat(entry.decision()).isEqualTo(Decision.VOID);
        });
    }

    @Test
    void theLastVoteOfASlotCounts() {
        vote(0, Decision.RECOVERABLE);
        vote(0, Decision.VOID);
        vote(1, Decision.RECOVERABLE);
        assertThat(found(block).decision()).isEmpty();
        vote(0, Decision.RECOVERABLE);
        assertThat(found(block).decision()).contains(Decision.RECOVERABLE);
    }

    @Test
    void oneNodeDecidesNothingHoweverOftenItVotes() {
        for (int i = 0; i < 5; i++) {
            vote(0, Decision.VOID);
        }
        node(spare()).done(vote(block, Decision.VOID));
        assertThat(found(block).decision()).isEmpty();
        rig.user(READER, 0).refused(MetadataError.NOT_AUTHORISED, vote(block, Decision.VOID));
    }

    @Test
    void aSlotThatHasNotConfirmedHasNoVote() {
        vote(0, Decision.VOID);
        int spare = spare();
        int index = rig.map().volume(registers).orElseThrow().groupIndex(block);
        int before = group().holders().getFirst();
        alice.done(new Command.ChangeHolder("disk", index, 1, before, spare));
        for (int slot = 1; slot < 4; slot++) {
            holder(slot).done(new Command.SealEpoch(registers, index, 1));
        }
        for (int slot = 0; slot < 4; slot++) {
            vote(slot, Decision.VOID);
        }
        assertThat(found(block)).isEqualTo(new Reply.DecisionFound(Optional.empty(), List.of()));
        holder(1).done(new Command.ConfirmEpoch(registers, index, 2));
        vote(1, Decision.VOID);
        assertThat(found(block).votes()).as("not that of who held slot 0").hasSize(1);
        holder(0).done(new Command.ConfirmEpoch(registers, index, 2));
        node(before).done(vote(block, Decision.VOID));
        assertThat(found(block).decision()).isEmpty();
        vote(0, Decision.VOID);
        assertThat(found(block).decision()).contains(Decision.VOID);
    }

    @Test
    void aRevokedNodesVoteCountsNoMore() {
        vote(0, Decision.VOID);
        alice.done(
                new Command.RevokePrincipal(PrincipalId.node(group().holders().getFirst())));
        vote(1, Decision.VOID);
        assertThat(found(block).decision()).isEmpty();
    }

    @Test
    void aLiarDisplacesOnlyItsOwnVotes() {
        vote(1, Decision.VOID);
        vote(0, Decision.VOID);
        BlockId first = BlockId.register(registers, 1);
        int other = group().holders().getFirst();
        List<Command.Vote> votes = new ArrayList<>();
        for (long number = 1; votes.size() < Decisions.VOTES_MAX + 1; number++) {
            BlockId on = BlockId.register(registers, number);
            boolean holds = rig.map().volume(registers).orElseThrow().group(on).slotOf(other) >= 0;
            if (holds) {
                first = votes.isEmpty() ? on : first;
                votes.add(new Command.Vote(on, DIGEST, Decision.VOID));
            }
        }
        for (int from = 0; from < votes.size(); from += Command.VOTES_MAX) {
            node(other)
                    .done(new Command.CastVotes(votes.subList(from, Math.min(votes.size(), from + Command.VOTES_MAX))));
        }
        assertThat(found(first).votes()).as("displaced").isEmpty();
        assertThat(found(votes.getLast().block()).votes()).hasSize(1);
        assertThat(found(block).decision()).as("decided before").contains(Decision.VOID);
    }

    @Test
    void whatIsDecidedGoesWithTheVolume() {
        vote(0, Decision.VOID);
        vote(1, Decision.VOID);
        BlockId other = BlockId.register(registers, 9);
        nodes.values().forEach(node -> node.done(vote(other, Decision.RECOVERABLE)));
        long before = rig.machine.weight().bytes();
        alice.done(new Command.DeleteVolume("disk"));
        assertThat(decisions()).isEmpty();
        assertThat(found(block)).isEqualTo(new Reply.DecisionFound(Optional.empty(), List.of()));
        assertThat(rig.machine.weight().bytes()).isLessThan(before);
    }

    @Test
    void whatIsDecidedOfAnExtentGoesWhenItIsFreed() {
        User putting = rig.user(ALICE, rig.volume);
        BlockId extent = new BlockId(rig.volume, ALICE, putting.session, 3);
        List<Integer> holders = rig.mainVolume().group(extent).holders();
        node(holders.get(0)).done(vote(extent, Decision.VOID));
        node(holders.get(3)).done(vote(extent, Decision.VOID));
        assertThat(found(extent).decision()).contains(Decision.VOID);
        putting.done(new Command.AbandonRanges(
                List.of(new BlockRange(rig.volume, ALICE, putting.session, 0, 3)), List.of()));
        assertThat(found(extent).decision()).contains(Decision.VOID);
        putting.done(new Command.AbandonRanges(
                List.of(new BlockRange(rig.volume, ALICE, putting.session, 3, 2)), List.of()));
        assertThat(found(extent).decision()).isEmpty();
        assertThat(decisions()).isEmpty();
    }

    @Test
    void aSnapshotKeepsVotesAndDecisions() {
        vote(0, Decision.VOID);
        restore();
        vote(3, Decision.VOID);
        restore();
        assertThat(decisions()).hasSize(1);
    }

    private void restore() {
        Bytes snapshot = rig.machine.snapshot();
        rig.machine = MetadataStateMachine.restore(snapshot);
        assertThat(rig.machine.snapshot()).isEqualTo(snapshot);
    }
}
