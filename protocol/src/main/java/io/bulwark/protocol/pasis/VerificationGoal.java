package io.bulwark.protocol.pasis;

/**
 * Purpose of a verification. If several requesters share one, it does everything that any of them wants. There is no
 * order of importance in which a wish could be lost.
 *
 * @param demanded whether a client waits for it
 * @param missing whether something that may be complete is missing here, so that it starts though nothing here is
 *     unverified
 * @param repair whether repairable versions are repaired, and found poisonous if they are; else incomplete ones are
 *     passed over
 */
record VerificationGoal(boolean demanded, boolean missing, boolean repair) {
    /** Goal for which nobody waits. */
    static final VerificationGoal BACKGROUND = new VerificationGoal(false, false, false);

    /** Goal that must be reached before a read or a write is answered. */
    static final VerificationGoal DEMANDED = new VerificationGoal(true, false, false);

    /** Goal of scrubbing: something is missing here. */
    static final VerificationGoal SCRUB = new VerificationGoal(false, true, false);

    VerificationGoal and(VerificationGoal other) {
        return new VerificationGoal(demanded || other.demanded, missing || other.missing, repair || other.repair);
    }

    VerificationGoal withRepair(boolean wanted) {
        return new VerificationGoal(demanded, missing, repair || wanted);
    }
}
