package io.bulwark.protocol.completion;

import static org.assertj.core.api.Assertions.assertThat;

import io.bulwark.protocol.cluster.ClusterMap;
import io.bulwark.protocol.cluster.Fact;
import io.bulwark.protocol.cluster.PlacementGroup;
import io.bulwark.protocol.cluster.ProtectionPolicy;
import io.bulwark.protocol.cluster.Volume;
import io.bulwark.protocol.cluster.VolumeKind;
import io.bulwark.protocol.extent.CompletionResult;
import io.bulwark.protocol.extent.ExtentMessage.Complete;
import io.bulwark.protocol.id.BlockId;
import io.bulwark.protocol.id.BlockRange;
import io.bulwark.protocol.id.PrincipalId;
import io.bulwark.protocol.metadata.Command;
import io.bulwark.protocol.metadata.Command.ConfirmEpoch;
import io.bulwark.protocol.metadata.Command.SealEpoch;
import io.bulwark.protocol.metadata.Query;
import io.bulwark.protocol.metadata.Reply;
import io.bulwark.protocol.mutation.PlantedBug;
import io.bulwark.protocol.object.ObjectLayout;
import io.bulwark.protocol.wire.Bytes;
import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.Deque;
import java.util.List;
import java.util.Optional;
import java.util.function.Function;
import org.jspecify.annotations.NullMarked;
import org.junit.jupiter.api.Test;

/** Tests the reports of node 0 on the epochs of its placement group, and their time: docs/epochs.md. */
@NullMarked
class EpochDutiesTest {
    private static final int BLOCK = 512;
    private static final PrincipalId OWNER = PrincipalId.client(1);
    private static final CompletionPace PACE = new CompletionPace(1_000, 4, 100_000, 5_000);
    /** More than it takes until the map is asked for again. */
    private static final long LATER = 6_000;

    private static final PlacementGroup ANNOUNCED = new PlacementGroup(1, List.of(0, 1, 2, 3)).announced(3, 4);
    private static final PlacementGroup OPENED = ANNOUNCED.opened();
    /** Node 0 is the new holder of slot 0. */
    private static final PlacementGroup ARRIVED =
            new PlacementGroup(1, List.of(9, 1, 2, 3)).announced(0, 0).opened();

    private PlacementGroup group = ANNOUNCED;
    /** Groups of the same volume after the first. */
    private List<PlacementGroup> others = List.of();

    private long lastInode = 8;
    private int checksMax = Integer.MAX_VALUE;
    /** Objects that clients put while the node looks at a page. */
    private int putsPerPage;

    private Function<Complete, CompletionResult> result = _ -> CompletionResult.HELD;
    private final List<Fact> told = new ArrayList<>();
    private final List<Command> submitted = new ArrayList<>();
    private final List<BlockId> checked = new ArrayList<>();
    /** Until a test lets them go. */
    private final List<CompletionStep.Check> held = new ArrayList<>();

    private boolean holdChecks;
    private NodeCompletion completion = completion();
    private long now = 100_000;

    private static NodeCompletion completion() {
        return new NodeCompletion(
                0, PACE, WorkThrottle.NEVER, WorkThrottle.NEVER, WorkThrottle.NEVER, RebuildRate.of(1 << 30));
    }

    private Volume volume() {
        ProtectionPolicy policy = new ProtectionPolicy(1, 2, 4, BLOCK);
        List<PlacementGroup> groups = new ArrayList<>(List.of(group));
        groups.addAll(others);
        return new Volume(1, "v", VolumeKind.OBJECT, policy, 0, groups);
    }

    private void later() {
        now += LATER;
        perform(completion.onTick(now));
    }

    private void refuses(long before) {
        perform(completion.onRefuses(now, 1, 0, before));
    }

    private void perform(List<CompletionStep> first) {
        Deque<CompletionStep> steps = new ArrayDeque<>(first);
        while (!steps.isEmpty()) {
            switch (steps.removeFirst()) {
                case CompletionStep.Ask ask -> steps.addAll(completion.onReply(now, ask.token(), reply(ask.query())));
                case CompletionStep.Tell tell -> told.add(tell.fact());
                case CompletionStep.Check check -> {
                    checked.add(check.request().block());
                    assertThat(checked).as("extents looked at").hasSizeLessThanOrEqualTo(checksMax);
                    if (holdChecks) {
                        held.add(check);
                    } else {
                        steps.addAll(completion.onChecked(now, check.token(), result.apply(check.request())));
                    }
                }
                case CompletionStep.Submit submit -> submitted.add(submit.command());
                case CompletionStep.Fetch _,
                        CompletionStep.Find _,
                        CompletionStep.SeeTo _,
                        CompletionStep.FindRegister _ -> throw new AssertionError("not expected");
            }
        }
    }

    private void release() {
        holdChecks = false;
        for (CompletionStep.Check check : held) {
            perform(completion.onChecked(now, check.token(), result.apply(check.request())));
        }
        held.clear();
    }

    /** Objects in inodes 7, 8 and on. */
    private Reply reply(Query query) {
        return switch (query) {
            case Query.GetMap _ -> new Reply.Map(new ClusterMap(1, List.of(), List.of(volume())));
            case Query.SessionChanges after -> new Reply.SessionChanges(List.of(), after.afterSequence(), false);
            case Query.References after -> {
                List<Reply.Reference> page = new ArrayList<>();
                long last = lastInode;
                for (long inode = Math.max(7, after.after() + 1); inode <= last && page.size() < 2; inode++) {
                    ObjectLayout layout = new ObjectLayout(
                            1,
                            BLOCK,
                            BLOCK,
                            List.of(new BlockRange(1, OWNER, inode, 0, 1)),
                            Bytes.of(new byte[ObjectLayout.PIN_BYTES]));
                    page.add(new Reply.Reference(inode, 100 - inode, Optional.of(layout), List.of()));
                }
                lastInode += putsPerPage;
                long next = page.isEmpty() ? after.after() : page.getLast().arrival();
                yield new Reply.References(page, next, next < lastInode, lastInode);
            }
            default -> throw new AssertionError(query);
        };
    }

    private static BlockId block(long inode) {
        return new BlockId(1, OWNER, inode, 0);
    }

    @PlantedBug(
            in = SlotDuties.class,
            rule = "a node refuses an epoch before it says sealed",
            replace = "if (seals && hasRefusedBefore(new Place(volume.id(), index), group.epoch() + 1)) {",
            with = "if (seals) {")
    @Test
    void itSaysSealedOnceItsServersRefuseTheEpoch() {
        later();
        assertThat(told).containsExactly(new Fact.OfVolume(1, Optional.of(volume())));
        assertThat(submitted).isEmpty();
        refuses(2);
        assertThat(submitted).containsExactly(new SealEpoch(1, 0, 1));
        later();
        assertThat(submitted).as("it may have been lost").hasSize(2);
        group = ANNOUNCED.sealed(0);
        later();
        assertThat(submitted).hasSize(2);
    }

    @Test
    void aKeptHolderConfirmsWhatItServes() {
        group = OPENED;
        later();
        assertThat(submitted).isEmpty();
        refuses(2);
        assertThat(submitted).containsExactly(new ConfirmEpoch(1, 0, 2));
        group = OPENED.confirmed(0);
        later();
        assertThat(submitted).hasSize(1);
    }

    /** A group that waits for its seal serves nobody. */
    @Test
    void itSealsAndConfirmsHoweverLongARoundOfCompletionTakes() {
        group = new PlacementGroup(1, List.of(0, 1, 2, 3));
        holdChecks = true;
        later();
        assertThat(held).isNotEmpty();
        group = ANNOUNCED;
        later();
        assertThat(told).containsExactly(new Fact.OfVolume(1, Optional.of(volume())));
        refuses(2);
        assertThat(submitted).containsExactly(new SealEpoch(1, 0, 1));
        group = OPENED;
        later();
        assertThat(submitted).last().isEqualTo(new ConfirmEpoch(1, 0, 2));
    }

    @Test
    void aNewHolderConfirmsBetweenRoundsOnly() {
        group = ARRIVED;
        holdChecks = true;
        later();
        refuses(2);
        later();
        assertThat(held).isNotEmpty();
        assertThat(submitted).isEmpty();
        release();
        assertThat(submitted).isEmpty();
        later();
        assertThat(submitted).containsExactly(new ConfirmEpoch(1, 0, 2));
    }

    @PlantedBug(
            in = SlotDuties.class,
            rule = "a node confirms an epoch only after it refuses the earlier ones",
            replace = "&& hasRefusedBefore(new Place(volume.id(), index), group.epoch())",
            with = "")
    @Test
    void aPromiseForAnEarlierEpochConfirmsNothing() {
        group = new PlacementGroup(3, List.of(0, 1, 2, 3), List.of(), List.of(0), null);
        refuses(2);
        later();
        assertThat(submitted).isEmpty();
        refuses(3);
        assertThat(submitted).containsExactly(new ConfirmEpoch(1, 0, 3));
    }

    @PlantedBug(
            in = EpochDuties.class,
            rule = "a new holder confirms only after its repair",
            replace = "if (isRebuilt(volume, index)) {",
            with = "if (true) {")
    @Test
    void aNewHolderConfirmsOnceItHasAllThatIsReferenced() {
        completion = completion();
        group = ARRIVED;
        result = request -> request.block().equals(block(7)) ? CompletionResult.UNAVAILABLE : CompletionResult.HELD;
        later();
        refuses(2);
        later();
        later();
        assertThat(checked).contains(block(7), block(8));
        assertThat(submitted).isEmpty();
        result = _ -> CompletionResult.COMPLETED;
        later();
        later();
        assertThat(submitted).contains(new ConfirmEpoch(1, 0, 2));
    }

    @PlantedBug(
            in = ReferenceWalk.class,
            rule = "a round ends at the last reference that was there when it began",
            replace = "boolean reached = !page.more() || page.next() >= end;",
            with = "boolean reached = !page.more();")
    @Test
    void aNewHolderConfirmsWhileClientsPutFasterThanItLooks() {
        group = ARRIVED;
        putsPerPage = 2;
        // A walk that never ended would not return.
        checksMax = 1_000;
        later();
        refuses(2);
        later();
        later();
        assertThat(submitted).contains(new ConfirmEpoch(1, 0, 2));
    }

    @PlantedBug(
            in = VolumeProgress.class,
            rule = "later references do not delay the confirmation of an epoch",
            replace = "extent.arrival() <= arrival &&",
            with = "")
    @Test
    void itConfirmsThoughItLacksWhatWasPutLater() {
        group = ARRIVED;
        result = request -> request.block().equals(block(7)) ? CompletionResult.HELD : CompletionResult.UNAVAILABLE;
        later();
        refuses(2);
        lastInode = 9;
        later();
        assertThat(submitted).doesNotContain(new ConfirmEpoch(1, 0, 2));
        result = request -> request.block().equals(block(9)) ? CompletionResult.UNAVAILABLE : CompletionResult.HELD;
        later();
        later();
        assertThat(submitted).contains(new ConfirmEpoch(1, 0, 2));
    }

    /** An extent that one group lacks may wait for a holder of the other, and the other way round. */
    @PlantedBug(
            in = VolumeProgress.class,
            rule = "an extent of another group does not delay the confirmation of an epoch",
            replace = "&& volume.groupIndex(extent.block()) == group",
            with = "")
    @Test
    void itConfirmsOneGroupThoughItLacksAnExtentOfAnother() {
        group = ARRIVED;
        others = List.of(ARRIVED);
        lastInode = 40;
        assertThat(List.of(volume().groupIndex(block(7)), volume().groupIndex(lostOne())))
                .containsExactlyInAnyOrder(0, 1);
        int lost = volume().groupIndex(lostOne());
        result = request -> request.block().equals(lostOne()) ? CompletionResult.UNAVAILABLE : CompletionResult.HELD;
        later();
        perform(completion.onRefuses(now, 1, 0, 2));
        perform(completion.onRefuses(now, 1, 1, 2));
        later();
        later();
        assertThat(submitted).contains(new ConfirmEpoch(1, 1 - lost, 2)).doesNotContain(new ConfirmEpoch(1, lost, 2));
    }

    /** Returns the first block of another group than block 7. */
    private BlockId lostOne() {
        for (long inode = 8; inode <= lastInode; inode++) {
            if (volume().groupIndex(block(inode)) != volume().groupIndex(block(7))) {
                return block(inode);
            }
        }
        throw new AssertionError("all blocks are in one group");
    }

    @Test
    void aNewHolderThatRestartsBeginsAgain() {
        group = ARRIVED;
        later();
        refuses(2);
        completion = completion();
        checked.clear();
        submitted.clear();
        refuses(2);
        assertThat(submitted).isEmpty();
        later();
        assertThat(checked).contains(block(7), block(8));
        later();
        assertThat(submitted).contains(new ConfirmEpoch(1, 0, 2));
    }

    @Test
    void whoTakesTheSlotOnceMoreBeginsAgain() {
        group = ARRIVED;
        later();
        refuses(2);
        later();
        assertThat(submitted).contains(new ConfirmEpoch(1, 0, 2));
        group = new PlacementGroup(3, List.of(9, 1, 2, 3), List.of(0), List.of(0), null);
        later();
        group = new PlacementGroup(4, List.of(0, 1, 2, 3), List.of(0), List.of(0), null);
        checked.clear();
        submitted.clear();
        refuses(4);
        result = _ -> CompletionResult.UNAVAILABLE;
        later();
        later();
        assertThat(checked).contains(block(7), block(8));
        assertThat(submitted).isEmpty();
    }

    @Test
    void whoTakesTheSlotOnceMoreBeginsAgainAlsoIfItMissedTheEpochBetween() {
        group = ARRIVED;
        later();
        refuses(2);
        later();
        assertThat(submitted).contains(new ConfirmEpoch(1, 0, 2));
        group = new PlacementGroup(4, List.of(0, 1, 2, 3), List.of(0), List.of(0), null);
        checked.clear();
        submitted.clear();
        result = _ -> CompletionResult.UNAVAILABLE;
        refuses(4);
        later();
        later();
        assertThat(checked).contains(block(7), block(8));
        assertThat(submitted).isEmpty();
    }

    @Test
    void aNodeThatHoldsNothingSaysNothing() {
        group = new PlacementGroup(1, List.of(9, 1, 2, 3)).announced(3, 0);
        later();
        refuses(2);
        later();
        assertThat(submitted).isEmpty();
    }
}
