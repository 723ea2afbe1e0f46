package io.bulwark.protocol.effect;

/**
 * Observation about a node or a client (docs/protocols/access.md, verdicts). Only {@link #CORRUPT} and {@link #POISONOUS}
 * accuse.
 */
public enum Verdict {
    /** It sent, as the version asked for, bytes that re-encoding the accepted block does not give for its slot. */
    CORRUPT,
    /** It reports itself that its copy of the version is damaged. */
    DAMAGED,
    /** It holds another version than the one asked for. */
    OTHER_VERSION,
    /** It has nothing, or something older. */
    BEHIND,
    /** It did not answer before others were asked in its place. A busy node does that, and so does one that is gone. */
    SLOW,
    /** It sent what no correct node sends: malformed, or against the protocol. */
    MISBEHAVED,
    /** A client wrote fragments that match their checksum and belong to no one block. */
    POISONOUS;

    /** Returns text for people. A node that admits that its fragment is wrong is corrupt, too, by its own word. */
    public String text() {
        return switch (this) {
            case CORRUPT -> "corrupt";
            case DAMAGED -> "corrupt (self-reported)";
            case OTHER_VERSION -> "other version";
            case BEHIND -> "behind";
            case SLOW -> "slow";
            case MISBEHAVED -> "misbehaved";
            case POISONOUS -> "poisonous writer";
        };
    }
}
