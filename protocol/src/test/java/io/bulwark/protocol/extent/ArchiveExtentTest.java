package io.bulwark.protocol.extent;

import static org.assertj.core.api.Assertions.assertThat;

import io.bulwark.protocol.cluster.PlacementGroup;
import io.bulwark.protocol.cluster.ProtectionPolicy;
import io.bulwark.protocol.cluster.Volume;
import io.bulwark.protocol.cluster.VolumeKind;
import io.bulwark.protocol.effect.Effect;
import io.bulwark.protocol.effect.Verdict;
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

    private static List<Integer> stored(List<Effect> effects) {
        return effects.stream()
                .filter(effect -> effect instanceof Effect.Send send && send.message() instanceof Store)
                .map(effect -> ((Store) ((Effect.Send) effect).message()).slot())
                .toList();
    }

    private ExtentWrite started() {
        ExtentWrite write = new ExtentWrite(VOLUME, BLOCK, Bytes.of(new byte[1000]), ExtentTiming.standard());
        assertThat(stored(write.start(0))).as("as many as complete it").containsExactly(0, 1, 2, 3, 4, 5, 6, 7);
        return write;
    }

    @Test
    void aWriteWaitsForNeitherLiarsNorItsSpareSlotsAndThenSendsTheRest() {
        ExtentWrite write = started();
        for (int slot = 0; slot < 7; slot++) {
            assertThat(stored(write.onMessage(1, PrincipalId.node(slot), new Acknowledged(BLOCK, 1))))
                    .isEmpty();
            assertThat(write.outcome()).isEmpty();
        }
        assertThat(stored(write.onMessage(1, PrincipalId.node(7), new Acknowledged(BLOCK, 1))))
                .containsExactly(8, 9);
        assertThat(write.outcome())
                .contains(new WriteOutcome.Complete(ENCODED.checksum().pin(), 1));
        assertThat(write.isFinished()).isFalse();
        write.onMessage(2, PrincipalId.node(8), new Acknowledged(BLOCK, 1));
        write.onMessage(2, PrincipalId.node(9), new Acknowledged(BLOCK, 1));
        assertThat(write.isFinished()).isTrue();
    }

    @Test
    void aWriteAsksAnotherSlotForOneThatRefusesOrIsSilent() {
        ExtentWrite write = started();
        assertThat(stored(write.onMessage(1, PrincipalId.node(3), new NotStored(BLOCK, 1, StoreRefusal.NO_SPACE))))
                .containsExactly(8);
        for (int slot : new int[] {0, 1, 2, 4, 5, 6, 8}) {
            assertThat(write.onMessage(1, PrincipalId.node(slot), new Acknowledged(BLOCK, 1)))
                    .isEmpty();
        }
        assertThat(stored(write.onTick(61))).as("it may only be slow").isEmpty();
        assertThat(stored(write.onTick(63))).containsExactly(9);
        write.onMessage(64, PrincipalId.node(9), new Acknowledged(BLOCK, 1));
        assertThat(write.outcome()).containsInstanceOf(WriteOutcome.Complete.class);
    }

    @Test
    void aWriteWithoutRoomFailsOnceTooManySlotsHaveNone() {
        ExtentWrite write = started();
        for (int slot = 0; slot < 3; slot++) {
            assertThat(write.outcome()).isEmpty();
            var _ = write.onMessage(1, PrincipalId.node(slot), new NotStored(BLOCK, 1, StoreRefusal.NO_SPACE));
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
    void aSilentSlotIsReplacedAfterTheLatencyOfTheOthers() {
        read.start(0);
        found(0);
        for (int slot = 2; slot < 10; slot++) {
            answer(slot, new Holds(BLOCK, 1));
        }
        assertThat(asked(read.onTick(61), true)).isEmpty();
        List<Effect> effects = read.onTick(63);
        assertThat(asked(effects, true)).as("one, and no more").containsExactly(2);
        assertThat(effects).as("it is not called slow yet").noneMatch(Effect.Evidence.class::isInstance);
        assertThat(found(2))
                .anyMatch(effect -> effect instanceof Effect.Evidence seen
                        && seen.verdict() == Verdict.SLOW
                        && seen.about().equals(PrincipalId.node(1)));
        assertThat(read.outcome()).contains(new ReadOutcome.Whole(CONTENT));
    }

    @Test
    void noSlotIsReplacedBeforeAnyFragmentCame() {
        read.start(0);
        for (int slot = 2; slot < 10; slot++) {
            answer(slot, new Holds(BLOCK, 1));
        }
        assertThat(asked(read.onTick(400), true)).isEmpty();
    }

    @Test
    void ofADeliveredExtentMFragmentsAreEnough() {
        read.start(0);
        for (int slot = 0; slot < 2; slot++) {
            assertThat(read.outcome()).isEmpty();
            Bytes fragment = ENCODED.fragments().get(slot);
            answer(slot, new Found(BLOCK, 1, ENCODED.checksum(), fragment, true, Delivery.DELIVERED));
        }
        assertThat(read.outcome()).contains(new ReadOutcome.Whole(CONTENT));
    }

    @Test
    void oneLiarDeliversNothing() {
        read.start(0);
        answer(9, new Holds(BLOCK, 1, Delivery.DELIVERED));
        found(0);
        found(1);
        assertThat(read.outcome()).as("three hold it").contains(new ReadOutcome.Whole(CONTENT));
        ExtentRead other = new ExtentRead(VOLUME, BLOCK, ENCODED.checksum().pin(), Set.of(), ExtentTiming.standard());
        other.start(0);
        for (int slot = 0; slot < 2; slot++) {
            Delivery said = slot == 0 ? Delivery.DELIVERED : Delivery.READY;
            Bytes fragment = ENCODED.fragments().get(slot);
            other.onMessage(1, PrincipalId.node(slot), new Found(BLOCK, 1, ENCODED.checksum(), fragment, true, said));
        }
        assertThat(other.outcome()).as("two of three holders").isEmpty();
    }

    @Test
    void disseminationHandsTheirFragmentsToAllThatLackThem() {
        ExtentRepair repair =
                new ExtentRepair(VOLUME, BLOCK, 9, ENCODED.checksum().pin(), true, ExtentTiming.standard());
        repair.disseminate();
        assertThat(repair.start(0)).as("all others are asked").hasSize(9);
        for (int slot = 0; slot < 7; slot++) {
            Bytes fragment = ENCODED.fragments().get(slot);
            Answer answer = slot < 2 ? new Found(BLOCK, 1, ENCODED.checksum(), fragment, true) : new Holds(BLOCK, 1);
            repair.onMessage(1, PrincipalId.node(slot), answer);
        }
        assertThat(repair.outcome()).as("others may lack it").isEmpty();
        List<Effect> effects = repair.onMessage(1, PrincipalId.node(7), new NotFound(BLOCK, 1, ReadRefusal.NONE));
        assertThat(effects)
                .singleElement()
                .isInstanceOfSatisfying(
                        Effect.Send.class,
                        send -> assertThat(send.message())
                                .isEqualTo(new Supply(
                                        BLOCK, 1, 7, ENCODED.fragments().get(7), ENCODED.checksum())));
        repair.onMessage(1, PrincipalId.node(7), new Acknowledged(BLOCK, 1));
        assertThat(repair.outcome()).as("slot 8 is silent").isEmpty();
        repair.onTick(2_001);
        assertThat(repair.outcome())
                .contains(new RepairOutcome.Rebuilt(
                        ENCODED.checksum(), ENCODED.fragments().get(9)));
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

    /** Holders that found the writer's lie keep no fragment. So few may be left that no other can find it, or repair the block. */
    @Test
    void aSlotThatFoundItPoisonousLacksIt() {
        read.start(0);
        answer(0, new NotFound(BLOCK, 1, ReadRefusal.POISONOUS));
        for (int slot = 1; slot < 9; slot++) {
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

    @Test
    void aSuspectIsJudgedByItsFragmentAlone() {
        Bytes pin = ENCODED.checksum().pin();
        SuspectCheck honest = new SuspectCheck(VOLUME, BLOCK, pin, 4, ExtentTiming.standard());
        List<Effect> asked = honest.start(0);
        assertThat(asked).as("no slot but the suspect is asked").hasSize(1);
        assertThat(asked(asked, true)).containsExactly(4);
        Found right =
                new Found(BLOCK, 1, ENCODED.checksum(), ENCODED.fragments().get(4), false);
        assertThat(honest.onMessage(1, PrincipalId.node(3), right)).isEmpty();
        assertThat(honest.outcome()).as("another slot says nothing of it").isEmpty();
        assertThat(honest.onMessage(1, PrincipalId.node(4), right)).isEmpty();
        assertThat(honest.outcome()).contains(false);

        SuspectCheck liar = new SuspectCheck(VOLUME, BLOCK, pin, 4, ExtentTiming.standard());
        liar.start(0);
        byte[] changed = ENCODED.fragments().get(4).toByteArray();
        changed[0]++;
        Found wrong = new Found(BLOCK, 1, ENCODED.checksum(), Bytes.of(changed), false);
        assertThat(liar.onMessage(1, PrincipalId.node(4), wrong))
                .singleElement()
                .isInstanceOfSatisfying(Effect.Evidence.class, seen -> {
                    assertThat(seen.verdict()).isEqualTo(Verdict.CORRUPT);
                    assertThat(seen.about()).isEqualTo(PrincipalId.node(4));
                });
        assertThat(liar.outcome()).contains(true);
    }
}
