package io.bulwark.simulation.byzantine;

/** The ways in which a faulty server misbehaves. */
public enum Lie {
    /** As a correct one would, for once. */
    HONEST,
    /** Answers nothing. */
    SILENT,
    /** Answers a while later, and in another order. */
    SLOW,
    /** Answers as if it had seen nothing for long. */
    STALE,
    /** Lies to every other party, and to the rest not. */
    EQUIVOCATES,
    /** Sends bytes that are not its fragment. */
    WRONG_FRAGMENT,
    /** Sends the fragment of another block, version or slot. */
    OTHER_FRAGMENT,
    /** Makes MACs and hashes up. */
    WRONG_MACS,
    /** Gives MACs, nonces or answers that it gave before, for something else. */
    REPLAYS,
    /** Claims timestamps that nobody wrote: huge, small, or equal to a real one with another cross-checksum. */
    FALSE_TIMESTAMP,
    /** Acknowledges actions that it has not done, and denies those that it has done. */
    LIES_ABOUT_COMMITS,
    /** Takes requests in, answers as it should, and keeps nothing. */
    FORGETS,
    /** Refuses, for any reason that comes to its mind. */
    REFUSES,
    /** Refuses one party, serves the others. */
    REFUSES_ONE,
    /** Sends the lies that the faulty nodes have agreed on, with all their keys. */
    COLLUDES
}
