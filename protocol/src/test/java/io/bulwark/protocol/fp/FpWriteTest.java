package io.bulwark.protocol.fp;

import static org.assertj.core.api.Assertions.assertThat;

import io.bulwark.protocol.cluster.PlacementGroup;
import io.bulwark.protocol.cluster.ProtectionPolicy;
import io.bulwark.protocol.cluster.Volume;
import io.bulwark.protocol.cluster.VolumeKind;
import io.bulwark.protocol.effect.Effect;
import io.bulwark.protocol.epoch.EpochWatch;
import io.bulwark.protocol.fingerprint.Fpcc;
import io.bulwark.protocol.id.BlockId;
import io.bulwark.protocol.kernel.Failure;
import io.bulwark.protocol.kernel.Target;
import io.bulwark.protocol.kernel.Timeouts;
import io.bulwark.protocol.mutation.PlantedBug;
import io.bulwark.protocol.wire.Bytes;
import java.util.ArrayList;
import java.util.Collections;
import java.util.List;
import java.util.function.Predicate;
import java.util.stream.IntStream;
import org.jspecify.annotations.NullMarked;
import org.junit.jupiter.api.Test;

/** c_dowrite and the rules beyond the paper, answer by answer. */
@NullMarked
class FpWriteTest {
    private static final Timeouts TIMES = new Timeouts(100, 300, 1_000, 20_000);

    private long now = 1;
    private List<Effect.Send> sent = new ArrayList<>();
    private FpGroup group = group(1, 2);
    private FpWrite write = new FpWrite(group, 7, data(), TIMES);
    private final Fpcc fpcc = group.code().encode(group.padded(data())).fpcc();

    private static FpGroup group(int f, int m) {
        ProtectionPolicy policy = new ProtectionPolicy(f, m, m + 2 * f, ProtectionPolicy.BLOCK_BYTES_MIN);
        List<Integer> holders = IntStream.range(10, 10 + policy.n()).boxed().toList();
        Volume volume = new Volume(1, "disk", VolumeKind.REGISTER, policy, 10, List.of(new PlacementGroup(1, holders)));
        return FpGroup.of(volume, BlockId.register(1, 4));
    }

    private static Bytes data() {
        return SampleMessages.filled(ProtectionPolicy.BLOCK_BYTES_MIN, 0x5A);
    }

    @Test
    void theFirstRoundGoesToTheFirstMPlusFWithFragmentsAndNoTs() {
        start();
        assertThat(slots(FpMessage.PrepareFragment.class, m -> m.ts() == 0)).containsExactly(0, 1, 2);
        assertThat(sent).hasSize(3);
    }

    @PlantedBug(
            in = FpWrite.class,
            rule = "the timestamp is chosen from 2f + 1 answers",
            replace = "if (answers.size() < group.policy().timestampQuorum()) { return; } "
                    + "answers.sort(Long::compareUnsigned); long choice = "
                    + "answers.get(group.policy().timestampQuorum() - 1);",
            with = "if (answers.size() < group.policy().timestampQuorum() - 1) { return; } "
                    + "answers.sort(Long::compareUnsigned); long choice = "
                    + "answers.get(group.policy().timestampQuorum() - 2);")
    @Test
    void theGreatestTsIsChosenAndTheOthersAreAskedAgain() {
        start();
        sent.clear();
        answer(prepared(0, 5));
        answer(prepared(1, 7));
        assertThat(sent).isEmpty();
        answer(prepared(2, 5));
        assertThat(slots(FpMessage.PrepareFragment.class, m -> m.ts() == 7)).containsExactly(0, 2);
        answer(prepared(0, 7));
        answer(prepared(2, 7));
        assertThat(slots(FpMessage.Commit.class, m -> m.ts() == 7)).containsExactly(0, 1, 2);
    }

    @PlantedBug(
            in = FpWrite.class,
            rule = "COMMIT is sent with m + f prepares",
            replace = "chosen == 0 || prepared.size() < group.policy().writeQuorum()",
            with = "chosen == 0 || prepared.size() < group.policy().writeQuorum() - 1")
    @Test
    void eachNodeGetsOnlyTheMacsMeantForItAndOnlyNoncesOfTheChosenTs() {
        start();
        answer(prepared(0, 5));
        answer(prepared(1, 7));
        answer(prepared(2, 5));
        answer(prepared(0, 7));
        answer(prepared(2, 7));
        for (Effect.Send send : sent) {
            if (send.message() instanceof FpMessage.Commit commit) {
                int receiver = commit.target().slot();
                assertThat(commit.prepares())
                        .containsExactly(
                                prepareMac(0, 7, receiver), prepareMac(1, 7, receiver), prepareMac(2, 7, receiver));
            }
        }
    }

    @PlantedBug(
            in = FpWrite.class,
            rule = "a greatest timestamp that 2f + 1 answers are below is left out",
            replace = "answers.get(group.policy().timestampQuorum() - 1)",
            with = "answers.getLast()")
    @Test
    void aTsThatIsTooGreatIsLeftOutAndNeverCommitted() {
        long huge = 1L << 40;
        start();
        answer(prepared(0, huge));
        answer(prepared(1, 5));
        answer(prepared(2, 5));
        answer(refused(1, RequestKind.PREPARE, huge, FpRefusal.FAR));
        // FAR: the rest of the first 3f + 1 slots are asked what they think.
        assertThat(slots(FpMessage.PrepareBlock.class, m -> m.ts() == 0)).containsExactly(3);
        answer(prepared(3, 5));
        assertThat(slots(FpMessage.Commit.class, m -> m.ts() == 5)).isEmpty();
        answer(refused(2, RequestKind.PREPARE, huge, FpRefusal.FAR));
        assertThat(slots(FpMessage.Commit.class, m -> m.ts() == 5)).containsExactly(1, 2, 3);
        assertThat(slots(FpMessage.PrepareFragment.class, m -> m.ts() == 5)).containsExactly(0);
        answer(prepared(0, huge));
        assertThat(slots(FpMessage.Commit.class, m -> m.ts() == huge)).isEmpty();
        IntStream.of(1, 2, 3).forEach(slot -> answer(committed(slot, 5)));
        assertThat(write.outcome()).contains(new FpWriteOutcome.Written(new Timestamp(5, fpcc)));
    }

    /**
     * Correct nodes have staged the block at that timestamp by then: if it were dropped, the block would stay there as
     * long as the session.
     */
    @Test
    void aTsThatAtMostFNodesCallFarIsKept() {
        start();
        answer(prepared(0, 900));
        answer(prepared(1, 5));
        answer(prepared(2, 5));
        answer(prepared(1, 900));
        answer(refused(0, RequestKind.PREPARE, 0, FpRefusal.FAR));
        tick(150);
        answer(prepared(3, 5));
        assertThat(slots(FpMessage.Prepare.class, m -> m.ts() == 5)).isEmpty();
        answer(prepared(2, 900));
        answer(prepared(3, 900));
        assertThat(slots(FpMessage.Commit.class, m -> m.ts() == 900)).contains(1, 2, 3);
    }

    @PlantedBug(
            in = FpWrite.class,
            rule = "a timestamp does not change after its COMMIT",
            replace = "fixed = true; commitSent = true;",
            with = "commitSent = true;")
    @Test
    void afterACommitTheTimestampStays() {
        start();
        answer(prepared(0, 9));
        tick(150);
        answer(prepared(1, 5));
        answer(prepared(2, 5));
        answer(prepared(1, 9));
        answer(prepared(2, 9));
        assertThat(slots(FpMessage.Commit.class, m -> m.ts() == 9)).containsExactly(0, 1, 2);
        sent.clear();
        answer(prepared(3, 5));
        assertThat(slots(FpMessage.Prepare.class, m -> m.ts() == 9)).containsExactly(3);
        // One of these two lies.
        answer(refused(3, RequestKind.PREPARE, 9, FpRefusal.FAR));
        answer(refused(0, RequestKind.COMMIT, 9, FpRefusal.FAR));
        assertThat(slots(FpMessage.Prepare.class, m -> m.ts() == 5)).isEmpty();
        assertThat(slots(FpMessage.Commit.class, m -> m.ts() != 9)).isEmpty();
    }

    @PlantedBug(
            in = FpWrite.class,
            rule = "only the first 3f + 1 slots decide on the timestamp",
            replace = "members.subList(0, group.policy().timestampSlots())",
            with = "members")
    @Test
    void onlyTheFirst3fPlus1SlotsDecideOnTheTimestamp() {
        use(group(1, 4));
        start();
        assertThat(slots(FpMessage.PrepareFragment.class, m -> true)).containsExactly(0, 1, 2, 3, 4);
        sent.clear();
        // Slots 0, 1 and 4: 2f + 1 answers, but a write that 2 and 3 alone of the first 3f + 1 report could be missed.
        answer(prepared(0, 2));
        answer(prepared(1, 2));
        answer(prepared(4, 2));
        assertThat(sent).isEmpty();
        answer(prepared(2, 8));
        assertThat(slots(FpMessage.PrepareFragment.class, m -> m.ts() == 8)).containsExactly(0, 1, 4);
    }

    @Test
    void aRefusedFragmentIsSentAgainAsABlock() {
        start();
        answer(refused(1, RequestKind.PREPARE, 0, FpRefusal.INCONSISTENT));
        assertThat(slots(FpMessage.PrepareBlock.class, m -> m.ts() == 0)).containsExactly(1);
    }

    @Test
    void aSlowNodeIsReplacedAndItsLatePrepareIsStillForwarded() {
        start();
        answer(prepared(0, 5));
        answer(prepared(1, 5));
        tick(150);
        assertThat(slots(FpMessage.PrepareBlock.class, m -> m.ts() == 0)).containsExactly(3);
        answer(prepared(3, 5));
        assertThat(slots(FpMessage.Commit.class, m -> m.prepares().size() == 3)).containsExactly(0, 1, 3);
        answer(committed(0, 5));
        answer(committed(3, 5));
        answer(refused(1, RequestKind.COMMIT, 5, FpRefusal.PREPARES));
        sent.clear();
        answer(prepared(2, 5));
        assertThat(slots(FpMessage.Commit.class, m -> m.prepares().size() == 4)).containsExactly(1, 2);
        answer(committed(1, 5));
        assertThat(write.outcome()).isPresent();
        assertThat(write.isFinished()).isFalse();
        answer(committed(2, 5));
        assertThat(write.isFinished()).isTrue();
    }

    @Test
    void refusedPreparesAreMadeAgainAtTheSameTs() {
        start();
        IntStream.range(0, 3).forEach(slot -> answer(prepared(slot, 5)));
        IntStream.range(0, 3).forEach(slot -> answer(refused(slot, RequestKind.COMMIT, 5, FpRefusal.PREPARES)));
        sent.clear();
        tick(350);
        assertThat(slots(FpMessage.PrepareFragment.class, m -> m.ts() == 5)).containsExactly(0, 1, 2);
    }

    /** They grow old like those before: who is slow to send them sends them too late. */
    @Test
    void macsThatWereMadeAgainGoOutAtOnceAndOnce() {
        start();
        IntStream.range(0, 3).forEach(slot -> answer(prepared(slot, 5)));
        IntStream.range(0, 3).forEach(slot -> answer(refused(slot, RequestKind.COMMIT, 5, FpRefusal.PREPARES)));
        tick(350);
        sent.clear();
        answer(prepared(0, 5));
        assertThat(slots(FpMessage.Commit.class, _ -> true))
                .as("the same again")
                .isEmpty();
        answer(withMacs(1, 9));
        assertThat(slots(FpMessage.Commit.class, m -> m.prepares().contains(prepareMacWith(1, 9))))
                .containsExactly(0, 1, 2);
        IntStream.range(0, 3).forEach(slot -> answer(refused(slot, RequestKind.COMMIT, 5, FpRefusal.PREPARES)));
        sent.clear();
        answer(withMacs(1, 8));
        assertThat(slots(FpMessage.Commit.class, _ -> true))
                .as("nobody asked for these")
                .isEmpty();
    }

    private FpMessage.Prepared withMacs(int slot, int fill) {
        FpMessage.Prepared before = prepared(slot, 5);
        Bytes mac = prepareMacWith(slot, fill).mac();
        return new FpMessage.Prepared(
                before.target(), before.version(), before.nonce(), Collections.nCopies(group.n(), mac));
    }

    private FpMessage.PrepareMac prepareMacWith(int slot, int fill) {
        return new FpMessage.PrepareMac(slot, prepared(slot, 5).nonce(), SampleMessages.filled(16, fill));
    }

    @Test
    void upToFNodesAtTheirLimitAreReplaced() {
        start();
        answer(refused(1, RequestKind.PREPARE, 0, FpRefusal.LIMIT));
        assertThat(slots(FpMessage.PrepareBlock.class, m -> true)).containsExactly(3);
    }

    @Test
    void aNodeAtItsLimitIsAskedAtTheChosenTs() {
        start();
        answer(refused(1, RequestKind.PREPARE, 4, FpRefusal.LIMIT));
        answer(prepared(0, 5));
        assertThat(slots(FpMessage.Prepare.class, m -> m.ts() != 0)).isEmpty();
        answer(prepared(2, 5));
        assertThat(slots(FpMessage.PrepareFragment.class, m -> m.ts() == 5))
                .as("slot 1 has answered 4")
                .containsExactly(1);
        answer(prepared(1, 5));
        assertThat(slots(FpMessage.Commit.class, m -> m.ts() == 5)).containsExactly(0, 1, 2);
    }

    @Test
    void moreThanFNodesAtTheirLimitAreWaitedForAndAskedAgain() {
        start();
        answer(refused(0, RequestKind.PREPARE, 0, FpRefusal.LIMIT));
        sent.clear();
        answer(refused(1, RequestKind.PREPARE, 0, FpRefusal.LIMIT));
        assertThat(sent).isEmpty();
        tick(350);
        assertThat(slots(FpMessage.PrepareFragment.class, m -> m.ts() == 0)).contains(0, 1);
        assertThat(write.outcome()).isEmpty();
        IntStream.range(0, 3).forEach(slot -> answer(prepared(slot, 5)));
        IntStream.range(0, 3).forEach(slot -> answer(committed(slot, 5)));
        assertThat(write.outcome()).contains(new FpWriteOutcome.Written(new Timestamp(5, fpcc)));
    }

    @Test
    void whatMoreThanFNodesSayEndsTheWrite() {
        start();
        answer(refused(0, RequestKind.PREPARE, 0, FpRefusal.SESSION_CLOSED));
        assertThat(write.outcome()).isEmpty();
        answer(refused(1, RequestKind.PREPARE, 0, FpRefusal.SESSION_CLOSED));
        assertThat(write.outcome()).contains(new FpWriteOutcome.Failed(Failure.SESSION_CLOSED, false));
    }

    /** Slot 3 is silent for good. Before this rule the write waited for its deadline (campaign seed 1795977331270). */
    @Test
    void aSessionClosedAfterSomePreparedIsAskedForAgain() {
        start();
        answer(prepared(0, 5));
        answer(prepared(1, 5));
        answer(refused(2, RequestKind.PREPARE, 0, FpRefusal.SESSION_CLOSED));
        sent.clear();
        tick(350);
        assertThat(slots(FpMessage.PrepareFragment.class, m -> true)).contains(0, 1);
        answer(refused(0, RequestKind.PREPARE, 0, FpRefusal.SESSION_CLOSED));
        assertThat(write.outcome()).contains(new FpWriteOutcome.Failed(Failure.SESSION_CLOSED, false));
    }

    @Test
    void aSessionClosedOnceTheTimestampIsChosenIsAskedForAgain() {
        start();
        answer(prepared(0, 5));
        answer(prepared(1, 5));
        answer(refused(2, RequestKind.PREPARE, 5, FpRefusal.LIMIT));
        tick(350);
        answer(refused(2, RequestKind.PREPARE, 5, FpRefusal.SESSION_CLOSED));
        sent.clear();
        tick(2_000);
        assertThat(slots(FpMessage.PrepareFragment.class, m -> m.ts() == 5)).contains(0, 1);
        answer(refused(0, RequestKind.PREPARE, 5, FpRefusal.SESSION_CLOSED));
        assertThat(write.outcome()).contains(new FpWriteOutcome.Failed(Failure.SESSION_CLOSED, false));
    }

    /** Slot 2 lies and slot 3 was slow: what 0 and 1 have can be read and written back. */
    @Test
    void aSessionClosedAfterTheCommitLeavesTheWriteUndecided() {
        start();
        IntStream.range(0, 3).forEach(slot -> answer(prepared(slot, 5)));
        IntStream.range(0, 2).forEach(slot -> answer(committed(slot, 5)));
        answer(refused(2, RequestKind.COMMIT, 5, FpRefusal.SESSION_CLOSED));
        answer(refused(3, RequestKind.PREPARE, 5, FpRefusal.SESSION_CLOSED));
        assertThat(write.outcome()).contains(new FpWriteOutcome.Failed(Failure.SESSION_CLOSED, true));
    }

    private FpMessage.Refused laterEpoch(int slot, RequestKind asked, long ts) {
        return new FpMessage.Refused(group.target(slot), asked, ts, FpRefusal.OTHER_EPOCH, 2);
    }

    @Test
    void aWriteWhoseEpochEndsBeforeItsCommitHasDoneNothing() {
        start();
        answer(prepared(2, 5));
        answer(0, laterEpoch(0, RequestKind.PREPARE, 0));
        assertThat(write.outcome()).isEmpty();
        answer(1, laterEpoch(1, RequestKind.PREPARE, 0));
        assertThat(write.outcome()).contains(new FpWriteOutcome.Failed(Failure.OTHER_EPOCH, false));
    }

    /** At the same timestamp: others may have read it, and written the block again. */
    @Test
    void aWriteWhoseEpochEndsAfterItsCommitGoesOnInTheNext() {
        start();
        IntStream.range(0, 3).forEach(slot -> answer(prepared(slot, 5)));
        answer(committed(0, 5));
        answer(1, laterEpoch(1, RequestKind.COMMIT, 5));
        assertThat(write.outcome()).isEmpty();
        answer(2, laterEpoch(2, RequestKind.COMMIT, 5));
        Timestamp at = new Timestamp(5, fpcc);
        assertThat(write.outcome()).contains(new FpWriteOutcome.EpochOver(at));
        assertThat(write.isFinished()).isTrue();

        write = FpWrite.continueInEpoch(group, 7, data(), at, TIMES);
        sent.clear();
        start();
        assertThat(slots(FpMessage.PrepareFragment.class, m -> m.ts() == 5)).containsExactly(0, 1, 2);
        assertThat(sent).hasSize(3);
        answer(refused(0, RequestKind.PREPARE, 5, FpRefusal.SESSION_CLOSED));
        answer(refused(1, RequestKind.PREPARE, 5, FpRefusal.SESSION_CLOSED));
        assertThat(write.outcome())
                .as("whatever was not sent in this epoch")
                .contains(new FpWriteOutcome.Failed(Failure.SESSION_CLOSED, true));
    }

    /** Nothing else is wanted of them any more, before the COMMIT and after it. */
    @PlantedBug(
            in = EpochWatch.class,
            rule = "f + 1 nodes must say that an epoch is over",
            replace = "return later.size() > f;",
            with = "return later.size() >= f;")
    @Test
    void whenOneNamesALaterEpochThoseWhoHaveAnsweredAreAskedAgain() {
        start();
        answer(prepared(0, 5));
        answer(prepared(1, 5));
        answer(2, laterEpoch(2, RequestKind.PREPARE, 0));
        sent.clear();
        tick(400);
        assertThat(slots(FpMessage.FindTimestamp.class, m -> true))
                .contains(0, 1)
                .doesNotContain(2);
        answer(1, laterEpoch(1, RequestKind.FIND_TIMESTAMP, 0));
        assertThat(write.outcome()).contains(new FpWriteOutcome.Failed(Failure.OTHER_EPOCH, false));

        write = new FpWrite(group, 7, data(), TIMES);
        start();
        IntStream.range(0, 3).forEach(slot -> answer(prepared(slot, 5)));
        IntStream.range(0, 2).forEach(slot -> answer(committed(slot, 5)));
        answer(2, laterEpoch(2, RequestKind.COMMIT, 5));
        sent.clear();
        tick(400);
        assertThat(slots(FpMessage.FindTimestamp.class, m -> true)).contains(0, 1);
        answer(0, laterEpoch(0, RequestKind.FIND_TIMESTAMP, 0));
        assertThat(write.outcome()).contains(new FpWriteOutcome.EpochOver(new Timestamp(5, fpcc)));
    }

    @Test
    void withoutAnswersTheWriteEndsInTime() {
        start();
        tick(30_000);
        assertThat(write.outcome()).contains(new FpWriteOutcome.Failed(Failure.TIMED_OUT, false));
        assertThat(write.isFinished()).isTrue();
    }

    @PlantedBug(
            in = FpGroup.class,
            rule = "answers of another epoch do not count for a register",
            replace =
                    "target.block().equals(block) && target.epoch() == placement.epoch() && " + "target.slot() == slot",
            with = "target.block().equals(block) && target.slot() == slot")
    @Test
    void answersForOtherBlocksEpochsAndSlotsDoNotCount() {
        start();
        Target epoch = new Target(group.block(), 2, 0);
        Target block = new Target(BlockId.register(1, 5), 1, 0);
        for (Target target : List.of(epoch, block, group.target(1))) {
            FpMessage.Prepared right = prepared(0, 5);
            answer(0, new FpMessage.Prepared(target, right.version(), right.nonce(), right.macs()));
        }
        answer(prepared(1, 5));
        answer(prepared(2, 5));
        assertThat(slots(FpMessage.Commit.class, m -> true)).isEmpty();
        answer(prepared(0, 5));
        assertThat(slots(FpMessage.Commit.class, m -> true)).containsExactly(0, 1, 2);
    }

    /** The replicas that a node asked may not have executed the opening yet: refused once, it is asked again. */
    @Test
    void anUnknownSessionEndsTheWriteOnlyAfterTwoRetries() {
        start();
        IntStream.range(0, 2).forEach(slot -> answer(refused(slot, RequestKind.PREPARE, 0, FpRefusal.SESSION_UNKNOWN)));
        assertThat(write.outcome()).isEmpty();
        tick(300);
        IntStream.range(0, 2).forEach(slot -> answer(refused(slot, RequestKind.PREPARE, 0, FpRefusal.SESSION_UNKNOWN)));
        assertThat(write.outcome()).isEmpty();
        tick(350);
        IntStream.range(0, 2).forEach(slot -> answer(refused(slot, RequestKind.PREPARE, 0, FpRefusal.SESSION_UNKNOWN)));
        assertThat(write.outcome()).contains(new FpWriteOutcome.Failed(Failure.SESSION_UNKNOWN, false));
    }

    @Test
    void aPrepareOfAnotherBlockAccusesItsSender() {
        start();
        FpMessage.Prepared right = prepared(0, 5);
        Version other = new Version(5, SampleMessages.filled(32, 9));
        assertThat(write.onMessage(
                        ++now,
                        group.node(0),
                        new FpMessage.Prepared(right.target(), other, right.nonce(), right.macs())))
                .singleElement()
                .isInstanceOfSatisfying(
                        Effect.Evidence.class,
                        evidence -> assertThat(evidence.about()).isEqualTo(group.node(0)));
    }

    @Test
    void aCommitWithoutAnAnswerIsSentAgain() {
        start();
        IntStream.range(0, 3).forEach(slot -> answer(prepared(slot, 5)));
        sent.clear();
        tick(350);
        assertThat(slots(FpMessage.Commit.class, m -> m.ts() == 5)).containsExactly(0, 1, 2);
    }

    @Test
    void aWrittenBlockHelpsSlowNodesForAWhileOnly() {
        start();
        IntStream.range(0, 2).forEach(slot -> answer(prepared(slot, 5)));
        tick(150);
        answer(prepared(3, 5));
        IntStream.of(0, 1, 3).forEach(slot -> answer(committed(slot, 5)));
        assertThat(write.outcome()).isPresent();
        tick(900);
        assertThat(write.isFinished()).as("slot 2 is still helped").isFalse();
        tick(200);
        assertThat(write.isFinished()).isTrue();
    }

    private void use(FpGroup other) {
        group = other;
        write = new FpWrite(group, 7, data(), TIMES);
    }

    private void start() {
        take(write.start(now));
    }

    private void answer(FpMessage message) {
        answer(message.target().slot(), message);
    }

    private void answer(int slot, FpMessage message) {
        take(write.onMessage(++now, group.node(slot), message));
    }

    private void tick(long millis) {
        now += millis;
        take(write.onTick(now));
    }

    private void take(List<Effect> effects) {
        List<Effect.Send> all = new ArrayList<>(sent);
        effects.forEach(effect -> {
            if (effect instanceof Effect.Send send) {
                all.add(send);
            }
        });
        sent = all;
    }

    private <M extends FpMessage> List<Integer> slots(Class<M> type, Predicate<M> which) {
        return sent.stream()
                .map(Effect.Send::message)
                .filter(type::isInstance)
                .map(type::cast)
                .filter(which)
                .map(message -> message.target().slot())
                .toList();
    }

    private FpMessage.Prepared prepared(int slot, long ts) {
        List<Bytes> macs = IntStream.range(0, group.n())
                .mapToObj(receiver -> prepareMac(slot, ts, receiver).mac())
                .toList();
        Bytes pin = group.code().encode(group.padded(data())).fpcc().pin();
        return new FpMessage.Prepared(
                group.target(slot),
                new Version(ts, pin),
                prepareMac(slot, ts, 0).nonce(),
                macs);
    }

    private static FpMessage.PrepareMac prepareMac(int slot, long ts, int receiver) {
        return new FpMessage.PrepareMac(
                slot, SampleMessages.filled(32, slot * 16 + (int) ts), SampleMessages.filled(16, (int)
                        (receiver * 64 + slot * 16 + ts)));
    }

    private FpMessage.Committed committed(int slot, long ts) {
        return new FpMessage.Committed(group.target(slot), new Version(ts, fpcc.pin()));
    }

    private FpMessage.Refused refused(int slot, RequestKind asked, long ts, FpRefusal refusal) {
        return new FpMessage.Refused(group.target(slot), asked, ts, refusal, 1);
    }
}
