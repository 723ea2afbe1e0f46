package io.bulwark.protocol.epoch;

import static org.assertj.core.api.Assertions.assertThat;

import io.bulwark.protocol.cluster.Protocol;
import io.bulwark.protocol.id.BlockId;
import io.bulwark.protocol.kernel.ScrubMessage;
import org.junit.jupiter.api.Test;

/**
 * Tests the requests of a node to its own servers of registers before it confirms an epoch, and the answers that it
 * accepts.
 */
class SettleRequestTest {
    private static final BlockId BLOCK = BlockId.register(3, 1);

    @Test
    void theServerOfOneProtocolIsAsked() {
        SettleRequest settle = new SettleRequest(Protocol.PASIS, BLOCK, 2);
        assertThat(SettleRequest.isFor(Protocol.PASIS, settle)).isTrue();
        assertThat(SettleRequest.isFor(Protocol.FP, settle)).isFalse();
        assertThat(SettleRequest.isFor(Protocol.FP, new ScrubMessage.ScrubRequest(BLOCK)))
                .isFalse();
    }

    @Test
    void aRegisterWasSeenToOnlyIfItsServerSaysSo() {
        assertThat(SettleAnswer.isDone(new SettleAnswer(BLOCK, true))).isTrue();
        assertThat(SettleAnswer.isDone(new SettleAnswer(BLOCK, false))).isFalse();
        assertThat(SettleAnswer.isDone(new SettleRequest(Protocol.FP, BLOCK, 2)))
                .isFalse();
        assertThat(SettleAnswer.isDone(null)).isFalse();
    }
}
