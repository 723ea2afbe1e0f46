package io.bulwark.protocol.extent;

import io.bulwark.protocol.wire.Bytes;
import java.util.Map;

/** Outcome of a pinned read; never wrong bytes. */
public sealed interface ReadOutcome {
    /** The block that the pin names, zero-padded to m times the fragment length. */
    record Whole(Bytes content) implements ReadOutcome {}

    /** f+1 nodes say that the extent was freed: ask the metadata again. */
    record Freed() implements ReadOutcome {}

    /** f+1 nodes say that the reader has no grant on the volume. */
    record NotPermitted() implements ReadOutcome {}

    /** 2f+1 slots lack this version now: its writer left it incomplete. Nobody has read it under FP, and it may be complete later. */
    record Incomplete() implements ReadOutcome {}

    /** Result that no block encodes to the pin: the writer lied, and nobody can read the version. */
    record Poisonous() implements ReadOutcome {}

    /** f+1 nodes are in a later epoch of the group: fetch the map and read again. */
    record StaleMap(long epoch) implements ReadOutcome {}

    /** Too few good fragments before the deadline; why, by slot. */
    record Unavailable(Map<Integer, String> reasons) implements ReadOutcome {
        public Unavailable {
            reasons = Map.copyOf(reasons);
        }
    }

    /** The block was decoded, but fewer than m+f slots hold it at the deadline; why, by slot. A salvage read returns it. */
    record TooFewHolders(Map<Integer, String> reasons) implements ReadOutcome {
        public TooFewHolders {
            reasons = Map.copyOf(reasons);
        }
    }
}
