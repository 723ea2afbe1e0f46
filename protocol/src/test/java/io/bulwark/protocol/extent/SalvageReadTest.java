package io.bulwark.protocol.extent;

import static org.assertj.core.api.Assertions.assertThat;

import io.bulwark.protocol.cluster.Volume;
import io.bulwark.protocol.effect.Effect;
import io.bulwark.protocol.extent.ExtentMessage.Acknowledged;
import io.bulwark.protocol.extent.ExtentMessage.Found;
import io.bulwark.protocol.extent.ExtentMessage.NotFound;
import io.bulwark.protocol.extent.ExtentMessage.Supply;
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

/** A salvage read returns what m slots give, though m+f do not hold it: f = 1, m = 2, n = 4. */
@NullMarked
class SalvageReadTest {
    private static final Bytes CONTENT = content();
    private static final BlockId BLOCK = LocalNode.block(1);
    private static final BlockCode CODE = BlockCode.ofAll(2, 4);
    private static final BlockCode.Encoded ENCODED = CODE.encode(CONTENT);
    private static final Bytes PIN = ENCODED.fpcc().pin();
    private static final Volume VOLUME = LocalNode.volume(1, List.of(0, 1, 2, 3));
    private static final ExtentTiming TIMING = ExtentTiming.standard();
    private static final ReadOutcome WHOLE = new ReadOutcome.Whole(CONTENT);

    private final List<Effect> effects = new ArrayList<>();

    private static Bytes content() {
        byte[] bytes = new byte[100];
        new Random(1).nextBytes(bytes);
        return Bytes.of(bytes);
    }

    private static ExtentRead started(Bytes pin, Set<Integer> doubted) {
        ExtentRead read = new ExtentRead(VOLUME, BLOCK, pin, doubted, TIMING).withSalvage();
        read.start(0);
        return read;
    }

    private void answer(ExtentRead read, int node, ExtentMessage.Answer answer) {
        effects.addAll(read.onMessage(1, PrincipalId.node(node), answer));
    }

    private static Found found(int slot) {
        return new Found(BLOCK, 1, ENCODED.fpcc(), ENCODED.fragments().get(slot), true);
    }

    private static NotFound refusal(ReadRefusal reason) {
        return new NotFound(BLOCK, 1, reason);
    }

    @PlantedBug(
            in = ExtentRead.class,
            rule = "only a salvage read returns what fewer than m+f slots hold",
            replace = "if (outcome == null && salvage && isSalvageDue(nowMillis)) {",
            with = "if (outcome == null && isSalvageDue(nowMillis)) {")
    @Test
    void anOrdinaryReadDoesNotSalvage() {
        ExtentRead read = new ExtentRead(VOLUME, BLOCK, PIN, Set.of(2, 3), TIMING);
        read.start(0);
        answer(read, 0, found(0));
        answer(read, 1, found(1));
        assertThat(read.outcome()).isEmpty();
        effects.addAll(read.onTick(TIMING.deadlineMillis() - 1));
        assertThat(read.outcome()).isEmpty();
        effects.addAll(read.onTick(TIMING.deadlineMillis()));
        assertThat(read.outcome())
                .contains(new ReadOutcome.TooFewHolders(
                        Map.of(2, "node-2 has not answered", 3, "node-3 has not answered")));
    }

    @Test
    void whereMoreThanFWereKnownToBeAwayNobodyIsAwaited() {
        ExtentRead read = started(PIN, Set.of(1, 3));
        answer(read, 0, found(0));
        assertThat(read.outcome()).isEmpty();
        answer(read, 2, found(2));
        assertThat(read.outcome()).contains(WHOLE);
        assertThat(read.isFinished()).isTrue();
    }

    @Test
    void slotsThatAreSilentAreAwaitedForTheTimeOfARetry() {
        ExtentRead read = started(PIN, Set.of());
        answer(read, 0, found(0));
        answer(read, 1, found(1));
        effects.addAll(read.onTick(TIMING.retryMillis()));
        assertThat(read.outcome()).as("slot 3 may still hold it").isEmpty();
        effects.addAll(read.onTick(1 + TIMING.retryMillis()));
        assertThat(read.outcome()).contains(WHOLE);
    }

    /** With f slots away or fewer m+f can still hold it: then nothing is given up. */
    @PlantedBug(
            in = ExtentRead.class,
            rule = "a salvage read waits for m+f holders unless more than f slots are away",
            replace = "return away > policy.f() || nowMillis",
            with = "return away >= policy.f() || nowMillis")
    @Test
    void whereOnlyFSlotsAreAwayTheOtherIsHandedItsFragment() {
        ExtentRead read = started(PIN, Set.of(3));
        answer(read, 0, found(0));
        answer(read, 1, found(1));
        assertThat(read.outcome()).isEmpty();
        answer(read, 2, refusal(ReadRefusal.NONE));
        assertThat(effects)
                .contains(new Effect.Send(
                        PrincipalId.node(2),
                        0,
                        new Supply(BLOCK, 1, 2, ENCODED.fragments().get(2), ENCODED.fpcc())));
        assertThat(read.outcome()).isEmpty();
        answer(read, 2, new Acknowledged(BLOCK, 1));
        assertThat(read.outcome()).contains(WHOLE);
    }

    @Test
    void aSlotThatIsDamagedIsAway() {
        ExtentRead read = started(PIN, Set.of(3));
        answer(read, 0, found(0));
        answer(read, 1, refusal(ReadRefusal.DAMAGED));
        answer(read, 2, found(2));
        assertThat(read.outcome()).contains(WHOLE);
    }

    @Test
    void fragmentsThatDoNotMatchThePinAreNoneOfItsFragments() {
        BlockCode.Encoded other = CODE.encode(Bytes.of(new byte[100]));
        ExtentRead read = started(PIN, Set.of(0, 3));
        answer(read, 1, found(1));
        answer(read, 2, new Found(BLOCK, 1, other.fpcc(), other.fragments().get(2), true));
        answer(read, 3, new Found(BLOCK, 1, ENCODED.fpcc(), other.fragments().get(3), true));
        for (long now = 0; now < TIMING.deadlineMillis(); now += 500) {
            effects.addAll(read.onTick(now));
            assertThat(read.outcome()).isEmpty();
        }
        effects.addAll(read.onTick(TIMING.deadlineMillis()));
        assertThat(read.outcome()).containsInstanceOf(ReadOutcome.Unavailable.class);
    }

    @Test
    void aBlockThatDoesNotEncodeToAllHashesIsPoisonous() {
        List<Bytes> mixed = new ArrayList<>(ENCODED.fragments());
        mixed.set(3, mixed.get(2));
        Fpcc poison = Fpcc.of(CODE.erasureCode(), 2, mixed);
        ExtentRead read = started(poison.pin(), Set.of(2, 3));
        for (int slot = 0; slot < 2; slot++) {
            answer(read, slot, new Found(BLOCK, 1, poison, mixed.get(slot), true));
        }
        assertThat(read.outcome()).contains(new ReadOutcome.Poisonous());
    }

    @Test
    void fewerThanMFragmentsAreNotSalvaged() {
        ExtentRead read = started(PIN, Set.of(1, 2, 3));
        answer(read, 0, found(0));
        effects.addAll(read.onTick(TIMING.deadlineMillis() - 1));
        assertThat(read.outcome()).isEmpty();
        effects.addAll(read.onTick(TIMING.deadlineMillis()));
        assertThat(read.outcome()).containsInstanceOf(ReadOutcome.Unavailable.class);
    }
}
