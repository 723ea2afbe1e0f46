package io.bulwark.protocol.extent;

import static org.assertj.core.api.Assertions.assertThat;

import io.bulwark.protocol.cluster.PlacementGroup;
import io.bulwark.protocol.cluster.ProtectionPolicy;
import io.bulwark.protocol.cluster.Volume;
import io.bulwark.protocol.cluster.VolumeKind;
import io.bulwark.protocol.effect.Effect;
import io.bulwark.protocol.extent.ExtentMessage.Acknowledged;
import io.bulwark.protocol.extent.ExtentMessage.Answer;
import io.bulwark.protocol.extent.ExtentMessage.Found;
import io.bulwark.protocol.extent.ExtentMessage.Holds;
import io.bulwark.protocol.extent.ExtentMessage.NotFound;
import io.bulwark.protocol.extent.ExtentMessage.NotStored;
import io.bulwark.protocol.extent.ExtentMessage.ReadPinned;
import io.bulwark.protocol.extent.ExtentMessage.Store;
import io.bulwark.protocol.extent.ExtentMessage.Supply;
import io.bulwark.protocol.fingerprint.Commitment;
import io.bulwark.protocol.id.BlockId;
import io.bulwark.protocol.id.PrincipalId;
import io.bulwark.protocol.wire.Bytes;
import java.util.ArrayList;
import java.util.List;
import java.util.Set;
import java.util.stream.IntStream;
import org.jspecify.annotations.NullMarked;
import org.junit.jupiter.api.Test;

/** Extents of the archive class: f = 1, any 2 of 10. Six slots are spare, of which one is the writer's. */
@NullMarked
class ArchiveExtentTest {
    private static final ProtectionPolicy POLICY = ProtectionPolicy.archive(1, 2, 10, 1 << 20);
    private static final BlockId BLOCK = LocalNode.block(1);
    private static final Volume VOLUME = new Volume(
            LocalNode.VOLUME,
            "v",
            VolumeKind.OBJECT,
            POLICY,
            0,
            List.of(new PlacementGroup(1, IntStream.range(0, 10).boxed().toList())));
    private static final ExtentCoding CODING = ExtentCoding.of(POLICY);
    private static final Bytes CONTENT = Bytes.of(new byte[POLICY.paddedBytes(1000)]);
    private static final ExtentCoding.Encoded ENCODED = CODING.encode(CONTENT);

    private final ExtentRead read =
            new ExtentRead(VOLUME, BLOCK, ENCODED.checksum().pin(), Set.of(), ExtentTiming.standard());

    private List<Effect> answer(int slot, Answer answer) {
        return read.onMessage(1, PrincipalId.node(slot), answer);
    }

    private List<Effect> found(int slot) {
        return answer(
                slot,
                new Found(BLOCK, 1, ENCODED.checksum(), ENCODED.fragments().get(slot), true));
    }

    private static List<Integer> asked(List<Effect> effects, boolean fragments) {
        List<Integer> asked = new ArrayList<>();
        for (Effect effect : effects) {
            if (effect instanceof Effect.Send send
                    && send.message() instanceof ReadPinned question
                    && question.wantFragment() == fragments) {
                asked.add(question.slot());
            }
        }
        return asked;
    }

    private ExtentWrite started() {
        ExtentWrite write = new ExtentWrite(VOLUME, BLOCK, Bytes.of(new byte[1000]), ExtentTiming.standard());
        assertThat(write.start(0)).hasSize(10).allMatch(effect -> ((Effect.Send) effect).message() instanceof Store);
        return write;
    }

    @Test
    void aWriteWaitsForNeitherLiarsNorItsSpareSlots() {
        ExtentWrite write = started();
        for (int slot = 0; slot < 8; slot++) {
            assertThat(write.outcome()).isEmpty();
            write.onMessage(1, PrincipalId.node(slot), new Acknowledged(BLOCK, 1));
        }
        assertThat(write.outcome())
                .contains(new WriteOutcome.Complete(ENCODED.checksum().pin(), 1));
        assertThat(write.isFinished()).as("goes on with the slow ones").isFalse();
    }

    @Test
    void aWriteWithoutRoomFailsOnceTooManySlotsHaveNone() {
        ExtentWrite write = started();
        for (int slot = 0; slot < 3; slot++) {
            assertThat(write.outcome()).isEmpty();
            write.onMessage(1, PrincipalId.node(slot), new NotStored(BLOCK, 1, StoreRefusal.NO_SPACE));
        }
        assertThat(write.outcome()).containsInstanceOf(WriteOutcome.NoSpace.class);
    }

    @Test
    void aReadTakesTheFirstHoldersThatAnswer() {
        List<Effect> first = read.start(0);
        assertThat(asked(first, true)).containsExactly(0, 1);
        assertThat(asked(first, false)).containsExactly(2, 3, 4, 5, 6, 7, 8, 9);
        found(1);
        answer(9, new Holds(BLOCK, 1));
        assertThat(read.outcome()).isEmpty();
        found(0);
        assertThat(read.outcome()).contains(new ReadOutcome.Whole(CONTENT));
    }

    @Test
    void slotsThatAreAwayAreReplacedByHolders() {
        read.start(0);
        for (int slot = 7; slot < 10; slot++) {
            answer(slot, new Holds(BLOCK, 1));
        }
        assertThat(asked(read.onTick(600), true)).as("seven of ten are silent").containsExactly(7, 8);
        found(7);
        found(8);
        assertThat(read.outcome()).contains(new ReadOutcome.Whole(CONTENT));
    }

    @Test
    void slotsThatLackItAreHandedTheirFragments() {
        read.start(0);
        for (int slot = 2; slot < 10; slot++) {
            answer(slot, new NotFound(BLOCK, 1, ReadRefusal.NONE));
        }
        assertThat(read.outcome())
                .as("a complete one may be lacking at as many")
                .isEmpty();
        found(0);
        List<Effect> effects = found(1);
        assertThat(read.outcome()).as("two of its holders may be one liar").isEmpty();
        assertThat(effects)
                .filteredOn(effect -> effect instanceof Effect.Send send && send.message() instanceof Supply)
                .hasSize(8);
        answer(5, new Acknowledged(BLOCK, 1));
        assertThat(read.outcome()).contains(new ReadOutcome.Whole(CONTENT));
    }

    @Test
    void onlyMoreThanNMinusMSlotsWithoutItMakeItIncomplete() {
        read.start(0);
        for (int slot = 0; slot < 9; slot++) {
            assertThat(read.outcome()).isEmpty();
            answer(slot, new NotFound(BLOCK, 1, ReadRefusal.NONE));
        }
        assertThat(read.outcome()).contains(new ReadOutcome.Incomplete());
    }

    @Test
    void aBlockOfAnotherSegmentMakesItPoisonousForEveryReader() {
        List<Bytes> mixed = new ArrayList<>(ENCODED.fragments());
        byte[] other = mixed.get(9).toByteArray();
        other[0] ^= 1;
        mixed.set(9, Bytes.of(other));
        Commitment.Encoded forged = Commitment.of(POLICY.m(), mixed, CONTENT, CONTENT);
        ExtentRead reader = new ExtentRead(VOLUME, BLOCK, forged.commitment().pin(), Set.of(), ExtentTiming.standard());
        reader.start(0);
        for (int slot = 0; slot < 2; slot++) {
            Bytes fragment = forged.fragments().get(slot);
            reader.onMessage(1, PrincipalId.node(slot), new Found(BLOCK, 1, forged.commitment(), fragment, true));
        }
        assertThat(reader.outcome()).contains(new ReadOutcome.Poisonous());
    }
}
