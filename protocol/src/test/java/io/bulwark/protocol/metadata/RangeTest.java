package io.bulwark.protocol.metadata;

import static io.bulwark.protocol.metadata.MetadataFixture.ALICE;
import static io.bulwark.protocol.metadata.MetadataFixture.BLOCK;
import static io.bulwark.protocol.metadata.MetadataFixture.BOB;
import static org.assertj.core.api.Assertions.assertThat;

import io.bulwark.protocol.id.BlockRange;
import io.bulwark.protocol.metadata.MetadataFixture.User;
import io.bulwark.protocol.mutation.PlantedBug;
import io.bulwark.protocol.object.ObjectAttributes;
import io.bulwark.protocol.object.ObjectLayout;
import java.util.List;
import java.util.Optional;
import org.jspecify.annotations.NullMarked;
import org.junit.jupiter.api.Test;

/** Owner rules of ranges, pending uploads and freeing (docs/protocols/extents.md). */
@NullMarked
class RangeTest {
    private final MetadataFixture rig = MetadataFixture.ready();
    private final User alice = rig.user(ALICE, rig.volume);

    @PlantedBug(
            in = Session.class,
            rule = "a range is used once",
            replace = "!next.overlaps(range),",
            with = "range.count() > 0,")
    @Test
    void aRangeIsUsedOnce() {
        ObjectLayout layout = alice.layout(3 * BLOCK);
        assertThat(alice.run(alice.putOf("films", "a", Condition.NONE, layout))).isInstanceOf(Reply.ObjectStored.class);
        alice.refused(MetadataError.RANGE_USED, alice.putOf("films", "b", Condition.NONE, layout));
        alice.refused(
                MetadataError.RANGE_USED,
                alice.putOf("films", "b", Condition.NONE, alice.layout(2 * BLOCK, List.of(alice.range(2, 2)))));
        alice.refused(
                MetadataError.RANGE_USED,
                alice.putOf(
                        "films",
                        "b",
                        Condition.NONE,
                        alice.layout(2 * BLOCK, List.of(alice.range(9, 1), alice.range(9, 1)))));
        alice.refused(MetadataError.RANGE_USED, abandon(alice.range(2, 1)));
    }

    @Test
    void freedAndAbandonedRangesStayUsed() {
        alice.done(abandon(alice.range(0, 4)));
        assertThat(freed()).as("nodes are told").containsExactly(alice.range(0, 4));
        alice.refused(MetadataError.RANGE_USED, alice.putOf("films", "a", Condition.NONE, alice.layout(10)));
        alice.run(alice.putOf("films", "a", Condition.NONE, alice.layout(10, List.of(alice.range(4, 1)))));
        alice.run(new Command.DeleteObject("films", "a", 0));
        rig.pass(alice, 2 * Inodes.GRACE_MILLIS);
        alice.refused(
                MetadataError.RANGE_USED,
                alice.putOf("films", "a", Condition.NONE, alice.layout(10, List.of(alice.range(4, 1)))));
    }

    @PlantedBug(
            in = Session.class,
            rule = "a client uses ranges of its own session only",
            replace = "&& range.session() == number && range.owner().equals(owner));",
            with = ");")
    @PlantedBug(
            in = Namespace.class,
            rule = "an inode names extents of its own client only",
            replace = "session.owns(content.ranges()) && (pending",
            with = "(pending")
    @Test
    void rangesBelongToTheSubmittersOpenSessionForTheVolume() {
        User bob = rig.user(BOB, rig.volume);
        alice.refused(MetadataError.WRONG_SESSION, alice.putOf("films", "a", Condition.NONE, bob.layout(10)));
        User second = rig.user(ALICE, rig.volume);
        alice.refused(MetadataError.WRONG_SESSION, alice.putOf("films", "a", Condition.NONE, second.layout(10)));
        User control = rig.user(ALICE, 0);
        control.refused(MetadataError.WRONG_SESSION, alice.putOf("films", "a", Condition.NONE, alice.layout(10)));
        control.refused(MetadataError.WRONG_SESSION, new Command.RegisterPending(List.of(control.range(0, 1))));
        alice.refused(MetadataError.WRONG_SESSION, abandon(bob.range(0, 1)));
        assertThat(control.run(control.putOf("films", "empty", Condition.NONE, control.layout(0))))
                .isInstanceOf(Reply.ObjectStored.class);
    }

    @PlantedBug(
            in = Namespace.class,
            rule = "OKs of another epoch do not count for an inode",
            replace = "claimed.epoch() == claim.epoch(),",
            with = "claimed.epoch() >= 1,")
    @Test
    void theLayoutFitsTheVolumeAndTheEpochsAreCurrent() {
        ObjectLayout layout = alice.layout(10);
        ObjectLayout otherBlocks = new ObjectLayout(rig.volume, 1024, 10, layout.ranges(), layout.pins());
        alice.refused(MetadataError.WRONG_LAYOUT, alice.putOf("films", "a", Condition.NONE, otherBlocks));
        alice.refused(MetadataError.STALE_EPOCH, withEpochs(layout, new EpochClaim(5, 2)));
        alice.refused(MetadataError.BAD_ARGUMENT, withEpochs(layout, new EpochClaim(4, 1)));
        alice.refused(MetadataError.BAD_ARGUMENT, withEpochs(layout, new EpochClaim(6, 1)));
        alice.refused(MetadataError.BAD_ARGUMENT, withEpochs(layout));
        assertThat(alice.run(withEpochs(layout, new EpochClaim(2, 1), new EpochClaim(3, 1))))
                .isInstanceOf(Reply.ObjectStored.class);
    }

    @Test
    void aSessionHoldsABoundedNumberOfIntervals() {
        for (int i = 0; i < SessionChange.INTERVALS_MAX / 256; i++) {
            int from = i * 256;
            alice.done(new Command.AbandonRanges(
                    java.util.stream.IntStream.range(from, from + 256)
                            .mapToObj(n -> alice.range(10 + 2L * n, 1))
                            .toList(),
                    List.of()));
        }
        alice.refused(MetadataError.TOO_MANY_RANGES, abandon(alice.range(0, 1)));
        alice.done(abandon(alice.range(11, 1)));
        alice.done(abandon(alice.range(0, 1)));
    }

    /** Else blocks that an object references would be told as freed, and the snapshot could not be read again. */
    @Test
    void aRangeOverSeveralPendingOnesConsumesThemAll() {
        long pending = register(alice.range(1, 1), alice.range(3, 1), alice.range(6, 1));
        ObjectLayout layout = alice.layout(5 * BLOCK, List.of(alice.range(0, 5)));
        assertThat(alice.run(withPending(layout, pending))).isInstanceOf(Reply.ObjectStored.class);
        assertThat(freed()).as("registered and not used").containsExactly(alice.range(6, 1));
        rig.machine = MetadataStateMachine.restore(rig.machine.snapshot());
    }

    @Test
    void pendingUploadsAreReferencedUntilAPutConsumesThem() {
        long pending = register(alice.range(0, 4), alice.range(8, 4));
        long other = register(alice.range(20, 1));
        assertThat(rig.references())
                .containsExactly(
                        new Reply.Reference(
                                1, pending, Optional.empty(), List.of(alice.range(0, 4), alice.range(8, 4))),
                        new Reply.Reference(2, other, Optional.empty(), List.of(alice.range(20, 1))));
        ObjectLayout layout =
                alice.layout(6 * BLOCK, List.of(alice.range(1, 3), alice.range(8, 2), alice.range(13, 1)));
        alice.refused(MetadataError.RANGE_USED, alice.putOf("films", "a", Condition.NONE, layout));
        alice.refused(MetadataError.NO_SUCH_PENDING, withPending(layout, pending, pending));
        alice.refused(MetadataError.NO_SUCH_PENDING, withPending(layout, 77L));
        rig.machine = MetadataStateMachine.restore(rig.machine.snapshot());
        long inode = ((Reply.ObjectStored) alice.run(withPending(layout, pending))).inode();
        assertThat(rig.references())
                .extracting(Reply.Reference::inode)
                .containsExactly(other, inode)
                .isSorted();
        assertThat(freed()).containsExactlyInAnyOrder(alice.range(0, 1), alice.range(10, 2));
        alice.done(new Command.AbandonRanges(List.of(), List.of(other)));
        assertThat(freed()).contains(alice.range(20, 1));
        assertThat(rig.references()).hasSize(1);
    }

    @Test
    void pendingUploadsEndWithTheirSession() {
        alice.put("films", "a", 10);
        register(alice.range(5, 2));
        alice.done(new Command.CloseSession());
        assertThat(rig.references()).hasSize(1);
        assertThat(rig.changesAfter(0))
                .filteredOn(SessionChange.Closed.class::isInstance)
                .hasSize(1);
        assertThat(freed()).containsExactly(alice.range(5, 2));
    }

    @Test
    void rangesAreFreedAtZeroLinksAfterTheGrace() {
        Reply.ObjectStored stored = alice.put("films", "a", 3 * BLOCK);
        alice.run(new Command.DeleteObject("films", "a", 0));
        assertThat(freed()).isEmpty();
        assertThat(rig.references()).hasSize(1);
        assertThat(rig.ask(
                        ALICE,
                        new Query.FindInode(stored.inode(), alice.range(0, 3).at(0))))
                .isEqualTo(new Reply.InodeFound(true, false, true));
        rig.pass(alice, Inodes.GRACE_MILLIS + 10_000);
        assertThat(freed()).containsExactly(alice.range(0, 3));
        assertThat(rig.references()).isEmpty();
        assertThat(rig.ask(
                        ALICE,
                        new Query.FindInode(stored.inode(), alice.range(0, 3).at(0))))
                .isEqualTo(Reply.InodeFound.GONE);
    }

    @Test
    void freedNeighboursMergeIntoOneChange() {
        for (String key : List.of("a", "b", "c")) {
            alice.put("films", key, 2 * BLOCK);
        }
        alice.run(new Command.DeleteObject("films", "a", 0));
        alice.run(new Command.DeleteObject("films", "c", 0));
        rig.pass(alice, Inodes.GRACE_MILLIS + 10_000);
        long sequence = rig.changesAfter(0).getLast().sequence();
        assertThat(freed()).containsExactly(alice.range(0, 2), alice.range(4, 2));
        alice.run(new Command.DeleteObject("films", "b", 0));
        rig.pass(alice, Inodes.GRACE_MILLIS + 10_000);
        assertThat(freed()).containsExactly(alice.range(0, 6));
        assertThat(rig.changesAfter(sequence)).hasSize(1);
    }

    private List<BlockRange> freed() {
        return rig.changesAfter(0).stream()
                .filter(SessionChange.Freed.class::isInstance)
                .map(change -> ((SessionChange.Freed) change).range())
                .toList();
    }

    private long register(BlockRange... ranges) {
        return ((Reply.PendingRegistered) alice.run(new Command.RegisterPending(List.of(ranges)))).pending();
    }

    private static Command abandon(BlockRange range) {
        return new Command.AbandonRanges(List.of(range), List.of());
    }

    private static Command withEpochs(ObjectLayout layout, EpochClaim... epochs) {
        return new Command.PutObject(
                "films", "a", Condition.NONE, layout, ObjectAttributes.NONE, List.of(epochs), List.of());
    }

    private static Command withPending(ObjectLayout layout, Long... pending) {
        return new Command.PutObject(
                "films",
                "a",
                Condition.NONE,
                layout,
                ObjectAttributes.NONE,
                List.of(new EpochClaim(5, 1)),
                List.of(pending));
    }
}
