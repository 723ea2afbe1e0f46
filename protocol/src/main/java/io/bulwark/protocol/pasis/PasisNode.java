package io.bulwark.protocol.pasis;

import io.bulwark.protocol.effect.Outbox;
import io.bulwark.protocol.id.PrincipalId;
import io.bulwark.protocol.kernel.RequestBudget;
import io.bulwark.protocol.kernel.SenderRates;
import io.bulwark.protocol.kernel.Timeouts;
import java.util.function.IntSupplier;
import org.jspecify.annotations.Nullable;

/**
 * Objects shared by all blocks of a node.
 *
 * @param times of the operations that the node runs among its peers
 * @param collector makes room where the pool or a client's bound is full
 * @param waiting bounds the memory that waiting requests hold
 * @param clients the number of clients that could write; 0 while that is not known
 */
record PasisNode(
        PrincipalId self,
        PasisLimits limits,
        Timeouts times,
        Outbox out,
        PasisAccess access,
        PossibleVersions possible,
        SenderRates rate,
        VerificationWatch watch,
        VolumeCounters tally,
        Collector collector,
        RequestBudget waiting,
        IntSupplier clients) {
    /**
     * Returns the space allowed for the possible versions of one sender. It is the sender's threshold, as far as the
     * pool has room for as many clients (3.4). It is at least the space for a few versions of its volume. A pool too
     * small for that many clients is itself the bound for all of them.
     */
    long clientBytes(long charge) {
        long share = limits.poolBytes() / Math.max(1, clients.getAsInt());
        return Math.min(limits.clientBytes(), Math.max(share, PasisLimits.CLIENT_VERSIONS_MIN * charge));
    }

    /**
     * Returns whether the pool is too small for all clients to hold their minimum number of versions of this size at
     * once.
     */
    boolean poolIsShort(long charge) {
        return limits.poolBytes() < poolNeeded(charge);
    }

    /**
     * Returns the pool size that lets all clients hold their minimum number of versions of this size at once. Returns 0
     * while the number of clients is unknown.
     */
    long poolNeeded(long charge) {
        return charge * PasisLimits.CLIENT_VERSIONS_MIN * clients.getAsInt();
    }

    /**
     * Returns whether the pool has no room for one more version of this size. Each client keeps its own share, up to
     * twice the pool. So it does not matter that others hold versions from when there were fewer clients, or that
     * revoked clients left some. The pool itself is the bound for all clients while their number is unknown, or if it
     * is too short for them.
     */
    boolean isPoolFull(long charge) {
        boolean shares = clients.getAsInt() > 0 && !poolIsShort(charge);
        return possible.bytes() + charge - limits.poolBytes() > (shares ? limits.poolBytes() : 0);
    }

    /** Callback for the time when something was freed, or no block is left to try. */
    interface CollectionCallback {
        void made(long nowMillis, boolean freed);
    }

    /** Makes room. */
    interface Collector {
        /**
         * Verifies blocks until something was freed, or no block is left to try. If there is a sender, a version of its
         * own must be freed.
         *
         * @param sender whose versions are to be collected; null if the pool is full
         * @param repair whether repairable versions are repaired
         */
        void makeRoom(long nowMillis, @Nullable PrincipalId sender, boolean repair, CollectionCallback room);
    }
}
