package io.bulwark.protocol.completion;

import static org.assertj.core.api.Assertions.assertThat;

import io.bulwark.protocol.cluster.ClusterMap;
import io.bulwark.protocol.cluster.Fact;
import io.bulwark.protocol.cluster.PlacementGroup;
import io.bulwark.protocol.cluster.ProtectionPolicy;
import io.bulwark.protocol.cluster.Verification;
import io.bulwark.protocol.cluster.Volume;
import io.bulwark.protocol.cluster.VolumeKind;
import io.bulwark.protocol.extent.CompletionResult;
import io.bulwark.protocol.extent.ExtentMessage.CheckDepth;
import io.bulwark.protocol.extent.ExtentMessage.Complete;
import io.bulwark.protocol.extent.ExtentMessage.NotFound;
import io.bulwark.protocol.extent.ExtentRead;
import io.bulwark.protocol.extent.ExtentTiming;
import io.bulwark.protocol.extent.ReadOutcome;
import io.bulwark.protocol.extent.ReadRefusal;
import io.bulwark.protocol.fingerprint.Hashes;
import io.bulwark.protocol.id.BlockId;
import io.bulwark.protocol.id.BlockRange;
import io.bulwark.protocol.id.PrincipalId;
import io.bulwark.protocol.metadata.Query;
import io.bulwark.protocol.metadata.Reply;
import io.bulwark.protocol.metadata.SessionChange;
import io.bulwark.protocol.mutation.PlantedBug;
import io.bulwark.protocol.object.ObjectLayout;
import io.bulwark.protocol.object.PinList;
import io.bulwark.protocol.wire.Bytes;
import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.Deque;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import java.util.function.Function;
import java.util.stream.LongStream;
import org.jspecify.annotations.NullMarked;
import org.junit.jupiter.api.Test;

/** Node 0 with metadata that a test makes up: what it tells its servers, has completed, and remembers. */
@NullMarked
class NodeCompletionTest {
    private static final int BLOCK = 512;
    private static final PrincipalId OWNER = PrincipalId.client(1);
    private static final CompletionPace PACE = new CompletionPace(1_000, 4, 100_000, 5_000);

    private Volume volume = volume(1, List.of(0, 1, 2, 3));
    private final List<SessionChange> changes = new ArrayList<>();
    private final List<Reply.Reference> references = new ArrayList<>();
    private final Set<BlockId> kept = new HashSet<>();
    private Function<Complete, CompletionResult> result = _ -> CompletionResult.HELD;
    private Function<CompletionStep.Fetch, ReadOutcome> list = _ -> new ReadOutcome.Unavailable(Map.of());
    private boolean silent;
    private int asked;
    /** Extents are looked into for ever. */
    private boolean stuck;

    private final List<Fact> told = new ArrayList<>();
    private final List<Complete> checked = new ArrayList<>();
    private NodeCompletion completion = completion();

    private static NodeCompletion completion() {
        return new NodeCompletion(
                0,
                PACE,
                WorkThrottle.NEVER,
                WorkThrottle.perSecond(100_000),
                WorkThrottle.NEVER,
                RebuildRate.of(1 << 30));
    }

    private static Volume volume(long epoch, List<Integer> holders) {
        ProtectionPolicy policy = new ProtectionPolicy(1, 2, 4, BLOCK);
        return new Volume(1, "v", VolumeKind.OBJECT, policy, 0, List.of(new PlacementGroup(epoch, holders)));
    }

    private static BlockRange range(long session, long first, long count) {
        return new BlockRange(1, OWNER, session, first, count);
    }

    private static Bytes pin(long counter) {
        return Hashes.sha256(Bytes.of((byte) counter));
    }

    /** Returns an object with this number of blocks, at most as many as its layout has pins for. */
    private static Reply.Reference object(long inode, int blocks) {
        byte[] pins = new byte[blocks * ObjectLayout.PIN_BYTES];
        for (int i = 0; i < blocks; i++) {
            pin(i).copyTo(0, pins, i * ObjectLayout.PIN_BYTES, ObjectLayout.PIN_BYTES);
        }
        return layout(inode, blocks, blocks, Bytes.of(pins));
    }

    private static Reply.Reference layout(long inode, int blocks, int extents, Bytes pins) {
        ObjectLayout layout =
                new ObjectLayout(1, BLOCK, (long) blocks * BLOCK, List.of(range(inode, 0, extents)), pins);
        return new Reply.Reference(inode, 100 - inode, Optional.of(layout), List.of());
    }

    /** One tick, so long after the start, and everything that it leads to. */
    private void tick(long millis) {
        long now = 100_000 + millis;
        Deque<CompletionStep> steps = new ArrayDeque<>(completion.onTick(now));
        while (!steps.isEmpty()) {
            switch (steps.removeFirst()) {
                case CompletionStep.Ask ask -> {
                    asked++;
                    steps.addAll(
                            silent
                                    ? completion.onSilence(now, ask.token())
                                    : completion.onReply(now, ask.token(), reply(ask.query())));
                }
                case CompletionStep.Tell tell -> told.add(tell.fact());
                case CompletionStep.Check check -> {
                    checked.add(check.request());
                    if (!stuck) {
                        steps.addAll(completion.onChecked(now, check.token(), result.apply(check.request())));
                    }
                }
                case CompletionStep.Fetch fetch ->
                    steps.addAll(completion.onFetched(now, fetch.token(), list.apply(fetch)));
                case CompletionStep.Find find ->
                    steps.addAll(completion.onFound(
                            now,
                            find.token(),
                            kept.stream()
                                    .filter(block ->
                                            block.compareTo(find.from()) >= 0 && block.compareTo(find.to()) <= 0)
                                    .sorted()
                                    .findFirst()));
                case CompletionStep.SeeTo _, CompletionStep.FindRegister _ ->
                    throw new AssertionError("there are no registers");
                case CompletionStep.Submit submit -> throw new AssertionError(submit);
            }
        }
    }

    /** Pages of two. */
    private Reply reply(Query query) {
        return switch (query) {
            case Query.GetMap _ -> new Reply.Map(new ClusterMap(1, List.of(), List.of(volume)));
            case Query.SessionChanges after -> {
                List<SessionChange> page = changes.stream()
                        .filter(change -> change.sequence() > after.afterSequence())
                        .limit(2)
                        .toList();
                long next =
                        page.isEmpty() ? after.afterSequence() : page.getLast().sequence();
                yield new Reply.SessionChanges(
                        page, next, changes.stream().anyMatch(change -> change.sequence() > next));
            }
            case Query.References after -> {
                List<Reply.Reference> page = references.stream()
                        .filter(reference -> reference.arrival() > after.after())
                        .limit(2)
                        .toList();
                long next = page.isEmpty() ? after.after() : page.getLast().arrival();
                long last = references.stream()
                        .mapToLong(Reply.Reference::arrival)
                        .max()
                        .orElse(0);
                yield new Reply.References(page, next, last > next, last);
            }
            default -> throw new AssertionError(query.toString());
        };
    }

    private Complete complete(long inode, long counter, long epoch, int slot, boolean verify) {
        return new Complete(
                new BlockId(1, OWNER, inode, counter),
                epoch,
                slot,
                pin(counter),
                verify ? CheckDepth.FRAGMENT : CheckDepth.RECORD);
    }

    @Test
    void everythingReferencedIsCheckedOnceFromTheLastExtentDown() {
        for (long inode = 3; inode <= 7; inode++) {
            references.add(object(inode, 2));
        }
        tick(0);
        assertThat(checked).hasSize(10).contains(complete(3, 1, 1, 0, false), complete(7, 0, 1, 0, false));
        tick(999);
        tick(1_000);
        assertThat(checked).hasSize(10);
        references.add(object(8, 1));
        tick(2_000);
        assertThat(checked).hasSize(11);
        assertThat(completion.counts().left()).containsExactly(new NodeCompletion.RemainingWork(1, 0, true));
        assertThat(completion.counts().checked()).isEqualTo(11);
    }

    /** The contents of its disk may be another node's, or older than its promises. */
    @Test
    void afterAStartAllIsComparedBeforeItCountsAsHeld() {
        for (long inode = 3; inode <= 7; inode++) {
            references.add(object(inode, 2));
        }
        changes.add(new SessionChange.Freed(2, range(5, 0, 4)));
        tick(0);
        completion = completion();
        checked.clear();
        told.clear();
        stuck = true;
        tick(0);
        assertThat(completion.counts().left()).noneMatch(NodeCompletion.RemainingWork::compared);
        completion = completion();
        checked.clear();
        told.clear();
        stuck = false;
        tick(0);
        assertThat(checked).hasSize(10);
        assertThat(told).containsExactly(new Fact.Freed(range(5, 0, 4)));
        assertThat(completion.counts().left()).containsExactly(new NodeCompletion.RemainingWork(1, 0, true));
    }

    @Test
    void afterAStartComparingIsFasterThanFollowing() {
        CompletionPace slow = new CompletionPace(1_000, 4, 10, 5_000);
        completion = new NodeCompletion(
                0, slow, WorkThrottle.NEVER, WorkThrottle.NEVER, WorkThrottle.NEVER, RebuildRate.of(1 << 30));
        references.add(object(3, 200));
        tick(0);
        assertThat(checked).hasSize(200);
        references.add(object(4, 200));
        tick(1_000);
        assertThat(checked).hasSizeLessThan(220);
    }

    @Test
    void whereNothingChangesTheReplicasAreAskedLessOftenUntilAClientComes() {
        CompletionPace resting = new CompletionPace(1_000, 4, 100_000, 5_000, 5_000);
        completion = new NodeCompletion(
                0, resting, WorkThrottle.NEVER, WorkThrottle.NEVER, WorkThrottle.NEVER, RebuildRate.of(1 << 30));
        references.add(object(3, 1));
        assertThat(askedWithin(0, 10_000)).as("after a change").isGreaterThanOrEqualTo(25);
        assertThat(askedWithin(10_000, 30_000)).isGreaterThanOrEqualTo(45);
        tick(30_000);
        tick(35_000);
        assertThat(askedWithin(40_000, 60_000)).as("at rest").isBetween(9, 15);
        completion.onForeground(160_000);
        references.add(object(4, 1));
        assertThat(askedWithin(60_000, 61_100)).as("with a client").isGreaterThanOrEqualTo(2);
        assertThat(checked).hasSize(2);
        assertThat(askedWithin(61_100, 71_100)).isGreaterThanOrEqualTo(25);
    }

    /** Returns how many questions are asked from then until then. */
    private int askedWithin(long fromMillis, long toMillis) {
        int before = asked;
        for (long millis = fromMillis; millis < toMillis; millis += 100) {
            tick(millis);
        }
        return asked - before;
    }

    @Test
    void whatCouldNotBeDoneIsTriedAgain() {
        references.add(object(3, 1));
        references.add(object(4, 1));
        result = request -> request.block().session() == 4 ? CompletionResult.UNAVAILABLE : CompletionResult.COMPLETED;
        tick(0);
        assertThat(completion.counts().left()).containsExactly(new NodeCompletion.RemainingWork(1, 1, true));
        tick(1_000);
        assertThat(checked).as("at once").hasSize(3);
        tick(5_999);
        assertThat(checked).hasSize(3);
        result = _ -> CompletionResult.REPAIRED;
        tick(7_000);
        assertThat(checked).hasSize(4);
        assertThat(completion.counts().completed()).isEqualTo(1);
        assertThat(completion.counts().repaired()).isEqualTo(1);
    }

    @Test
    void whatNothingCanCompleteIsDone() {
        references.add(object(3, 1));
        for (CompletionResult end : List.of(CompletionResult.INCOMPLETE, CompletionResult.FREED)) {
            result = _ -> end;
            completion = completion();
            tick(0);
            assertThat(completion.counts().left()).containsExactly(new NodeCompletion.RemainingWork(1, 0, true));
        }
    }

    /** In the epoch in which it was learned the server would refuse it for ever. */
    @Test
    void whatIsTriedAgainIsTriedInTheEpochOfNow() {
        references.add(object(3, 1));
        result = _ -> CompletionResult.UNAVAILABLE;
        tick(5_000);
        volume = volume(2, List.of(1, 0, 2, 3));
        result = _ -> CompletionResult.COMPLETED;
        tick(10_000);
        assertThat(checked).containsExactly(complete(3, 0, 1, 0, false), complete(3, 0, 2, 1, false));
        assertThat(completion.counts().left()).containsExactly(new NodeCompletion.RemainingWork(1, 0, true));
    }

    @Test
    void underLazyVerificationEachExtentIsVerifiedOnceAndAgainIfThatFailed() {
        references.add(object(3, 2));
        tick(5_000);
        assertThat(checked).as("fp").noneMatch(each -> each.look() == CheckDepth.OTHERS);
        ProtectionPolicy lazy = ProtectionPolicy.pasis(1, 2, 5, BLOCK, Verification.LAZY);
        PlacementGroup group = new PlacementGroup(1, List.of(0, 1, 2, 3, 4));
        volume = new Volume(1, "v", VolumeKind.OBJECT, lazy, 0, List.of(group));
        checked.clear();
        result = request -> request.look() != CheckDepth.OTHERS
                ? CompletionResult.HELD
                : request.block().counter() == 0 ? CompletionResult.UNAVAILABLE : CompletionResult.VERIFIED;
        tick(10_000);
        tick(11_000);
        assertThat(checked).filteredOn(each -> each.look() == CheckDepth.OTHERS).hasSize(2);
        assertThat(completion.counts().verified()).containsExactly(new NodeCompletion.Verified(1, 1, 1, 0));
        result = _ -> CompletionResult.POISONOUS;
        tick(20_000);
        tick(30_000);
        assertThat(checked)
                .filteredOn(each -> each.look() == CheckDepth.OTHERS)
                .hasSize(3)
                .last()
                .satisfies(each -> assertThat(each.block().counter()).isZero());
        assertThat(completion.counts().verified()).containsExactly(new NodeCompletion.Verified(1, 0, 1, 1));
        assertThat(completion.counts().left()).containsExactly(new NodeCompletion.RemainingWork(1, 0, true));
    }

    @Test
    void anExtentThatHasOtherHoldersNowIsNoneOfThisNodes() {
        references.add(object(3, 1));
        result = _ -> CompletionResult.UNAVAILABLE;
        tick(5_000);
        PlacementGroup others = new PlacementGroup(2, List.of(4, 1, 2, 3));
        PlacementGroup own = new PlacementGroup(1, List.of(0, 1, 2, 3));
        BlockId block = new BlockId(1, OWNER, 3, 0);
        for (List<PlacementGroup> groups : List.of(List.of(others, own), List.of(own, others))) {
            Volume later = new Volume(1, "v", VolumeKind.OBJECT, volume.policy(), 0, groups);
            volume = later.group(block).equals(others) ? later : volume;
        }
        tick(10_000);
        assertThat(checked).hasSize(1);
        assertThat(completion.counts().left()).containsExactly(new NodeCompletion.RemainingWork(1, 0, true));
    }

    @Test
    void changesOfSessionsAreToldInTheirOrderAndOnce() {
        changes.add(new SessionChange.Opened(1, OWNER, 5, 1));
        changes.add(new SessionChange.Freed(2, range(5, 0, 4)));
        changes.add(new SessionChange.Closed(3, OWNER, 5, 1, List.of(range(5, 4, 2))));
        tick(0);
        assertThat(told)
                .containsExactly(
                        new Fact.Freed(range(5, 0, 4)), new Fact.ClosedWith(1, OWNER, 5, List.of(range(5, 4, 2))));
        tick(10_000);
        assertThat(told).as("each once").hasSize(2);
    }

    @Test
    void whatIsFreedIsToldHoweverLongARoundTakes() {
        references.add(object(3, 1));
        stuck = true;
        tick(0);
        assertThat(checked).hasSize(1);
        changes.add(new SessionChange.Freed(1, range(9, 0, 4)));
        tick(1_000);
        assertThat(told).containsExactly(new Fact.Freed(range(9, 0, 4)));
    }

    @Test
    void ofCollapsedSessionsThoseAreClosedOfWhichSomethingIsHere() {
        changes.add(new SessionChange.Collapsed(1, OWNER, 5, 9));
        changes.add(new SessionChange.Freed(2, range(20, 0, 1)));
        kept.add(new BlockId(1, OWNER, 4, 0));
        kept.add(new BlockId(1, OWNER, 5, 3));
        kept.add(new BlockId(1, OWNER, 9, 0));
        kept.add(new BlockId(1, OWNER, 10, 0));
        tick(0);
        assertThat(told)
                .containsExactly(
                        new Fact.Collapsed(OWNER, 5, 9),
                        new Fact.ClosedWith(1, OWNER, 5, List.of()),
                        new Fact.ClosedWith(1, OWNER, 9, List.of()),
                        new Fact.Freed(range(20, 0, 1)));
    }

    @Test
    void pendingUploadsAreToldAndHaveNoPinsYet() {
        references.add(new Reply.Reference(3, 97, Optional.empty(), List.of(range(5, 0, 16))));
        tick(0);
        assertThat(told).containsExactly(new Fact.Pending(range(5, 0, 16)));
        assertThat(checked).isEmpty();
    }

    @Test
    void aRoundWithoutAnAnswerIsTriedAgain() {
        references.add(object(3, 1));
        silent = true;
        tick(0);
        assertThat(completion.counts().waiting()).isTrue();
        silent = false;
        tick(999);
        assertThat(checked).isEmpty();
        tick(1_000);
        assertThat(checked).hasSize(1);
        assertThat(completion.counts().waiting()).isFalse();
    }

    @Test
    void volumesOfOthersAndRegistersAreNotFollowed() {
        references.add(object(3, 1));
        volume = volume(1, List.of(4, 1, 2, 3));
        tick(0);
        volume = new Volume(
                1,
                "v",
                VolumeKind.REGISTER,
                volume.policy(),
                9,
                volume(1, List.of(0, 1, 2, 3)).groups());
        tick(2_000);
        assertThat(checked).isEmpty();
    }

    @Test
    void whatIsReferencedIsReadAgainByScrubbing() {
        completion = new NodeCompletion(
                0,
                PACE,
                WorkThrottle.perSecond(100_000),
                WorkThrottle.NEVER,
                WorkThrottle.NEVER,
                RebuildRate.of(1 << 30));
        references.add(object(3, 1));
        references.add(object(4, 1));
        references.add(object(5, 1));
        tick(0);
        checked.clear();
        tick(500);
        assertThat(checked).hasSize(3).contains(complete(5, 0, 1, 0, true));
        assertThat(completion.counts().scrubbed()).isEqualTo(3);
        tick(10_499);
        assertThat(checked)
                .filteredOn(each -> each.look() == CheckDepth.FRAGMENT)
                .hasSize(3);
        tick(10_500);
        assertThat(checked)
                .filteredOn(each -> each.look() == CheckDepth.FRAGMENT)
                .hasSize(6);
    }

    @Test
    void scrubbingRestsTwentyTimesAsLongAsARoundTook() {
        assertThat(PACE.scrubPauseMillis(0)).isEqualTo(10_000);
        assertThat(PACE.scrubPauseMillis(3_000)).isEqualTo(60_000);
        assertThat(PACE.scrubPauseMillis(86_400_000)).isEqualTo(21_600_000);
        completion = new NodeCompletion(
                0, PACE, WorkThrottle.perSecond(1), WorkThrottle.NEVER, WorkThrottle.NEVER, RebuildRate.of(1 << 30));
        references.add(object(3, 1));
        references.add(object(4, 1));
        references.add(object(5, 1));
        tick(0);
        long began = 0;
        long ended = 0;
        for (int second = 1; second < 200 && began == 0; second++) {
            tick(second * 1_000L);
            if (ended == 0 && completion.counts().scrubbed() == 3) {
                ended = second;
            }
            if (completion.counts().scrubbed() > 3) {
                began = second;
            }
        }
        assertThat(ended).isBetween(2L, 5L);
        assertThat(began - ended).isBetween(20 * ended, 20 * ended + 30);
    }

    /** 257 blocks need pin lists: 18 of 15 pins, whose pins stand in the layout. */
    @Test
    void pinListsThatCannotBeReadAreTriedAgainAndThoseOfLiarsAreNot() {
        byte[] pins = new byte[257 * ObjectLayout.PIN_BYTES];
        List<PinList> lists = PinList.of(BLOCK, 1, Bytes.of(pins));
        int extents = 257 + lists.size();
        references.add(layout(3, 257, extents, Bytes.of(new byte[lists.size() * ObjectLayout.PIN_BYTES])));
        tick(5_000);
        assertThat(checked).as("the lists themselves").hasSize(lists.size());
        assertThat(completion.counts().left()).containsExactly(new NodeCompletion.RemainingWork(1, 1, true));
        list = _ -> new ReadOutcome.Incomplete();
        tick(10_000);
        assertThat(checked).hasSize(2 * lists.size());
        assertThat(completion.counts().incomplete()).isEqualTo(1);
        tick(20_000);
        assertThat(checked).hasSize(2 * lists.size());
    }

    /** Slot 0 is new: with it 2f + 1 never stored the list. */
    @Test
    void newHoldersCountWhereAListIsIncomplete() {
        byte[] pins = new byte[257 * ObjectLayout.PIN_BYTES];
        List<PinList> lists = PinList.of(BLOCK, 1, Bytes.of(pins));
        references.add(layout(3, 257, 257 + lists.size(), Bytes.of(new byte[lists.size() * ObjectLayout.PIN_BYTES])));
        list = fetch -> {
            ExtentRead read = fetch.read(ExtentTiming.standard());
            var _ = read.start(0);
            for (int slot = 0; slot < 3; slot++) {
                ReadRefusal refusal = slot == 0 ? ReadRefusal.NOT_REPAIRED : ReadRefusal.NONE;
                var _ = read.onMessage(1, PrincipalId.node(slot), new NotFound(fetch.block(), 2, refusal));
            }
            return read.outcome().orElse(new ReadOutcome.Unavailable(Map.of()));
        };
        PlacementGroup arrived = new PlacementGroup(2, List.of(0, 1, 2, 3), List.of(0), List.of(0), null);
        volume = new Volume(1, "v", VolumeKind.OBJECT, volume.policy(), 0, List.of(arrived));
        tick(10_000);
        assertThat(completion.counts().incomplete()).isPositive();
        assertThat(completion.counts().left()).containsExactly(new NodeCompletion.RemainingWork(1, 0, true));
    }

    @Test
    void allExtentsUnderPinListsAreChecked() {
        byte[] pins = new byte[257 * ObjectLayout.PIN_BYTES];
        List<PinList> lists = PinList.of(BLOCK, 1, Bytes.of(pins));
        references.add(layout(3, 257, 257 + lists.size(), Bytes.of(new byte[lists.size() * ObjectLayout.PIN_BYTES])));
        list = fetch -> {
            Bytes content = lists.get((int) fetch.block().counter() - 257).encoded();
            return new ReadOutcome.Whole(content);
        };
        tick(0);
        assertThat(checked).hasSize(257 + lists.size()).doesNotHaveDuplicates();
    }

    @PlantedBug(
            in = ReferenceWalk.class,
            rule = "a reference whose groups the map lacks is not passed over",
            replace = "range -> range.generation() > volume.generation()",
            with = "range -> range.generation() < 0")
    @Test
    void aReferenceUnderALaterPolicyWaitsForTheMap() {
        references.add(object(3, 1));
        tick(0);
        assertThat(checked).hasSize(1);
        ObjectLayout later =
                new ObjectLayout(1, BLOCK, BLOCK, List.of(range(4, BlockId.firstOf(1), 1)), pin(BlockId.firstOf(1)));
        references.add(new Reply.Reference(4, 96, Optional.of(later), List.of()));
        tick(1_000);
        assertThat(checked).as("the map is not asked for yet").hasSize(1);
        volume = new Volume(
                1,
                "v",
                VolumeKind.OBJECT,
                new ProtectionPolicy(1, 3, 5, BLOCK),
                0,
                List.of(volume.groups().getFirst(), new PlacementGroup(1, List.of(4, 3, 2, 1, 0))),
                List.of(new Volume.Generation(volume.policy(), 1)));
        tick(3_000);
        tick(5_000);
        assertThat(checked)
                .filteredOn(check -> check.block().generation() == 1)
                .extracting(Complete::slot)
                .containsExactly(4);
    }

    @Test
    void extentsOfGroupsOfOthersAreNotChecked() {
        List<PlacementGroup> groups =
                List.of(new PlacementGroup(1, List.of(0, 1, 2, 3)), new PlacementGroup(1, List.of(4, 5, 6, 7)));
        volume = new Volume(1, "v", VolumeKind.OBJECT, volume.policy(), 0, groups);
        references.add(object(3, 200));
        tick(0);
        assertThat(checked)
                .hasSizeBetween(1, 199)
                .allMatch(check -> volume.group(check.block()).equals(groups.getFirst()));
        long own = LongStream.range(0, 200)
                .filter(counter ->
                        volume.group(new BlockId(1, OWNER, 3, counter)).equals(groups.getFirst()))
                .count();
        assertThat(checked).hasSize((int) own);
    }
}
