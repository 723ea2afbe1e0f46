package io.bulwark.protocol.epoch;

import static org.assertj.core.api.Assertions.assertThat;

import io.bulwark.protocol.cluster.Protocol;
import io.bulwark.protocol.fp.FpScrub;
import io.bulwark.protocol.id.BlockId;
import org.junit.jupiter.api.Test;

/**
 * Tests the requests of a node to its own servers of registers before it confirms an epoch, and the answers that it
 * accepts.
 */
class SettleTest {
    private static final BlockId BLOCK = BlockId.register(3, 1);

    @Test
    void theServerOfOneProtocolIsAsked() {
        Settle settle = new Settle(Protocol.PASIS, BLOCK, 2);
        assertThat(Settle.isFor(Protocol.PASIS, settle)).isTrue();
        assertThat(Settle.isFor(Protocol.FP, settle)).isFalse();
        assertThat(Settle.isFor(Protocol.FP, new FpScrub.Look(BLOCK))).isFalse();
    }

    @Test
    void aRegisterWasSeenToOnlyIfItsServerSaysSo() {
        assertThat(Settled.isDone(new Settled(BLOCK, true))).isTrue();
        assertThat(Settled.isDone(new Settled(BLOCK, false))).isFalse();
        assertThat(Settled.isDone(new Settle(Protocol.FP, BLOCK, 2))).isFalse();
        assertThat(Settled.isDone(null)).isFalse();
    }
}
