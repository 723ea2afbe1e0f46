package io.bulwark.protocol.completion;

import static org.assertj.core.api.Assertions.assertThat;

import io.bulwark.protocol.cluster.ClusterMap;
import io.bulwark.protocol.cluster.Fact;
import io.bulwark.protocol.cluster.PlacementGroup;
import io.bulwark.protocol.cluster.ProtectionPolicy;
import io.bulwark.protocol.cluster.Volume;
import io.bulwark.protocol.cluster.Volume.Generation;
import io.bulwark.protocol.cluster.VolumeKind;
import io.bulwark.protocol.epoch.SettleRequest;
import io.bulwark.protocol.id.BlockId;
import io.bulwark.protocol.metadata.Command;
import io.bulwark.protocol.metadata.Command.ConfirmEpoch;
import io.bulwark.protocol.metadata.Command.SealEpoch;
import io.bulwark.protocol.metadata.Query;
import io.bulwark.protocol.metadata.Reply;
import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.Deque;
import java.util.List;
import java.util.Optional;
import java.util.function.Predicate;
import java.util.stream.LongStream;
import org.jspecify.annotations.NullMarked;
import org.junit.jupiter.api.Test;

/**
 * Tests the reports of node 0 on the epochs of a placement group of registers, and their time: docs/decisions/0016,
 * registers.
 */
@NullMarked
class RegisterDutiesTest {
    private static final int VOLUME = 1;
    private static final int BLOCKS = 12;
    private static final CompletionPace PACE = new CompletionPace(1_000, 2, 100_000, 5_000);
    /** More than it takes until the map is asked for, and what could not be done is tried, again. */
    private static final long LATER = 6_000;

    private static final PlacementGroup FIRST = new PlacementGroup(1, List.of(0, 1, 2, 3));
    private static final PlacementGroup OTHER = new PlacementGroup(1, List.of(5, 6, 7, 8));
    private static final PlacementGroup OPENED = FIRST.announced(3, 4).opened();
    private static final PlacementGroup LATER_OPENED = OPENED.announced(1, 9).opened();

    private final List<Fact> told = new ArrayList<>();
    private final List<Command> submitted = new ArrayList<>();
    private final List<SettleRequest> asked = new ArrayList<>();
    private final List<CompletionStep.SeeTo> held = new ArrayList<>();
    private NodeCompletion completion = rebuilding(1 << 30);
    private PlacementGroup group = OPENED;
    private PlacementGroup other = OTHER;
    private List<Generation> older = List.of();
    private long size = BLOCKS;
    private Predicate<SettleRequest> done = _ -> true;
    private boolean holding;
    /** Selects the kept blocks of the volume, from all groups: a node has records of groups that it left, too. */
    private Predicate<BlockId> kept = _ -> true;

    private boolean unreadable;
    private long now = 100_000;

    private static NodeCompletion rebuilding(long bytesPerSecond) {
        RebuildRate rebuild = RebuildRate.of(bytesPerSecond);
        return new NodeCompletion(0, PACE, WorkThrottle.NEVER, WorkThrottle.NEVER, WorkThrottle.NEVER, rebuild);
    }

    private Volume volume() {
        ProtectionPolicy policy = new ProtectionPolicy(1, 2, 4, 512);
        return new Volume(VOLUME, "v", VolumeKind.REGISTER, policy, size, List.of(group, other), older);
    }

    private List<BlockId> blocks() {
        return blocks(0);
    }

    private List<BlockId> blocks(int index) {
        List<BlockId> blocks = new ArrayList<>();
        for (int block = 0; block < BLOCKS; block++) {
            BlockId id = BlockId.register(VOLUME, block);
            if (volume().groupIndex(id) == index) {
                blocks.add(id);
            }
        }
        return blocks;
    }

    private void later() {
        now += LATER;
        perform(completion.onTick(now));
    }

    private void refuses(long before) {
        perform(completion.onRefuses(now, VOLUME, 0, before));
    }

    private void perform(List<CompletionStep> first) {
        Deque<CompletionStep> steps = new ArrayDeque<>(first);
        while (!steps.isEmpty()) {
            switch (steps.removeFirst()) {
                case CompletionStep.Ask ask -> steps.addAll(completion.onReply(now, ask.token(), reply(ask.query())));
                case CompletionStep.Tell tell -> told.add(tell.fact());
                case CompletionStep.SeeTo step -> {
                    asked.add(step.request());
                    if (holding) {
                        held.add(step);
                    } else {
                        steps.addAll(completion.onSettled(now, step.token(), done.test(step.request())));
                    }
                }
                case CompletionStep.FindRegister find ->
                    steps.addAll(
                            unreadable
                                    ? completion.onSilence(now, find.token())
                                    : completion.onFound(now, find.token(), first(find)));
                case CompletionStep.Submit submit -> submitted.add(submit.command());
                case CompletionStep.Check _, CompletionStep.Fetch _, CompletionStep.Find _ ->
                    throw new AssertionError("there are no extents");
            }
        }
    }

    private Optional<BlockId> first(CompletionStep.FindRegister find) {
        long end = BlockId.firstOf(find.last().generation()) + BLOCKS;
        return LongStream.range(
                        find.first().counter(), Math.min(end, find.last().counter() + 1))
                .mapToObj(block -> BlockId.register(VOLUME, block))
                .filter(kept)
                .filter(find::wants)
                .findFirst();
    }

    private Reply reply(Query query) {
        return query instanceof Query.GetMap
                ? new Reply.Map(new ClusterMap(1, List.of(), List.of(volume())))
                : new Reply.SessionChanges(List.of(), 0, false);
    }

    private void release() {
        holding = false;
        List<CompletionStep.SeeTo> released = List.copyOf(held);
        held.clear();
        released.forEach(step -> perform(completion.onSettled(now, step.token(), done.test(step.request()))));
    }

    @Test
    void itSaysSealedOnceItsServersRefuseTheEpoch() {
        group = FIRST.announced(3, 4);
        later();
        assertThat(told).contains(new Fact.OfVolume(VOLUME, Optional.of(volume())));
        assertThat(submitted).isEmpty();
        refuses(2);
        assertThat(submitted).containsExactly(new SealEpoch(VOLUME, 0, 1));
        assertThat(asked).isEmpty();
    }

    @Test
    void itConfirmsOnceEachBlockOfTheGroupIsSeenTo() {
        holding = true;
        later();
        assertThat(asked).as("before it refuses what was before").isEmpty();
        refuses(2);
        assertThat(held).hasSize(PACE.atOnce());
        while (!held.isEmpty()) {
            assertThat(submitted).isEmpty();
            perform(completion.onSettled(now, held.removeFirst().token(), true));
        }
        assertThat(asked).extracting(SettleRequest::block).containsExactlyElementsOf(blocks());
        assertThat(asked).extracting(SettleRequest::epoch).containsOnly(2L);
        assertThat(submitted).containsExactly(new ConfirmEpoch(VOLUME, 0, 2));
        later();
        assertThat(submitted).as("it may have been lost").hasSize(2);
        group = OPENED.confirmed(0);
        later();
        assertThat(submitted).hasSize(2);
    }

    @Test
    void eachGroupIsSearchedForTheRegistersOfItsGeneration() {
        older = List.of(new Generation(new ProtectionPolicy(1, 2, 4, 512), 1));
        other = new PlacementGroup(1, List.of(5, 0, 6, 7)).announced(0, 8).opened();
        refuses(2);
        perform(completion.onRefuses(now, VOLUME, 1, 2));
        later();
        List<BlockId> all = new ArrayList<>();
        for (int generation = 0; generation < 2; generation++) {
            for (int block = 0; block < BLOCKS; block++) {
                all.add(BlockId.register(VOLUME, generation, block));
            }
        }
        assertThat(asked).extracting(SettleRequest::block).containsExactlyInAnyOrderElementsOf(all);
        assertThat(submitted).contains(new ConfirmEpoch(VOLUME, 0, 2), new ConfirmEpoch(VOLUME, 1, 2));
    }

    @Test
    void whatCannotBeDoneYetIsTriedAgain() {
        BlockId stubborn = blocks().getLast();
        done = settle -> !settle.block().equals(stubborn);
        refuses(2);
        later();
        later();
        assertThat(submitted).isEmpty();
        done = _ -> true;
        later();
        assertThat(asked.stream().filter(settle -> settle.block().equals(stubborn)))
                .hasSize(3);
        assertThat(submitted).containsExactly(new ConfirmEpoch(VOLUME, 0, 2));
    }

    @Test
    void whatWasDoneInAnEarlierEpochCountsForNothing() {
        holding = true;
        refuses(2);
        later();
        int before = asked.size();
        group = LATER_OPENED;
        refuses(3);
        later();
        release();
        assertThat(asked.subList(before, asked.size()))
                .extracting(SettleRequest::block)
                .containsAll(blocks());
        assertThat(submitted).containsExactly(new ConfirmEpoch(VOLUME, 0, 3));
    }

    /** The first one's blocks fail, and take their time. */
    @Test
    void aGroupThatIsNeverDoneDoesNotKeepAnotherFromItsTurn() {
        other = new PlacementGroup(1, List.of(0, 6, 7, 8)).announced(1, 9).opened();
        done = settle -> volume().groupIndex(settle.block()) == 1;
        holding = true;
        perform(completion.onRefuses(now, VOLUME, 1, 2));
        refuses(2);
        later();
        for (int i = 0; i < 200 && submitted.isEmpty(); i++) {
            assertThat(held).isNotEmpty();
            now += 2 * PACE.retryMillis();
            CompletionStep.SeeTo next = held.removeFirst();
            perform(completion.onSettled(now, next.token(), done.test(next.request())));
        }
        assertThat(submitted).containsExactly(new ConfirmEpoch(VOLUME, 1, 2));
    }

    @Test
    void whatFailedLateIsNotTriedAgainAtOnce() {
        holding = true;
        refuses(2);
        later();
        now += 10 * PACE.retryMillis();
        int before = asked.size();
        perform(completion.onSettled(now, held.getFirst().token(), false));
        perform(completion.onTick(now));
        assertThat(asked).as("nothing is begun for a while").hasSize(before);
        now += PACE.retryMillis();
        perform(completion.onTick(now));
        assertThat(asked).hasSizeGreaterThan(before);
    }

    /** A thin volume: nobody can go through its numbers. */
    @Test
    void onlyBlocksOfWhichSomethingIsKeptAreSeenTo() {
        BlockId written = blocks().getLast();
        BlockId ofAnotherGroup = blocks(1).getFirst();
        size = 1L << 40;
        kept = block -> block.equals(written) || block.equals(ofAnotherGroup);
        unreadable = true;
        refuses(2);
        later();
        assertThat(submitted).as("what is kept cannot be read").isEmpty();
        unreadable = false;
        later();
        assertThat(asked).extracting(SettleRequest::block).containsExactly(written);
        assertThat(submitted).containsExactly(new ConfirmEpoch(VOLUME, 0, 2));
    }

    @Test
    void aNewHolderThatKeepsNothingConfirms() {
        group = new PlacementGroup(1, List.of(9, 1, 2, 3)).announced(0, 0).opened();
        kept = _ -> false;
        later();
        assertThat(submitted).as("what was before is not refused yet").isEmpty();
        refuses(2);
        assertThat(asked).isEmpty();
        assertThat(submitted).containsExactly(new ConfirmEpoch(VOLUME, 0, 2));
    }

    /** Its servers refuse it: each attempt would fail. */
    @Test
    void nothingIsSeenToInAnEpochThatIsToEnd() {
        group = OPENED.announced(1, 9);
        refuses(3);
        later();
        assertThat(asked).isEmpty();
        group = LATER_OPENED;
        later();
        assertThat(asked).isNotEmpty().extracting(SettleRequest::epoch).containsOnly(3L);
    }

    /** Each block that is seen to may have the new holder make its fragment. */
    @Test
    void blocksAreSeenToAtTheRateOfRebuilding() {
        int fragment = 256;
        completion = rebuilding(10L * fragment);
        refuses(2);
        long began = now;
        while (submitted.isEmpty() && now < began + 10_000) {
            now += 50;
            perform(completion.onTick(now));
            assertThat((long) asked.size() * fragment)
                    .as("after %d ms", now - began)
                    .isLessThanOrEqualTo(10L * fragment * (now - began) / 1_000 + 2L * fragment);
        }
        assertThat(asked).hasSameSizeAs(blocks());
        assertThat(submitted).containsExactly(new ConfirmEpoch(VOLUME, 0, 2));
    }
}
