package io.bulwark.protocol.fp;

import io.bulwark.protocol.kernel.RetryTimer;
import io.bulwark.protocol.kernel.Timeouts;
import org.jspecify.annotations.Nullable;

/** One node's part in a write. */
final class WriteMember {
    final int slot;
    final RetryTimer retryTimer;

    /** PREPARE_BLOCK instead of PREPARE_FRAGMENT (line 1107). */
    boolean wholeBlock;

    boolean engaged;

    /** The ts of the last PREPARE, unsigned; 0 for none. */
    long askedTs;

    /** Timestamp that this slot reports: its first answer to a PREPARE without ts, unsigned; 0 while there is none. */
    long said;

    /** The first prepare without ts. */
    FpMessage.@Nullable Prepared first;

    /** The answer at the chosen timestamp. */
    FpMessage.@Nullable Prepared atChosen;

    /** Number of prepares that the last COMMIT carried; 0 if none was sent. */
    int commitWith;

    /** True while the slot is asked for its MACs again, as another has refused the earlier ones. */
    boolean renewing;

    /** True once MACs for the slot have come that differ from those it refused. */
    boolean renewed;

    boolean committed;

    /** Reason why the node refused the last request. */
    @Nullable
    FpRefusal refusal;

    long refusedEpoch;

    WriteMember(int slot, boolean wholeBlock, Timeouts times) {
        this.slot = slot;
        this.wholeBlock = wholeBlock;
        this.retryTimer = new RetryTimer(times);
    }

    boolean isCommitting() {
        return commitWith > 0;
    }

    /** Returns whether the node may still help to complete the write without being waited for. */
    boolean canStillHelp(long nowMillis) {
        return committed || (engaged && refusal == null && !retryTimer.isSlow(nowMillis));
    }
}
