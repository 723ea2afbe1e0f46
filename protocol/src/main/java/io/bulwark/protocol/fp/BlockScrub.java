package io.bulwark.protocol.fp;

import io.bulwark.protocol.fingerprint.Share;
import io.bulwark.protocol.kernel.ScrubMessage;
import java.util.function.LongConsumer;
import java.util.function.ObjLongConsumer;

/**
 * Scrub of one block: the latest version is re-read and checked against its own cross-checksum, and the peers are asked
 * for their latest. REPAIR runs where either is wrong.
 */
final class BlockScrub {
    private final FpNode node;
    private final FpRegister register;
    private final ObjLongConsumer<ScrubMessage.ScrubOutcome> then;
    private boolean damaged;
    private boolean missing;

    BlockScrub(FpNode node, FpRegister register, ObjLongConsumer<ScrubMessage.ScrubOutcome> then) {
        this.node = node;
        this.register = register;
        this.then = then;
    }

    /** Must be called as a task of the register. */
    void start(long nowMillis) {
        BlockVersions versions = register.versions();
        VersionRecord latest = versions.get(versions.latest());
        if (latest == null) {
            poll(nowMillis);
            return;
        }
        boolean known = versions.isDamaged(latest.version());
        register.hold(latest, (now, holding) -> {
            Share share = holding.share().orElse(null);
            int slot = register.group().slotOf(node.self());
            if (slot < 0) {
                then.accept(ScrubMessage.ScrubOutcome.UNASKED, now);
                return;
            }
            boolean right = share != null
                    && register.group().code().isShareOf(latest.version().written(), slot, share);
            boolean current = latest.equals(versions.get(versions.latest()));
            if (right || !current) {
                poll(now);
            } else {
                damaged = holding.damaged() || share != null;
                missing = !damaged;
                if (share != null && !known) {
                    register.damaged(latest.version());
                }
                repair(now);
            }
        });
    }

    private void poll(long nowMillis) {
        if (!register.serves(register.group().placement().epoch())) {
            then.accept(ScrubMessage.ScrubOutcome.UNASKED, nowMillis);
            return;
        }
        Timestamp own = register.versions().latest();
        LatestPoll operation =
                new LatestPoll(register.group(), register.target().slot(), own, node.times());
        LongConsumer over = register.once(ignored -> {});
        node.out().run(operation, (now, outcome) -> {
            over.accept(now);
            switch ((LatestPoll.Outcome) outcome) {
                case AGREED ->
                    then.accept(own.isNone() ? ScrubMessage.ScrubOutcome.ABSENT : ScrubMessage.ScrubOutcome.GOOD, now);
                case DIFFERENT -> repair(now);
                case UNKNOWN -> then.accept(ScrubMessage.ScrubOutcome.UNASKED, now);
            }
        });
    }

    private void repair(long nowMillis) {
        Timestamp before = register.versions().latest();
        // The caller bounds the number of looks.
        boolean begun = register.repair().request(nowMillis, null, false, now -> then.accept(found(before), now));
        if (!begun) {
            then.accept(ScrubMessage.ScrubOutcome.UNFINISHED, nowMillis);
        }
    }

    private ScrubMessage.ScrubOutcome found(Timestamp before) {
        BlockVersions versions = register.versions();
        Timestamp latest = versions.latest();
        if (latest.isNone()) {
            return register.repair().hasFoundNothing()
                    ? ScrubMessage.ScrubOutcome.ABSENT
                    : ScrubMessage.ScrubOutcome.UNFINISHED;
        }
        if (!versions.holds(latest)) {
            return ScrubMessage.ScrubOutcome.UNFINISHED;
        }
        if (damaged) {
            return ScrubMessage.ScrubOutcome.REPAIRED;
        }
        if (missing || latest.isAfter(before)) {
            return ScrubMessage.ScrubOutcome.COMPLETED;
        }
        // A version that the node's own READ has not proven may be anybody's claim, including this node's corrupt
        // state.
        return latest.equals(versions.proven()) ? ScrubMessage.ScrubOutcome.GOOD : ScrubMessage.ScrubOutcome.UNFINISHED;
    }
}
