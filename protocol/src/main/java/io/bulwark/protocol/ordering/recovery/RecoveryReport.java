package io.bulwark.protocol.ordering.recovery;

import java.util.List;
import java.util.OptionalLong;

/**
 * Report of a replica on recoveries, for status and alarms. Times are in milliseconds of its driver's clock.
 *
 * @param phase the phase of its own recovery
 * @param forgotten whether it recovers since its promises were lost
 * @param own its own recovery of this life, if there is one: open, or the last
 * @param known the last recovery of each replica, this one included, as far as its state reflects one; by replica
 */
public record RecoveryReport(Phase phase, boolean forgotten, OwnRecovery own, List<KnownRecovery> known) {
    /** Progress of a recovery. */
    public enum Phase {
        /** None is open. */
        NONE,
        /** The high water mark is estimated. Nothing with a number is sent. */
        ESTIMATING,
        /** The recovery request is to be ordered and answered by 2f+1. */
        REQUESTING,
        /** The request came too soon after the last one; it is made again later. */
        REFUSED,
        /** The checkpoint at the recovery point is to become stable, and the state is checked meanwhile. */
        REACHING
    }

    /**
     * The times at which the steps were done; 0 before.
     *
     * @param estimate H_M
     * @param point the recovery point, max(H_M, H_R)
     * @param damagedPages pages of the state that were wrong or missing here, and were replaced
     * @param checkedPages pages that were digested
     */
    public record OwnRecovery(
            long startedMillis,
            long estimatedMillis,
            long answeredMillis,
            long checkedMillis,
            long recoveredMillis,
            long estimate,
            long point,
            long checkedPages,
            long damagedPages) {
        /** Nothing has happened. */
        public static final OwnRecovery NONE = new OwnRecovery(0, 0, 0, 0, 0, 0, 0, 0, 0);
    }

    /**
     * Last recovery of a replica; or its joining with a configuration, if it has not recovered since.
     *
     * @param sequence n_R; or the checkpoint that the configuration began with
     * @param point the recovery point; 0 if it has not recovered since it joined
     * @param agreedMillis agreed time when the recovery was accepted, or the configuration began
     * @param openMillis how long it is open here, or was; after a restart of this replica only since then
     * @param open whether the checkpoint at the point is not stable yet
     * @param slow whether it is open for longer than allowed: something slows recoveries down
     */
    public record KnownRecovery(
            int replica, long sequence, long point, long agreedMillis, long openMillis, boolean open, boolean slow) {
        /** Returns whether it is a recovery. */
        public boolean hasRecovered() {
            return point > 0;
        }
    }

    public RecoveryReport {
        known = List.copyOf(known);
    }

    /**
     * Returns a bound on the window of vulnerability (4.7), 2 T_k + T_r: twice the oldest key in force, plus T_w, plus
     * the longest recovery. It grows while a recovery is overdue or does not end. A replica that joined with a later
     * configuration counts from then on, as it could do no harm before. Empty as long as some other replica has never
     * recovered.
     *
     * @param oldestKeyMillis how old the oldest session key in force is
     * @param watchdogMillis T_w
     * @param wallMillis the wall clock time
     */
    public OptionalLong windowMillis(int replicas, long oldestKeyMillis, long watchdogMillis, long wallMillis) {
        if (known.size() < replicas) {
            return OptionalLong.empty();
        }
        long untilNext = watchdogMillis;
        long longest = 0;
        for (KnownRecovery each : known) {
            untilNext = Math.max(untilNext, wallMillis - each.agreedMillis());
            longest = Math.max(longest, each.openMillis());
        }
        return OptionalLong.of(2 * oldestKeyMillis + untilNext + longest);
    }
}
