package io.bulwark.protocol.extent;

import static org.assertj.core.api.Assertions.assertThat;

import io.bulwark.protocol.cluster.PlacementGroup;
import io.bulwark.protocol.cluster.ProtectionPolicy;
import io.bulwark.protocol.cluster.Volume;
import io.bulwark.protocol.cluster.VolumeKind;
import io.bulwark.protocol.effect.Effect;
import io.bulwark.protocol.fingerprint.BlockCode;
import io.bulwark.protocol.id.BlockId;
import io.bulwark.protocol.id.PrincipalId;
import io.bulwark.protocol.wire.Bytes;
import java.util.List;
import java.util.Set;
import org.jspecify.annotations.NullMarked;
import org.junit.jupiter.api.Test;

/**
 * Tests that a slot is late if others are not, but not if the cluster is busy: it is reported as late, and a read asks
 * another one.
 */
@NullMarked
class SlowSlotsTest {
    private static final ExtentTiming TIMING = new ExtentTiming(500, 2_000, 60_000, 10_000);
    private static final long EPOCH = 1;

    private final Volume volume = new Volume(
            1,
            "v",
            VolumeKind.OBJECT,
            new ProtectionPolicy(1, 2, 4, 4096),
            0,
            List.of(new PlacementGroup(EPOCH, List.of(0, 1, 2, 3))));
    private final BlockId block = new BlockId(1, PrincipalId.client(0), 1, 1);

    private ExtentWrite started() {
        ExtentWrite write = new ExtentWrite(volume, block, Bytes.of(new byte[100]), TIMING);
        assertThat(write.start(0)).hasSize(4);
        write.onMessage(5, PrincipalId.node(3), new ExtentMessage.NotStored(block, EPOCH, StoreRefusal.LIMIT));
        return write;
    }

    private void stored(ExtentWrite write, long nowMillis, int node) {
        assertThat(write.onMessage(nowMillis, PrincipalId.node(node), new ExtentMessage.Acknowledged(block, EPOCH)))
                .isEmpty();
    }

    private static long late(List<Effect> effects) {
        return effects.stream().filter(Effect.Evidence.class::isInstance).count();
    }

    @Test
    void oneThatIsSilentWhileOthersAnswerIsSoonLate() {
        ExtentWrite write = started();
        stored(write, 5, 0);
        stored(write, 7, 2);
        assertThat(write.onTick(499)).isEmpty();
        List<Effect> effects = write.onTick(500);
        assertThat(late(effects)).isEqualTo(1);
        assertThat(effects)
                .anySatisfy(effect -> assertThat(effect)
                        .isInstanceOfSatisfying(
                                Effect.Evidence.class,
                                seen -> assertThat(seen.about()).isEqualTo(PrincipalId.node(1))));
    }

    @Test
    void whenMoreThanFAreSilentNoneIsLateBeforeTheTimeOfARetry() {
        ExtentWrite write = started();
        stored(write, 5, 0);
        assertThat(write.onTick(1_999)).isEmpty();
        assertThat(late(write.onTick(2_000))).isEqualTo(2);
    }

    @Test
    void whoTakesLittleLongerThanTheOthersIsNotLate() {
        ExtentWrite write = started();
        stored(write, 400, 0);
        stored(write, 450, 1);
        assertThat(write.onTick(1_349)).isEmpty();
        assertThat(late(write.onTick(1_350))).isEqualTo(1);
    }

    @Test
    void aReadAsksAnotherSlotByTheSameRule() {
        ExtentRead read = new ExtentRead(volume, block, Bytes.of(new byte[32]), Set.of(), TIMING);
        assertThat(read.start(0)).hasSize(3);
        assertThat(read.onTick(1_999)).isEmpty();
        List<Effect> effects = read.onTick(2_000);
        assertThat(late(effects)).isEqualTo(3);
        assertThat(effects)
                .anySatisfy(effect -> assertThat(effect)
                        .isInstanceOfSatisfying(
                                Effect.Send.class, send -> assertThat(send.to()).isEqualTo(PrincipalId.node(3))));
    }

    @Test
    void whileConnectionsMoveNobodyIsLate() {
        ExtentWrite write = started();
        ExtentRead read = new ExtentRead(volume, block, Bytes.of(new byte[32]), Set.of(), TIMING);
        assertThat(read.start(0)).hasSize(3);
        for (long now = 0; now < 10_000; now += 50) {
            for (int node = 0; node < 3; node++) {
                write.onMoving(PrincipalId.node(node), now);
                read.onMoving(PrincipalId.node(node), now);
            }
            assertThat(late(write.onTick(now))).isZero();
            assertThat(read.onTick(now)).noneMatch(Effect.Evidence.class::isInstance);
        }
        // from 9,950 on nothing moves
        assertThat(late(write.onTick(11_949))).isZero();
        assertThat(late(write.onTick(11_950))).isEqualTo(3);
        assertThat(read.onTick(11_950)).anyMatch(Effect.Evidence.class::isInstance);
    }

    @Test
    void aLiarThatKeepsItsConnectionMovingIsLateOnceTheOthersHaveAnswered() {
        ExtentWrite write = started();
        write.onMoving(PrincipalId.node(1), 499);
        stored(write, 5, 0);
        stored(write, 7, 2);
        assertThat(late(write.onTick(500))).isEqualTo(1);
    }

    @Test
    void nobodyIsWaitedForWithoutEndBecauseItsConnectionMoves() {
        ExtentWrite write = started();
        for (int node = 0; node < 3; node++) {
            write.onMoving(PrincipalId.node(node), 15_999);
        }
        assertThat(late(write.onTick(15_999))).isZero();
        assertThat(late(write.onTick(16_000))).isEqualTo(3);
    }

    /** A liar's repeated answer about something else is no measure of the time that the others took. */
    @Test
    void aLiarThatSaysSomethingElseIsNoMeasureOfTheOthers() {
        ExtentWrite write = started();
        stored(write, 5, 0);
        stored(write, 7, 2);
        write.onMoving(PrincipalId.node(1), 489);
        write.onMessage(490, PrincipalId.node(1), new ExtentMessage.NotFound(block, EPOCH, ReadRefusal.NONE));
        assertThat(late(write.onTick(500))).isEqualTo(1);
    }

    /** With f = 2: one refuses again and again, and another one keeps its connection moving. */
    @Test
    void whoRefusesAgainAndAgainIsMeasuredOnce() {
        ExtentWrite write = new ExtentWrite(wide(), block, Bytes.of(new byte[100]), TIMING);
        assertThat(write.start(0)).hasSize(7);
        for (int node = 5; node < 7; node++) {
            write.onMessage(5, PrincipalId.node(node), new ExtentMessage.NotStored(block, EPOCH, StoreRefusal.LIMIT));
        }
        for (int node = 0; node < 3; node++) {
            stored(write, 5, node);
        }
        for (long now = 10; now < 500; now += 10) {
            write.onMoving(PrincipalId.node(4), now);
            write.onMessage(now, PrincipalId.node(3), new ExtentMessage.NotStored(block, EPOCH, StoreRefusal.LIMIT));
        }
        assertThat(late(write.onTick(500))).isEqualTo(1);
    }

    /** The same of a read. */
    @Test
    void whoRefusesAReadAgainAndAgainIsMeasuredOnce() {
        Volume wide = wide();
        BlockCode.Encoded encoded =
                BlockCode.ofAll(3, 7).encode(Bytes.of(new byte[3 * wide.policy().fragmentBytes(100)]));
        ExtentRead read = new ExtentRead(wide, block, encoded.fpcc().pin(), Set.of(), TIMING);
        assertThat(read.start(0)).hasSize(5);
        for (long now = 10; now < 500; now += 10) {
            for (int slot = 2; slot < 4; slot++) {
                Bytes fragment = encoded.fragments().get(slot);
                read.onMessage(
                        now,
                        PrincipalId.node(slot),
                        new ExtentMessage.Found(block, EPOCH, encoded.fpcc(), fragment, true));
            }
            for (int slot = 4; slot < 6; slot++) {
                read.onMessage(now, PrincipalId.node(slot), new ExtentMessage.Holds(block, EPOCH));
            }
            read.onMoving(PrincipalId.node(1), now);
            read.onMessage(now, PrincipalId.node(0), new ExtentMessage.NotFound(block, EPOCH, ReadRefusal.NONE));
        }
        assertThat(read.onTick(500))
                .anySatisfy(effect -> assertThat(effect)
                        .isInstanceOfSatisfying(
                                Effect.Evidence.class,
                                seen -> assertThat(seen.about()).isEqualTo(PrincipalId.node(1))));
    }

    private static Volume wide() {
        PlacementGroup group = new PlacementGroup(EPOCH, List.of(0, 1, 2, 3, 4, 5, 6));
        return new Volume(1, "v", VolumeKind.OBJECT, new ProtectionPolicy(2, 3, 7, 4096), 0, List.of(group));
    }
}
