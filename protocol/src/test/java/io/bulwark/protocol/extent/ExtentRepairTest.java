package io.bulwark.protocol.extent;

import static org.assertj.core.api.Assertions.assertThat;

import io.bulwark.protocol.cluster.Volume;
import io.bulwark.protocol.effect.Effect;
import io.bulwark.protocol.extent.ExtentMessage.Found;
import io.bulwark.protocol.extent.ExtentMessage.NotFound;
import io.bulwark.protocol.fingerprint.BlockCode;
import io.bulwark.protocol.id.BlockId;
import io.bulwark.protocol.id.PrincipalId;
import io.bulwark.protocol.wire.Bytes;
import java.util.ArrayList;
import java.util.List;
import org.jspecify.annotations.NullMarked;
import org.junit.jupiter.api.Test;

/** Tests the conclusions of a node, at slot 0, from the other slots. */
@NullMarked
class ExtentRepairTest {
    private static final Volume VOLUME = LocalNode.volume(1, List.of(0, 1, 2, 3));
    private static final BlockId BLOCK = LocalNode.block(1);
    private static final BlockCode.Encoded ENCODED = BlockCode.ofAll(2, 4).encode(Bytes.of(new byte[100]));

    private final ExtentRepair repair = repair(true);
    private final List<Effect> effects = new ArrayList<>(repair.start(0));

    private static ExtentRepair repair(boolean neverStored) {
        return new ExtentRepair(VOLUME, BLOCK, 0, ENCODED.fpcc().pin(), neverStored, ExtentTiming.standard());
    }

    private void answer(int slot, ExtentMessage.Answer answer) {
        effects.addAll(repair.onMessage(1, PrincipalId.node(slot), answer));
    }

    private void refuse(int slot, ReadRefusal reason) {
        answer(slot, new NotFound(BLOCK, 1, reason));
    }

    @Test
    void mOtherSlotsGiveTheOwnFragment() {
        for (int slot = 1; slot <= 2; slot++) {
            assertThat(repair.isFinished()).isFalse();
            assertThat(repair.outcome()).isEmpty();
            answer(slot, new Found(BLOCK, 1, ENCODED.fpcc(), ENCODED.fragments().get(slot), true));
        }
        Bytes own = ENCODED.fragments().getFirst();
        assertThat(repair.outcome()).contains(new RepairOutcome.Rebuilt(ENCODED.fpcc(), own));
        assertThat(repair.isFinished()).isTrue();
        assertThat(effects).hasSize(2).noneMatch(effect -> to(effect).equals(PrincipalId.node(0)));
    }

    @Test
    void silentSlotsAreAskedAgainAndReplaced() {
        effects.clear();
        effects.addAll(repair.onTick(ExtentTiming.standard().retryMillis()));
        assertThat(effects.stream().map(ExtentRepairTest::to))
                .contains(PrincipalId.node(1), PrincipalId.node(2), PrincipalId.node(3));
    }

    /** With this node there are 2f + 1 that never stored it. */
    @Test
    void incompleteAtTwoOthersAndTheNodeItself() {
        refuse(1, ReadRefusal.NONE);
        assertThat(repair.outcome()).isEmpty();
        refuse(2, ReadRefusal.NONE);
        assertThat(repair.outcome()).contains(new RepairOutcome.Incomplete());
        assertThat(repair.isFinished()).isTrue();
    }

    @Test
    void freedAtMoreThanF() {
        refuse(1, ReadRefusal.FREED);
        assertThat(repair.outcome()).isEmpty();
        refuse(2, ReadRefusal.FREED);
        assertThat(repair.outcome()).contains(new RepairOutcome.Freed());
    }

    @Test
    void aLaterEpochOrARefusalOrTimeEndsItWithoutAResult() {
        answer(1, new NotFound(BLOCK, 5, ReadRefusal.WRONG_EPOCH));
        answer(2, new NotFound(BLOCK, 5, ReadRefusal.WRONG_EPOCH));
        assertThat(repair.outcome()).containsInstanceOf(RepairOutcome.Unavailable.class);
        ExtentRepair denied = repair(false);
        denied.start(0);
        denied.onMessage(1, PrincipalId.node(1), new NotFound(BLOCK, 1, ReadRefusal.NOT_PERMITTED));
        denied.onMessage(1, PrincipalId.node(2), new NotFound(BLOCK, 1, ReadRefusal.NOT_PERMITTED));
        assertThat(denied.outcome()).containsInstanceOf(RepairOutcome.Unavailable.class);
        ExtentRepair silent = repair(false);
        silent.start(0);
        silent.onTick(ExtentTiming.standard().deadlineMillis());
        assertThat(silent.outcome()).containsInstanceOf(RepairOutcome.Unavailable.class);
    }

    private static PrincipalId to(Effect effect) {
        return effect instanceof Effect.Send send ? send.to() : PrincipalId.NOBODY;
    }
}
