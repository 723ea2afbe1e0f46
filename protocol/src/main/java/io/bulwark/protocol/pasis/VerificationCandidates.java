package io.bulwark.protocol.pasis;

import io.bulwark.protocol.cluster.Verification;
import io.bulwark.protocol.id.BlockId;
import java.util.List;
import org.jspecify.annotations.Nullable;

/**
 * Announcement to the scheduler of blocks with possible versions that it does not know. After a restart these are the
 * blocks found, once the volume is known. They are all blocks again after the scheduler has dropped some for lack of
 * room. Each step handles a bounded number of blocks, without loading them.
 */
final class VerificationCandidates {
    static final int STEP_BLOCKS = 1_024;

    private final PasisNode node;
    private @Nullable BlockId next;
    private long forgotten;

    VerificationCandidates(PasisNode node) {
        this.node = node;
    }

    /** All blocks are told, from the first on. */
    void begin() {
        next = BlockId.register(0, 0);
    }

    void step(long nowMillis) {
        long wanted = node.watch().forgotten();
        if (wanted != forgotten) {
            forgotten = wanted;
            begin();
        }
        BlockId first = next;
        if (first == null) {
            return;
        }
        List<BlockId> some = node.possible().from(first, STEP_BLOCKS + 1);
        next = some.size() > STEP_BLOCKS ? some.getLast() : null;
        some.stream()
                .limit(STEP_BLOCKS)
                .forEach(block -> node.access().group(block).ifPresent(group -> tell(nowMillis, node, group)));
    }

    /** Reports the current number of possible versions of a block. */
    static void tell(long nowMillis, PasisNode node, PasisGroup group) {
        int slot = group.slotOf(node.self());
        if (group.verification() == Verification.LAZY && slot >= 0) {
            BlockId block = group.block();
            node.watch()
                    .possible(
                            nowMillis,
                            block,
                            node.possible().of(block),
                            node.limits().leads(group, slot));
        }
    }
}
