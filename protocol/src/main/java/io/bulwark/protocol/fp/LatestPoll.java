package io.bulwark.protocol.fp;

import io.bulwark.protocol.kernel.Timeouts;
import java.util.Optional;
import org.jspecify.annotations.Nullable;

/**
 * Poll of the peers for their latest timestamps only, which checks whether READ would find the node's own latest. It
 * would once 2f + 1 of the first 3f + 1 slots claim exactly that and nobody claims more. All other cases are left to
 * REPAIR.
 */
final class LatestPoll extends PeerPoll<LatestPoll.Outcome> {
    /** Outcome of the poll. */
    enum Outcome {
        AGREED,
        /** Somebody claims something later, or too few claim the same. */
        DIFFERENT,
        /** Fewer than 2f + 1 of the first 3f + 1 slots could be asked. */
        UNKNOWN
    }

    private final Timestamp own;
    private final @Nullable Timestamp[] claims;

    LatestPoll(FpGroup group, int ownSlot, Timestamp own, Timeouts times) {
        super(group, ownSlot, times);
        this.own = own;
        this.claims = new Timestamp[group.n()];
        this.claims[ownSlot] = own;
    }

    @Override
    Optional<FpMessage> question(int slot) {
        return claims[slot] == null
                ? Optional.of(new FpMessage.FindTimestamp(group.target(slot), false))
                : Optional.empty();
    }

    @Override
    Optional<FpMessage> take(int slot, FpMessage.Answer answer) {
        if (answer instanceof FpMessage.FoundTimestamp found && group.fits(found.latest())) {
            claims[slot] = found.latest();
            decide(false);
        }
        return Optional.empty();
    }

    /** @param late whether those that have not answered are not waited for any longer */
    private void decide(boolean late) {
        int answered = 0;
        int quorum = 0;
        int agreeing = 0;
        boolean later = false;
        for (int slot = 0; slot < group.n(); slot++) {
            Timestamp claim = claims[slot];
            if (claim != null) {
                boolean counts = slot < group.policy().timestampSlots();
                answered++;
                quorum += counts ? 1 : 0;
                agreeing += counts && claim.equals(own) ? 1 : 0;
                later |= claim.isAfter(own);
            }
        }
        int needed = group.policy().timestampQuorum();
        if (answered == group.n() || (late && quorum >= needed)) {
            end(agreeing >= needed && !later ? Outcome.AGREED : Outcome.DIFFERENT);
        }
    }

    @Override
    void onTimeout(long millis) {
        if (millis >= times.retryMillis()) {
            decide(true);
        }
        if (millis >= times.timeoutMillis()) {
            end(Outcome.UNKNOWN);
        }
    }
}
