package io.bulwark.protocol.fp;

import static org.assertj.core.api.Assertions.assertThat;

import io.bulwark.protocol.effect.Effect;
import io.bulwark.protocol.id.PrincipalId;
import io.bulwark.protocol.kernel.Timeouts;
import java.util.List;
import org.jspecify.annotations.NullMarked;
import org.junit.jupiter.api.Test;

/**
 * Tests the conditions that end the gathering of MACs at a node, here at slot 0 of four. It needs its own and two more,
 * or the report of a later version.
 */
@NullMarked
class RepairMacsTest {
    private static final Timeouts TIMES = new Timeouts(100, 300, 0, 20_000);

    private final LocalNodes nodes = new LocalNodes(1, 2);
    private final Timestamp version = new Timestamp(5, nodes.encode(1).fpcc());
    private boolean hurried;
    private final RepairMacs gathering =
            new RepairMacs(nodes.group, 0, version, TIMES, _ -> true, () -> hurried, false);

    private void prepareMac(int slot) {
        answer(
                slot,
                new FpMessage.RepairMac(
                        nodes.group.target(slot),
                        version.version(),
                        SampleMessages.filled(32, slot),
                        SampleMessages.filled(16, slot)));
    }

    private Timestamp committed(int slot, long ts) {
        Timestamp latest = new Timestamp(ts, nodes.encode(2).fpcc());
        answer(slot, new FpMessage.RepairAnswer(nodes.group.target(slot), latest));
        return latest;
    }

    private void answer(int slot, FpMessage message) {
        assertThat(gathering.onMessage(1, PrincipalId.node(slot), message)).isEmpty();
    }

    @Test
    void mPlusFWithTheOwn() {
        assertThat(gathering.start(0)).hasSize(3);
        prepareMac(0);
        prepareMac(3);
        prepareMac(3);
        assertThat(gathering.outcome()).isEmpty();
        prepareMac(1);
        assertThat(gathering.outcome())
                .hasValueSatisfying(outcome -> assertThat(outcome)
                        .isInstanceOfSatisfying(
                                RepairMacs.Outcome.Gathered.class,
                                gathered -> assertThat(gathered.prepares())
                                        .extracting(FpMessage.PrepareMac::slot)
                                        .containsExactly(1, 3)));
        assertThat(gathering.onTick(300)).isEmpty();
    }

    /** One alone may lie; of two the lower is the answer of a correct one, or less. */
    @Test
    void somethingLaterEndsItAtMoreThanF() {
        gathering.start(0);
        committed(1, 4);
        answer(2, new FpMessage.RepairAnswer(nodes.group.target(2), version));
        committed(1, 90);
        assertThat(gathering.outcome()).isEmpty();
        Timestamp lower = committed(2, 8);
        assertThat(gathering.outcome()).contains(new RepairMacs.Outcome.Superseded(lower));
    }

    @Test
    void oneThatSaysSoIsBelievedWhenTheOthersStaySilent() {
        gathering.start(0);
        Timestamp later = committed(1, 8);
        gathering.onTick(1_199);
        assertThat(gathering.outcome()).isEmpty();
        gathering.onTick(1_200);
        assertThat(gathering.outcome()).contains(new RepairMacs.Outcome.Superseded(later));
    }

    @Test
    void whoHasNotVouchedIsAskedAgainLessAndLessOftenUntilTimeIsUp() {
        gathering.start(50);
        prepareMac(1);
        assertThat(gathering.onTick(349)).isEmpty();
        assertThat(gathering.onTick(350))
                .hasSize(2)
                .allSatisfy(effect -> assertThat(((Effect.Send) effect).to()).isNotEqualTo(PrincipalId.node(1)));
        assertThat(gathering.onTick(650)).isEmpty();
        assertThat(gathering.onTick(950)).hasSize(2);
        assertThat(gathering.onTick(20_050)).isEqualTo(List.of());
        assertThat(gathering.outcome()).containsInstanceOf(RepairMacs.Outcome.TimedOut.class);
    }

    @Test
    void whereOthersWaitForAnotherVersionItIsTriedForAMomentOnly() {
        hurried = true;
        gathering.start(0);
        gathering.onTick(1_199);
        assertThat(gathering.outcome()).isEmpty();
        gathering.onTick(1_200);
        assertThat(gathering.outcome()).containsInstanceOf(RepairMacs.Outcome.TimedOut.class);
    }
}
