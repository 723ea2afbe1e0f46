package io.bulwark.protocol.bucket;

import static org.assertj.core.api.Assertions.assertThat;

import io.bulwark.protocol.bucket.ExtentFailure.Reason;
import io.bulwark.protocol.extent.ReadOutcome;
import io.bulwark.protocol.extent.StoreRefusal;
import io.bulwark.protocol.extent.WriteOutcome;
import io.bulwark.protocol.id.BlockId;
import io.bulwark.protocol.id.PrincipalId;
import io.bulwark.protocol.wire.Bytes;
import java.util.Map;
import org.junit.jupiter.api.Test;

class ExtentFailureTest {
    private static final BlockId BLOCK = new BlockId(1, PrincipalId.client(0), 1, 5);

    private static Reason reason(WriteOutcome outcome) {
        return ExtentFailure.of(BLOCK, outcome).reason();
    }

    private static Reason reason(ReadOutcome outcome) {
        return ExtentFailure.of(BLOCK, outcome).reason();
    }

    @Test
    void aWriteThatFailed() {
        Map<PrincipalId, StoreRefusal> both =
                Map.of(PrincipalId.node(0), StoreRefusal.LIMIT, PrincipalId.node(1), StoreRefusal.SESSION_CLOSED);
        assertThat(reason(new WriteOutcome.Refused(both))).isEqualTo(Reason.SESSION_CLOSED);
        assertThat(reason(new WriteOutcome.Refused(Map.of(PrincipalId.node(0), StoreRefusal.LIMIT))))
                .isEqualTo(Reason.LIMIT);
        assertThat(reason(new WriteOutcome.Refused(Map.of(PrincipalId.node(0), StoreRefusal.DEVICE_FAILED))))
                .isEqualTo(Reason.UNAVAILABLE);
        assertThat(reason(new WriteOutcome.NoSpace(Map.of()))).isEqualTo(Reason.NO_SPACE);
        assertThat(reason(new WriteOutcome.StaleMap(4))).isEqualTo(Reason.STALE_EPOCH);
        WriteOutcome silent = new WriteOutcome.Unavailable(Map.of(2, "silent", 0, "slow"));
        assertThat(ExtentFailure.of(BLOCK, silent).message()).endsWith("too few nodes: slow, silent");
        Map<PrincipalId, StoreRefusal> full = Map.of(
                PrincipalId.node(3), StoreRefusal.NO_SPACE,
                PrincipalId.node(1), StoreRefusal.NO_SPACE,
                PrincipalId.node(0), StoreRefusal.DEVICE_FAILED);
        assertThat(ExtentFailure.of(BLOCK, new WriteOutcome.NoSpace(full)).message())
                .endsWith(": node-0 answered DEVICE_FAILED, node-1 has no space, node-3 has no space");
    }

    @Test
    void aReadThatFailed() {
        assertThat(reason(new ReadOutcome.Whole(Bytes.EMPTY))).isEqualTo(Reason.INCOMPLETE);
        assertThat(reason(new ReadOutcome.Incomplete())).isEqualTo(Reason.INCOMPLETE);
        assertThat(reason(new ReadOutcome.Freed())).isEqualTo(Reason.FREED);
        assertThat(reason(new ReadOutcome.NotPermitted())).isEqualTo(Reason.NOT_PERMITTED);
        assertThat(reason(new ReadOutcome.StaleMap(4))).isEqualTo(Reason.STALE_EPOCH);
        assertThat(reason(new ReadOutcome.Unavailable(Map.of()))).isEqualTo(Reason.UNAVAILABLE);
        ReadOutcome decoded =
                new ReadOutcome.TooFewHolders(Map.of(3, "node-3 has not answered", 2, "node-2 has not answered"));
        assertThat(reason(decoded)).isEqualTo(Reason.TOO_FEW_HOLDERS);
        assertThat(ExtentFailure.of(BLOCK, decoded).message())
                .endsWith("its bytes can be read, but too few nodes hold it: node-2 has not answered, node-3 has not"
                        + " answered");
    }
}
