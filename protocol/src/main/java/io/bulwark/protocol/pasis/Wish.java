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
record Wish(boolean demanded, boolean missing, boolean repair) {
    /** Nobody waits for it. */
    static final Wish BACKGROUND = new Wish(false, false, false);

    /** Before a read or a write is answered. */
    static final Wish DEMANDED = new Wish(true, false, false);

    /** Something is missing here. */
    static final Wish SCRUB = new Wish(false, true, false);

    Wish and(Wish other) {
        return new Wish(demanded || other.demanded, missing || other.missing, repair || other.repair);
    }

    Wish withRepair(boolean wanted) {
        return new Wish(demanded, missing, repair || wanted);
    }
}
