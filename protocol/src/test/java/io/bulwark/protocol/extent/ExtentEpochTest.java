package io.bulwark.protocol.extent;

import static org.assertj.core.api.Assertions.assertThat;

import io.bulwark.protocol.cluster.Volume;
import io.bulwark.protocol.effect.Effect;
import io.bulwark.protocol.effect.Verdict;
import io.bulwark.protocol.extent.ExtentMessage.Acknowledged;
import io.bulwark.protocol.extent.ExtentMessage.Found;
import io.bulwark.protocol.extent.ExtentMessage.Holds;
import io.bulwark.protocol.extent.ExtentMessage.NotFound;
import io.bulwark.protocol.extent.ExtentMessage.NotStored;
import io.bulwark.protocol.extent.ExtentMessage.ReadPinned;
import io.bulwark.protocol.fingerprint.BlockCode;
import io.bulwark.protocol.id.BlockId;
import io.bulwark.protocol.id.PrincipalId;
import io.bulwark.protocol.mutation.PlantedBug;
import io.bulwark.protocol.wire.Bytes;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Set;
import org.jspecify.annotations.NullMarked;
import org.junit.jupiter.api.Test;

/** Tests the conditions for a conclusion of an extent's writer or reader: one epoch, and more than f nodes. */
@NullMarked
class ExtentEpochTest {
    private static final Bytes CONTENT = Bytes.of(new byte[100]);
    private static final BlockId BLOCK = LocalNode.block(1);
    private static final BlockCode.Encoded ENCODED = BlockCode.ofAll(2, 4).encode(CONTENT);

    private final Volume volume = LocalNode.volume(1, List.of(0, 1, 2, 3));
    private final ExtentWrite write = new ExtentWrite(volume, BLOCK, CONTENT, ExtentTiming.standard());
    private final ExtentRead read =
            new ExtentRead(volume, BLOCK, ENCODED.fpcc().pin(), Set.of(), ExtentTiming.standard());
    private final List<Effect> effects = new ArrayList<>();

    private void answer(ExtentWrite to, int node, ExtentMessage.Answer answer) {
        effects.addAll(to.onMessage(1, PrincipalId.node(node), answer));
    }

    private void answer(ExtentRead to, int node, ExtentMessage.Answer answer) {
        effects.addAll(to.onMessage(1, PrincipalId.node(node), answer));
    }

    @PlantedBug(
            in = ExtentWrite.class,
            rule = "OKs of another epoch do not count for an extent write",
            replace = "when answer.epoch() == group.epoch() -> {",
            with = "when answer.epoch() >= 0 -> {")
    @Test
    void oksOfAnotherEpochDoNotCount() {
        write.start(0);
        for (int node = 0; node < 3; node++) {
            answer(write, node, new Acknowledged(BLOCK, node == 0 ? 2 : 1));
        }
        assertThat(write.outcome()).isEmpty();
        answer(write, 3, new Acknowledged(BLOCK, 1));
        assertThat(write.outcome())
                .contains(new WriteOutcome.Complete(ENCODED.fpcc().pin(), 1));
    }

    @Test
    void aCompleteWriteHelpsSlowNodesForAWhileOnly() {
        write.start(0);
        effects.addAll(write.onTick(ExtentTiming.standard().retryMillis()));
        for (int node : new int[] {0, 1, 3}) {
            answer(write, node, new Acknowledged(BLOCK, 1));
        }
        assertThat(write.outcome()).isPresent();
        assertThat(write.isFinished()).as("slot 2 is still asked").isFalse();
        effects.clear();
        effects.addAll(write.onTick(2 * ExtentTiming.standard().retryMillis()));
        assertThat(effects).hasSize(1);
        effects.addAll(write.onTick(10 + ExtentTiming.standard().lingerMillis()));
        assertThat(write.isFinished()).isTrue();
    }

    @Test
    void aWriteWithoutAnswersSaysWhoIsSilent() {
        write.start(0);
        effects.addAll(write.onTick(1));
        answer(write, 1, new NotStored(BLOCK, 1, StoreRefusal.LIMIT));
        effects.addAll(write.onTick(ExtentTiming.standard().deadlineMillis()));
        assertThat(write.outcome())
                .hasValueSatisfying(outcome -> assertThat(outcome)
                        .isInstanceOfSatisfying(
                                WriteOutcome.Unavailable.class,
                                unavailable -> assertThat(unavailable.reasons())
                                        .containsEntry(0, "node-0 has not answered")
                                        .containsEntry(1, "node-1 answered LIMIT")));
    }

    /** Extent campaign, seed 221604: a node that woke up answered two requests at once, and was given up before it had heard. */
    @Test
    void aNodeThatHasNotHeardOfTheEpochYetIsAskedAgain() {
        ExtentRead later = new ExtentRead(
                LocalNode.volume(2, List.of(0, 1, 2, 3)),
                BLOCK,
                ENCODED.fpcc().pin(),
                Set.of(),
                ExtentTiming.standard());
        later.start(0);
        answer(later, 0, found(0, 2));
        answer(later, 1, new NotFound(BLOCK, 1, ReadRefusal.WRONG_EPOCH));
        for (int round = 1; round <= 3; round++) {
            effects.addAll(later.onTick(round * ExtentTiming.standard().retryMillis()));
            answer(later, 1, new NotFound(BLOCK, 1, ReadRefusal.WRONG_EPOCH));
            answer(later, 2, new NotFound(BLOCK, 2, ReadRefusal.NONE));
            answer(later, 3, new NotFound(BLOCK, 2, ReadRefusal.NONE));
        }
        assertThat(later.outcome()).isEmpty();
        answer(later, 1, found(1, 2));
        assertThat(later.outcome()).as("two slots hold it").isEmpty();
        answer(later, 3, new Acknowledged(BLOCK, 2));
        assertThat(later.outcome()).contains(new ReadOutcome.Whole(CONTENT));
    }

    /** It has sealed, and soon tells the next epoch: two refusals are not all that there is to hear. */
    @Test
    void aNodeThatRefusesTheEpochThatIsToEndIsAskedAgain() {
        read.start(0);
        for (int round = 1; round <= 3; round++) {
            effects.addAll(read.onTick(round * ExtentTiming.standard().retryMillis()));
            for (int node = 0; node < 4; node++) {
                answer(read, node, new NotFound(BLOCK, 1, ReadRefusal.WRONG_EPOCH));
            }
        }
        assertThat(read.outcome()).isEmpty();
        answer(read, 0, new NotFound(BLOCK, 2, ReadRefusal.WRONG_EPOCH));
        answer(read, 1, new NotFound(BLOCK, 2, ReadRefusal.WRONG_EPOCH));
        assertThat(read.outcome()).contains(new ReadOutcome.StaleMap(2));
    }

    @PlantedBug(
            in = ReadSlot.class,
            rule = "an answer that arrives twice counts once",
            replace = "answers += settled ? 0 : 1;",
            with = "answers++;")
    @Test
    void anAnswerThatComesTwiceCountsOnce() {
        read.start(0);
        answer(read, 0, found(0, 1));
        effects.addAll(read.onTick(ExtentTiming.standard().retryMillis()));
        for (int times = 0; times < 3; times++) {
            answer(read, 1, new NotFound(BLOCK, 1, ReadRefusal.DAMAGED));
            answer(read, 2, new NotFound(BLOCK, 1, ReadRefusal.NONE));
            answer(read, 3, new NotFound(BLOCK, 1, ReadRefusal.NONE));
        }
        assertThat(read.outcome()).as("all are asked once more").isEmpty();
        effects.addAll(read.onTick(3 * ExtentTiming.standard().retryMillis()));
        for (int node = 1; node <= 3; node++) {
            answer(read, node, new NotFound(BLOCK, 1, ReadRefusal.DAMAGED));
        }
        assertThat(read.outcome())
                .hasValueSatisfying(outcome -> assertThat(outcome).isInstanceOf(ReadOutcome.Unavailable.class));
    }

    private static Found found(int slot, long epoch) {
        return new Found(BLOCK, epoch, ENCODED.fpcc(), ENCODED.fragments().get(slot), true);
    }

    @PlantedBug(
            in = ExtentWrite.class,
            rule = "more than f nodes must name a newer epoch before a write believes them",
            replace = "otherEpochs.size() > f && otherEpochs.get(f) > group.epoch()",
            with = "!otherEpochs.isEmpty() && otherEpochs.getFirst() > group.epoch()")
    @Test
    void oneNodesWordIsNotEnoughForANewerEpoch() {
        write.start(0);
        answer(write, 0, new NotStored(BLOCK, 9, StoreRefusal.WRONG_EPOCH));
        assertThat(write.outcome()).isEmpty();
        answer(write, 1, new NotStored(BLOCK, 7, StoreRefusal.WRONG_EPOCH));
        assertThat(write.outcome()).contains(new WriteOutcome.StaleMap(7));
    }

    /** Slot 2 is silent: without the answers of the slots that have stored, only slot 3 would ever report the epoch. */
    @Test
    void whoHasStoredIsAskedAgainWhereOneNodeSaysThatTheEpochIsOver() {
        write.start(0);
        answer(write, 0, new Acknowledged(BLOCK, 1));
        answer(write, 1, new Acknowledged(BLOCK, 1));
        effects.addAll(write.onTick(ExtentTiming.standard().retryMillis()));
        answer(write, 3, new NotStored(BLOCK, 7, StoreRefusal.WRONG_EPOCH));
        effects.clear();
        effects.addAll(write.onTick(2 * ExtentTiming.standard().retryMillis()));
        assertThat(effects)
                .filteredOn(Effect.Send.class::isInstance)
                .extracting(effect -> ((Effect.Send) effect).to())
                .contains(PrincipalId.node(0), PrincipalId.node(1));
        answer(write, 0, new Acknowledged(BLOCK, 1));
        assertThat(write.outcome()).isEmpty();
        answer(write, 1, new NotStored(BLOCK, 7, StoreRefusal.WRONG_EPOCH));
        assertThat(write.outcome()).contains(new WriteOutcome.StaleMap(7));
    }

    @PlantedBug(
            in = ExtentRead.class,
            rule = "more than f nodes must name a newer epoch before a read believes them",
            replace = ".skip(policy.f())",
            with = ".skip(0)")
    @Test
    void aReaderToldOfANewerEpochByOneNodeGoesOn() {
        read.start(0);
        answer(read, 0, new NotFound(BLOCK, 9, ReadRefusal.WRONG_EPOCH));
        assertThat(read.outcome()).isEmpty();
        answer(read, 1, new NotFound(BLOCK, 7, ReadRefusal.WRONG_EPOCH));
        assertThat(read.outcome()).contains(new ReadOutcome.StaleMap(7));
    }

    @PlantedBug(
            in = ExtentRead.class,
            rule = "an extent is incomplete only by the word of 2f + 1 holders",
            replace = "neverStoredCount() > policy.lackingMax()",
            with = "neverStoredCount() >= policy.lackingMax()")
    @Test
    void incompleteTakesMoreThanTwoF() {
        read.start(0);
        answer(read, 0, new NotFound(BLOCK, 1, ReadRefusal.NONE));
        answer(read, 1, new NotFound(BLOCK, 1, ReadRefusal.OTHER_VERSION));
        assertThat(read.outcome()).isEmpty();
        answer(read, 2, new NotFound(BLOCK, 1, ReadRefusal.NONE));
        assertThat(read.outcome()).contains(new ReadOutcome.Incomplete());
    }

    @PlantedBug(
            in = ExtentRead.class,
            rule = "a read is not permitted only by the word of f + 1 nodes",
            replace = "count(ReadRefusal.NOT_PERMITTED) > f",
            with = "count(ReadRefusal.NOT_PERMITTED) >= f")
    @PlantedBug(
            in = ExtentRead.class,
            rule = "an extent is freed only by the word of f + 1 nodes",
            replace = "count(ReadRefusal.FREED) > f",
            with = "count(ReadRefusal.FREED) >= f")
    @Test
    void oneRefusalEndsNoRead() {
        read.start(0);
        answer(read, 0, new NotFound(BLOCK, 1, ReadRefusal.NOT_PERMITTED));
        assertThat(read.outcome()).isEmpty();
        answer(read, 1, new NotFound(BLOCK, 1, ReadRefusal.FREED));
        assertThat(read.outcome()).isEmpty();
    }

    @Test
    void anotherVersionAccusesNobody() {
        read.start(0);
        answer(read, 0, new NotFound(BLOCK, 1, ReadRefusal.OTHER_VERSION));
        answer(read, 1, new NotFound(BLOCK, 1, ReadRefusal.NONE));
        assertThat(read.verdicts()).isEqualTo(Map.of(0, Verdict.OTHER_VERSION, 1, Verdict.BEHIND));
    }

    @Test
    void whereMPlusFHoldItNobodyElseIsAsked() {
        assertThat(read.start(0))
                .extracting(effect -> ((ReadPinned) ((Effect.Send) effect).message()).wantFragment())
                .containsExactly(true, true, false);
        for (int node = 0; node < 2; node++) {
            answer(read, node, found(node, 1));
        }
        assertThat(read.outcome()).isEmpty();
        answer(read, 2, new Holds(BLOCK, 1));
        assertThat(read.outcome()).containsInstanceOf(ReadOutcome.Whole.class);
        assertThat(read.isFinished()).isTrue();
        assertThat(effects).isEmpty();
        assertThat(read.verdicts()).isEmpty();
    }

    @Test
    void whereAllRefuseTwiceTheReadEnds() {
        read.start(0);
        for (int times = 0; times < 2; times++) {
            assertThat(read.outcome()).isEmpty();
            effects.addAll(read.onTick(1 + times * ExtentTiming.standard().retryMillis()));
            for (int node = 0; node < 4; node++) {
                answer(read, node, new NotFound(BLOCK, 1, ReadRefusal.DAMAGED));
            }
        }
        assertThat(read.outcome()).containsInstanceOf(ReadOutcome.Unavailable.class);
        assertThat(read.verdicts()).hasSize(4).containsValue(Verdict.DAMAGED);
    }

    @Test
    void fragmentsOfAnotherEpochDoNotCount() {
        read.start(0);
        for (int node = 0; node < 2; node++) {
            Bytes fragment = ENCODED.fragments().get(node);
            answer(read, node, new Found(BLOCK, node == 0 ? 2 : 1, ENCODED.fpcc(), fragment, true));
        }
        assertThat(read.outcome()).isEmpty();
    }
}
