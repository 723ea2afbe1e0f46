package io.bulwark.appliance.supervisor;

/**
 * Schedule of a replica's watchdog, by the world's clock (4.7). Each of n replicas has a turn every T_w, T_w / n after
 * the replica before it. So supervisors agree on turns without communication. A turn is postponed while it would make
 * more than f replicas recover or be down at once. After half of T_w it is missed. Time comes as an argument. Not
 * thread-safe.
 */
public final class WatchdogSchedule {
    private static final long RETRY_MILLIS_MIN = 1_000;
    private static final long RETRY_MILLIS_MAX = 10_000;

    /** Action that is due now. */
    public sealed interface Decision {
        /** The turn begins; the caller must call {@link #begun}. */
        record Begin() implements Decision {}

        /** It is to be asked again, a little later. */
        record Postpone(String why) implements Decision {}

        /** There is none this time, though there should be. */
        record Missed(String why) implements Decision {}

        /** There is none, and the replica is to be stopped: it cannot be started from correct code, and so must not go on. */
        record Stop(String why) implements Decision {}

        /** There is none this time, as none is needed. */
        record NotNeeded(String why) implements Decision {}
    }

    private final int replica;
    private final int replicas;
    private final long periodMillis;
    private long nextMillis;
    private long retryMillis;

    /**
     * Creates the schedule. The first turn comes half of T_w after the start or later: a replica that has just started
     * has nothing to recover from.
     *
     * @param periodMillis T_w
     * @param wallMillis the world's time at the start
     */
    public WatchdogSchedule(int replica, int replicas, long periodMillis, long wallMillis) {
        if (replica < 0 || replica >= replicas || periodMillis < replicas) {
            throw new IllegalArgumentException(
                    "replica " + replica + " of " + replicas + " every " + periodMillis + " ms");
        }
        this.replica = replica;
        this.replicas = replicas;
        this.periodMillis = periodMillis;
        this.nextMillis = firstFrom(wallMillis + periodMillis / 2);
    }

    /** Returns the time of the next turn, if nothing postpones it. */
    public long nextMillis() {
        return nextMillis;
    }

    /** Returns whether it is time to check the state of the others, and to {@link #decide}. */
    public boolean isDue(long wallMillis) {
        if (nextMillis - wallMillis > 2 * periodMillis) {
            // The clock was set back.
            nextMillis = firstFrom(wallMillis + periodMillis / 2);
            retryMillis = 0;
        } else if (retryMillis == 0 && wallMillis - nextMillis > periodMillis / replicas) {
            // The machine slept, or its clock was set forward. By now it is the turn of other replicas, which have
            // slept as well.
            nextMillis = firstFrom(wallMillis);
        }
        return wallMillis >= Math.max(nextMillis, retryMillis);
    }

    /** Decides whether the turn that is due begins. */
    public Decision decide(long wallMillis, GroupHealth standing) {
        long lateMillis = wallMillis - nextMillis;
        if (hasRecoveredLately(wallMillis, standing)) {
            advance(wallMillis);
            return new Decision.NotNeeded("it recovered less than half of T_w ago");
        }
        String others = standing.othersProblem();
        if (!others.isEmpty()) {
            return lateMillis > periodMillis / 2 ? missed(wallMillis, others) : putOff(wallMillis, others);
        }
        // Such words do not count for longer: a faulty replica would never let go of itself.
        return standing.doubt().isEmpty() || lateMillis > periodMillis / 4
                ? new Decision.Begin()
                : putOff(wallMillis, standing.doubt());
    }

    /**
     * Decides on a turn that is due while nobody can say whether the installed release may be started.
     *
     * @return that the turn is postponed, or after half of T_w missed
     */
    public Decision decideUnsure(long wallMillis, String why) {
        return wallMillis - nextMillis > periodMillis / 2 ? missed(wallMillis, why) : putOff(wallMillis, why);
    }

    /**
     * Decides on a turn that is due while the installed release may not be started. An operator who is about to replace
     * or allow it has half of the time until the next replica's turn. Then the replica is stopped, faulty or not, as
     * the paper's watchdog does. Otherwise an attacker who can change the installation could keep the replica for ever.
     *
     * @return that the turn is postponed, or over with the replica's end
     */
    public Decision refuse(long wallMillis, String why) {
        if (wallMillis - nextMillis <= periodMillis / (2L * replicas)) {
            return putOff(wallMillis, why);
        }
        advance(wallMillis);
        return new Decision.Stop(why);
    }

    /** Returns the reason why a recovery that an operator requests now would do harm; empty if it would not. */
    public String objection(long wallMillis, GroupHealth standing) {
        if (!standing.othersProblem().isEmpty()) {
            return standing.othersProblem();
        }
        if (!standing.ownProblem().isEmpty()) {
            return standing.ownProblem();
        }
        return hasRecoveredLately(wallMillis, standing)
                ? "it recovered less than half of T_w ago, and the others refuse a request so soon"
                : "";
    }

    /** A turn has begun. */
    public void begun(long wallMillis) {
        nextMillis = firstFrom(wallMillis + periodMillis / 2);
        retryMillis = 0;
    }

    /** Gives up the turn that is due, and advances to the next one. */
    private Decision.Missed missed(long wallMillis, String why) {
        advance(wallMillis);
        return new Decision.Missed(why);
    }

    /**
     * Returns whether a recovery took more of T_w than each replica has. That share is half of T_w / n, as T_w = 4 s
     * R_n has it for f = 1 and s = 2.
     *
     * @param recoveryMillis duration of one recovery
     */
    public boolean isTooShortFor(long recoveryMillis) {
        return 2L * replicas * recoveryMillis > periodMillis;
    }

    private void advance(long wallMillis) {
        nextMillis = firstFrom(Math.max(wallMillis, nextMillis) + 1);
        retryMillis = 0;
    }

    private Decision.Postpone putOff(long wallMillis, String why) {
        retryMillis = wallMillis + Math.clamp(periodMillis / 120, RETRY_MILLIS_MIN, RETRY_MILLIS_MAX);
        return new Decision.Postpone(why);
    }

    private boolean hasRecoveredLately(long wallMillis, GroupHealth standing) {
        return standing.lastMillis().isPresent()
                && wallMillis - standing.lastMillis().getAsLong() < periodMillis / 2;
    }

    /** The first of this replica's turns that is not before that. */
    private long firstFrom(long wallMillis) {
        long offset = replica * (periodMillis / replicas);
        return Math.ceilDiv(wallMillis - offset, periodMillis) * periodMillis + offset;
    }
}
