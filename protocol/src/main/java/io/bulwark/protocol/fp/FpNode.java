package io.bulwark.protocol.fp;

import io.bulwark.protocol.effect.Outbox;
import io.bulwark.protocol.id.BlockId;
import io.bulwark.protocol.id.PrincipalId;
import io.bulwark.protocol.kernel.SenderRates;
import io.bulwark.protocol.kernel.Timeouts;
import io.bulwark.protocol.mac.TagKeys;
import java.util.Map;
import java.util.function.LongConsumer;

/**
 * State that all blocks of a node share.
 *
 * @param times of the operations that a repair runs
 * @param closureRate rate at which each peer may have this node find out whether a session is closed
 * @param keptBy number of overwritten versions that are kept on each client's account
 * @param repairs reaches the other blocks
 */
record FpNode(
        TagKeys keys,
        FpLimits limits,
        Timeouts times,
        Outbox out,
        FpAccess access,
        StagedIndex index,
        SenderRates repairRate,
        SenderRates closureRate,
        Map<PrincipalId, Integer> keptBy,
        Repairs repairs) {
    /** Repairs another block of this node. */
    interface Repairs {
        /** Calls {@code then} in any case, also where nothing was begun. */
        void repair(long nowMillis, PrincipalId asker, BlockId block, LongConsumer then);
    }

    PrincipalId self() {
        return keys.self();
    }
}
