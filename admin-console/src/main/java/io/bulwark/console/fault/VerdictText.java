package io.bulwark.console.fault;

import io.bulwark.protocol.effect.Verdict;

/** Explains verdicts to people who know storage systems and not ours. */
final class VerdictText {
    private VerdictText() {}

    /** Returns what was seen. */
    static String meaning(Verdict verdict) {
        return switch (verdict) {
            case CORRUPT ->
                "It sent bytes, as the version that was asked for, that do not belong to the block. Encoding the block"
                        + " again gives other bytes for its slot. Its disk or software is corrupt, or it lies.";
            case DAMAGED -> "It reports itself that its copy of the version is damaged: its disk has lost data.";
            case OTHER_VERSION -> "It holds another version than the one that was asked for.";
            case BEHIND -> "It has nothing of the block, or an older version. It may have been away.";
            case SLOW ->
                "It answered late or not at all, so that other nodes were asked in its place. It may only be busy.";
            case MISBEHAVED -> "It sent what no correct node sends: malformed data, or against the protocol.";
            case POISONOUS ->
                "It wrote fragments that match their checksums and yet belong to no one block. Only a faulty client, or"
                        + " a thief of its key, does that.";
        };
    }

    /** Returns what an operator does next. */
    static String next(Verdict verdict) {
        return switch (verdict) {
            case CORRUPT, DAMAGED ->
                "Nothing is lost: readers leave this fragment out, and the node repairs it from the others. If it"
                        + " happens again, check the disk and replace the node.";
            case MISBEHAVED -> "Check which release the node runs and who can log in there; then replace it.";
            case POISONOUS ->
                "No reader sees such a version: nodes discard it. Find out whether the client is defect or its key is"
                        + " stolen. Revoke it, or lift the suspension.";
            case SLOW ->
                "Nothing, if its state is up. If it is often slow, compare its load and disk with the others'.";
            case OTHER_VERSION, BEHIND -> "The node catches up by itself. If it does not, look at its log.";
        };
    }
}
