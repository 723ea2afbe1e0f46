package io.bulwark.protocol.pasis;

import io.bulwark.protocol.effect.Outbox;
import io.bulwark.protocol.fp.AskRate;
import io.bulwark.protocol.fp.FpTimes;
import io.bulwark.protocol.id.PrincipalId;
import java.util.function.IntSupplier;
import org.jspecify.annotations.Nullable;

/**
 * What all blocks of a node share.
 *
 * @param times of the operations that the node runs among its peers
 * @param collector makes room where the pool or a client's bound is full
 * @param waiting bounds what requests hold that wait
 * @param clients how many there are that could write; 0 while that is not known
 */
record PasisNode(
        PrincipalId self,
        PasisLimits limits,
        FpTimes times,
        Outbox out,
        PasisAccess access,
        PossibleVersions possible,
        AskRate rate,
        VerificationWatch watch,
        Tally tally,
        Collector collector,
        WaitingRoom waiting,
        IntSupplier clients) {
    /**
     * What the possible versions of one sender may take: its threshold, as far as the pool has room for as many clients (3.4), but always a
     * few versions of the volume that it writes. Where the pool is too small for as many clients it is the pool itself that bounds them all.
     */
    long clientBytes(long charge) {
        long share = limits.poolBytes() / Math.max(1, clients.getAsInt());
        return Math.min(limits.clientBytes(), Math.max(share, PasisLimits.CLIENT_VERSIONS_MIN * charge));
    }

    /** Whether the pool is too small for all clients to have those few versions of such a size at once. */
    boolean poolIsShort(long charge) {
        return limits.poolBytes() < poolNeeded(charge);
    }

    /** What the pool must be for all clients to have those few versions of such a size at once; 0 while nobody knows how many there are. */
    long poolNeeded(long charge) {
        return charge * PasisLimits.CLIENT_VERSIONS_MIN * clients.getAsInt();
    }

    /**
     * Whether the pool has no room for one more version of this size. A share is a client's own, whatever others hold from when they were
     * fewer, or have left that were revoked, up to twice the pool. While nobody knows how many clients there are, and where the pool is
     * too short for them, it is the pool itself that bounds them.
     */
    boolean poolRefuses(long charge) {
        boolean shares = clients.getAsInt() > 0 && !poolIsShort(charge);
        return possible.bytes() + charge - limits.poolBytes() > (shares ? limits.poolBytes() : 0);
    }

    /** Told once something was freed, or nothing is left to try. */
    interface Room {
        void made(long nowMillis, boolean freed);
    }

    /** Makes room. */
    interface Collector {
        /**
         * Verifies blocks until something was freed, of the sender's own if there is one, or nothing is left to try.
         *
         * @param sender whose versions are to go; null if it is the pool that is full
         * @param repair whether what is repairable is repaired
         */
        void makeRoom(long nowMillis, @Nullable PrincipalId sender, boolean repair, Room room);
    }
}
