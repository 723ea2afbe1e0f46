package io.bulwark.protocol.extent;

import static org.assertj.core.api.Assertions.assertThat;

import io.bulwark.protocol.cluster.PlacementGroup;
import io.bulwark.protocol.cluster.ProtectionPolicy;
import io.bulwark.protocol.cluster.Volume;
import io.bulwark.protocol.cluster.VolumeKind;
import io.bulwark.protocol.effect.Effect;
import io.bulwark.protocol.effect.Verdict;
import io.bulwark.protocol.extent.ExtentMessage.Acknowledged;
import io.bulwark.protocol.extent.ExtentMessage.Found;
import io.bulwark.protocol.extent.ExtentMessage.Holds;
import io.bulwark.protocol.extent.ExtentMessage.NotFound;
import io.bulwark.protocol.extent.ExtentMessage.NotStored;
import io.bulwark.protocol.extent.ExtentMessage.ReadPinned;
import io.bulwark.protocol.extent.ExtentMessage.Supply;
import io.bulwark.protocol.extent.ExtentMessage.Suspect;
import io.bulwark.protocol.fingerprint.BlockCode;
import io.bulwark.protocol.fingerprint.Fpcc;
import io.bulwark.protocol.id.BlockId;
import io.bulwark.protocol.id.PrincipalId;
import io.bulwark.protocol.mutation.PlantedBug;
import io.bulwark.protocol.wire.Bytes;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Random;
import java.util.Set;
import org.jspecify.annotations.NullMarked;
import org.junit.jupiter.api.Test;

/** A reader sees that m+f slots hold what it returns: f = 1, m = 2, n = 4. */
@NullMarked
class ReadHoldersTest {
    private static final Bytes CONTENT = content();
    private static final BlockId BLOCK = LocalNode.block(1);
    private static final BlockCode CODE = BlockCode.ofAll(2, 4);
    private static final BlockCode.Encoded ENCODED = CODE.encode(CONTENT);
    private static final Bytes PIN = ENCODED.fpcc().pin();
    private static final Volume VOLUME = LocalNode.volume(1, List.of(0, 1, 2, 3));
    private static final ExtentTiming TIMING = ExtentTiming.standard();

    private final List<Effect> effects = new ArrayList<>();

    private static Bytes content() {
        byte[] bytes = new byte[100];
        new Random(1).nextBytes(bytes);
        return Bytes.of(bytes);
    }

    private static ExtentRead started(Set<Integer> askLast) {
        ExtentRead read = new ExtentRead(VOLUME, BLOCK, PIN, askLast, TIMING);
        read.start(0);
        return read;
    }

    private void answer(ExtentRead read, int node, ExtentMessage.Answer answer) {
        effects.addAll(read.onMessage(1, PrincipalId.node(node), answer));
    }

    private static Found found(int slot) {
        return new Found(BLOCK, 1, ENCODED.fpcc(), ENCODED.fragments().get(slot), true);
    }

    private static NotFound none() {
        return new NotFound(BLOCK, 1, ReadRefusal.NONE);
    }

    private static Effect handed(int slot) {
        return new Effect.Send(
                PrincipalId.node(slot),
                0,
                new Supply(BLOCK, 1, slot, ENCODED.fragments().get(slot), ENCODED.fpcc()));
    }

    private static ReadOutcome whole() {
        return new ReadOutcome.Whole(CONTENT);
    }

    @Test
    void aSlotThatLacksItIsHandedItsFragmentBeforeTheReadEnds() {
        ExtentRead read = started(Set.of());
        answer(read, 0, found(0));
        answer(read, 1, found(1));
        answer(read, 2, none());
        assertThat(effects).contains(handed(2));
        assertThat(read.outcome()).isEmpty();
        answer(read, 2, new Acknowledged(BLOCK, 2));
        assertThat(read.outcome()).as("an OK of another epoch").isEmpty();
        answer(read, 2, new Acknowledged(BLOCK, 1));
        assertThat(read.outcome()).contains(whole());
    }

    @Test
    void aReaderThatKnowsThePinHandsOutTheSameFragments() {
        VerifiedPins pins = new VerifiedPins(2);
        for (int round = 0; round < 2; round++) {
            assertThat(pins.contains(PIN)).isEqualTo(round > 0);
            ExtentRead read = new ExtentRead(VOLUME, BLOCK, PIN, Set.of(), TIMING).withVerified(pins);
            read.start(0);
            effects.clear();
            answer(read, 0, found(0));
            answer(read, 1, found(1));
            answer(read, 2, none());
            assertThat(effects).contains(handed(2));
            answer(read, 2, new Acknowledged(BLOCK, 1));
            assertThat(read.outcome()).contains(whole());
        }
        pins.add(Bytes.of((byte) 1));
        pins.add(Bytes.of((byte) 2));
        assertThat(pins.contains(PIN)).as("forgotten").isFalse();
    }

    @Test
    void anotherSlotThatHoldsItIsAsGood() {
        ExtentRead read = started(Set.of());
        answer(read, 2, none());
        answer(read, 0, found(0));
        answer(read, 1, found(1));
        answer(read, 3, new Holds(BLOCK, 1));
        assertThat(read.outcome()).contains(whole());
    }

    /** The two may be one holder and one liar: then nobody could read it later. */
    @PlantedBug(
            in = ExtentRead.class,
            rule = "a read ends once m+f slots hold what it returns",
            replace = "if (holders() >= holdersWanted || isKnownDelivered()",
            with = "if (holders() >= holdersWanted - 1 || isKnownDelivered()")
    @Test
    void whatFewerThanEnoughSlotsHoldIsNotReturned() {
        for (Set<Integer> askLast : List.of(Set.<Integer>of(), Set.of(2, 3))) {
            ExtentRead read = started(askLast);
            answer(read, 0, found(0));
            answer(read, 1, found(1));
            for (long now = 0; now < TIMING.deadlineMillis(); now += 500) {
                effects.addAll(read.onTick(now));
                assertThat(read.outcome()).isEmpty();
            }
            effects.addAll(read.onTick(TIMING.deadlineMillis()));
            assertThat(read.outcome())
                    .contains(new ReadOutcome.TooFewHolders(
                            Map.of(2, "node-2 has not answered", 3, "node-3 has not answered")));
            assertThat(read.isFinished()).isTrue();
        }
    }

    /** Found by a campaign: seed 1795965058925 of the protocol extent, f = 1. */
    @Test
    void anEarlierYesIsNoAnswerToTheRequestForTheFragment() {
        ExtentRead read = started(Set.of());
        answer(read, 2, new Holds(BLOCK, 1));
        answer(read, 0, none());
        answer(read, 3, new Holds(BLOCK, 1));
        answer(read, 1, found(1));
        effects.addAll(read.onTick(TIMING.retryMillis()));
        answer(read, 0, none());
        answer(read, 2, new Holds(BLOCK, 1));
        answer(read, 3, new Holds(BLOCK, 1));
        assertThat(read.outcome())
                .as("slots 2 and 3 are asked for their fragments")
                .isEmpty();
        answer(read, 3, found(3));
        assertThat(read.outcome()).contains(whole());
    }

    @Test
    void aSilentSlotIsReplacedByAnotherThatHoldsIt() {
        ExtentRead read = started(Set.of());
        answer(read, 0, found(0));
        answer(read, 1, found(1));
        effects.addAll(read.onTick(TIMING.hedgeMillis()));
        assertThat(read.outcome()).as("slot 3 is asked in place of slot 2").isEmpty();
        answer(read, 3, new Holds(BLOCK, 1));
        assertThat(read.outcome()).contains(whole());
    }

    @Test
    void aSlotThatRefusesItsFragmentIsReplacedByAnother() {
        ExtentRead read = started(Set.of());
        answer(read, 0, found(0));
        answer(read, 1, found(1));
        answer(read, 2, none());
        answer(read, 2, new NotStored(BLOCK, 1, StoreRefusal.OTHER_CONTENT));
        assertThat(read.outcome()).as("slot 3 is asked").isEmpty();
        answer(read, 3, none());
        assertThat(effects).contains(handed(3));
        answer(read, 3, new NotStored(BLOCK, 1, StoreRefusal.LIMIT));
        assertThat(read.outcome()).as("LIMIT passes").isEmpty();
        effects.clear();
        effects.addAll(read.onTick(1 + TIMING.retryMillis()));
        assertThat(effects).contains(handed(3));
        answer(read, 3, new Acknowledged(BLOCK, 1));
        assertThat(read.outcome()).contains(whole());
    }

    /** With f = 2: it was asked twice whether it holds it, and its first answer comes last. */
    @Test
    void aRefusalThatComesAfterTheOkIsAnEarlierOne() {
        Volume wide = new Volume(
                1,
                "v",
                VolumeKind.OBJECT,
                new ProtectionPolicy(2, 3, 7, 4096),
                0,
                List.of(new PlacementGroup(1, List.of(0, 1, 2, 3, 4, 5, 6))));
        BlockCode.Encoded encoded = BlockCode.ofAll(3, 7).encode(Bytes.of(new byte[120]));
        ExtentRead read = new ExtentRead(wide, BLOCK, encoded.fpcc().pin(), Set.of(), TIMING);
        read.start(0);
        for (int slot = 0; slot < 3; slot++) {
            answer(
                    read,
                    slot,
                    new Found(BLOCK, 1, encoded.fpcc(), encoded.fragments().get(slot), true));
        }
        answer(read, 3, none());
        answer(read, 3, new Acknowledged(BLOCK, 1));
        answer(read, 3, none());
        assertThat(read.outcome()).isEmpty();
        answer(read, 4, new Holds(BLOCK, 1));
        assertThat(read.outcome()).isPresent();
    }

    /** Extent campaign, seed 12509870804: who had said that it holds it was not asked again, and the read had no end. */
    @Test
    void whatIsFreedWhileHoldersAreAwaitedIsFreed() {
        ExtentRead read = started(Set.of());
        answer(read, 0, found(0));
        answer(read, 1, found(1));
        answer(read, 2, new NotFound(BLOCK, 1, ReadRefusal.FREED));
        effects.clear();
        effects.addAll(read.onTick(1 + TIMING.retryMillis()));
        assertThat(effects).contains(new Effect.Send(PrincipalId.node(0), 0, new ReadPinned(BLOCK, 1, 0, PIN, false)));
        assertThat(read.outcome()).isEmpty();
        answer(read, 0, new NotFound(BLOCK, 1, ReadRefusal.FREED));
        assertThat(read.outcome()).contains(new ReadOutcome.Freed());
    }

    @Test
    void anEpochThatIsOverIsHeardOfByThoseThatHoldIt() {
        ExtentRead read = started(Set.of());
        answer(read, 0, found(0));
        answer(read, 1, found(1));
        answer(read, 2, none());
        answer(read, 2, new NotStored(BLOCK, 2, StoreRefusal.WRONG_EPOCH));
        effects.addAll(read.onTick(1 + TIMING.retryMillis()));
        assertThat(read.outcome()).isEmpty();
        answer(read, 1, new NotFound(BLOCK, 2, ReadRefusal.WRONG_EPOCH));
        assertThat(read.outcome()).contains(new ReadOutcome.StaleMap(2));
    }

    @PlantedBug(
            in = ExtentRead.class,
            rule = "a read returns only what any slot can be handed",
            replace = "if (policy.checksFragments() && !encodes(good, whole)) {",
            with = "if (policy.checksFragments() && encodes(good, whole) && content != null) {")
    @Test
    void whereHashesBelongToNoBlockTheReadSaysPoisonous() {
        List<Bytes> mixed = new ArrayList<>(ENCODED.fragments());
        mixed.set(3, mixed.get(2));
        Fpcc poison = Fpcc.of(CODE.erasureCode(), 2, mixed);
        VerifiedPins pins = new VerifiedPins(2);
        ExtentRead read = new ExtentRead(VOLUME, BLOCK, poison.pin(), Set.of(), TIMING).withVerified(pins);
        read.start(0);
        for (int slot = 0; slot < 2; slot++) {
            answer(read, slot, new Found(BLOCK, 1, poison, mixed.get(slot), true));
        }
        assertThat(read.outcome()).contains(new ReadOutcome.Poisonous());
        assertThat(pins.contains(poison.pin())).isFalse();
        assertThat(effects)
                .anySatisfy(effect -> assertThat(effect).isInstanceOfSatisfying(Effect.Evidence.class, seen -> {
                    assertThat(seen.verdict()).isEqualTo(Verdict.POISONOUS);
                    assertThat(seen.about()).isEqualTo(LocalNode.OWNER);
                }));
        assertThat(effects)
                .as("each holder is told to look at its own")
                .filteredOn(effect -> effect instanceof Effect.Send send && send.message() instanceof Suspect)
                .hasSize(4);
    }

    /** Extent campaign, seed 1795928772087: who had found out was accused by those who had not. */
    @Test
    void whoSaysPoisonousIsCheckedBeforeItIsAccused() {
        ExtentRead valid = started(Set.of());
        answer(valid, 0, found(0));
        answer(valid, 1, found(1));
        answer(valid, 2, new NotFound(BLOCK, 1, ReadRefusal.POISONOUS));
        assertThat(valid.verdicts()).containsEntry(2, Verdict.MISBEHAVED);
        List<Bytes> mixed = new ArrayList<>(ENCODED.fragments());
        mixed.set(3, mixed.get(2));
        Fpcc poison = Fpcc.of(CODE.erasureCode(), 2, mixed);
        ExtentRead read = new ExtentRead(VOLUME, BLOCK, poison.pin(), Set.of(), TIMING);
        read.start(0);
        for (int slot = 0; slot < 2; slot++) {
            answer(read, slot, new Found(BLOCK, 1, poison, mixed.get(slot), true));
        }
        answer(read, 2, new NotFound(BLOCK, 1, ReadRefusal.POISONOUS));
        assertThat(read.outcome()).contains(new ReadOutcome.Poisonous());
        assertThat(read.verdicts()).isEmpty();
    }

    @Test
    void whereNodesAreInALaterEpochTheReadBeginsAgain() {
        ExtentRead read = started(Set.of());
        answer(read, 0, found(0));
        answer(read, 1, found(1));
        answer(read, 2, new NotFound(BLOCK, 2, ReadRefusal.WRONG_EPOCH));
        assertThat(read.outcome()).isEmpty();
        answer(read, 3, new NotFound(BLOCK, 2, ReadRefusal.WRONG_EPOCH));
        assertThat(read.outcome()).contains(new ReadOutcome.StaleMap(2));
    }

    @Test
    void aNodeThatMakesItsFragmentHandsOutOthersAndWaitsForNobody() {
        ExtentRepair repair = new ExtentRepair(VOLUME, BLOCK, 0, PIN, true, TIMING);
        effects.addAll(repair.start(0));
        effects.addAll(repair.onMessage(1, PrincipalId.node(1), none()));
        effects.addAll(repair.onMessage(1, PrincipalId.node(2), found(2)));
        effects.addAll(repair.onMessage(1, PrincipalId.node(3), found(3)));
        assertThat(effects).contains(handed(1));
        assertThat(repair.outcome())
                .contains(new RepairOutcome.Rebuilt(
                        ENCODED.fpcc(), ENCODED.fragments().getFirst()));
        assertThat(repair.isFinished()).isTrue();
    }
}
