package io.bulwark.protocol.pasis;

import io.bulwark.protocol.effect.Outbox;
import io.bulwark.protocol.epoch.SettleRequest;

/**
 * Check of one block by a holder before it confirms an epoch (docs/decisions/0016, registers under PASIS). A READ of
 * this epoch finds the latest version that is complete, or can be; N - b slots must hold that in this epoch.
 */
final class BlockSettlement {
    private final PasisNode node;
    private final PasisBlock block;
    private final long epoch;
    private final SettleRequest.SettleCallback then;

    BlockSettlement(PasisNode node, PasisBlock block, long epoch, SettleRequest.SettleCallback then) {
        this.node = node;
        this.block = block;
        this.epoch = epoch;
        this.then = then;
    }

    /** Must be called as a task of the block. */
    void start(long nowMillis) {
        if (!block.serves(epoch)) {
            then.settled(false, nowMillis);
        } else if (block.versions().greatest().isNone()) {
            // Others hold any complete version.
            then.settled(true, nowMillis);
        } else {
            read(nowMillis);
        }
    }

    private void read(long nowMillis) {
        Outbox.Continuation<PasisBackground.VerificationOutcome> read = block.laterWith((now, found) -> {
            ValidatingTimestamp latest = block.versions().collected();
            if (found == PasisBackground.VerificationOutcome.UNASKED || !block.serves(epoch)) {
                then.settled(false, now);
            } else if (latest.isNone()) {
                // Nothing was ever complete.
                then.settled(true, now);
            } else if (block.versions().covers(latest)) {
                complete(latest);
            } else {
                mend(now, latest);
            }
        });
        block.verifier()
                .request(
                        nowMillis,
                        VerificationGoal.SCRUB.withRepair(true),
                        (now, found, ignored) -> read.then(now, found));
    }

    /** Repairs again a fragment that could not be repaired when it was found to be bad; nobody else does. */
    private void mend(long nowMillis, ValidatingTimestamp latest) {
        Outbox.Continuation<Boolean> mended = block.laterWith((now, ignored) -> {
            if (block.serves(epoch) && block.versions().covers(latest)) {
                complete(latest);
            } else {
                then.settled(false, now);
            }
        });
        block.mend(nowMillis, latest, mended::then);
    }

    private void complete(ValidatingTimestamp latest) {
        CompletionPoll poll = new CompletionPoll(block.group(), block.slot(), latest, node.times());
        node.out().run(poll, block.laterWith((now, held) -> then.settled((Boolean) held && block.serves(epoch), now)));
    }
}
