package io.bulwark.protocol.ordering.membership;

import io.bulwark.protocol.wire.Bytes;

/**
 * The port to what shows that an operator has named the replicas that follow. What replicas sign says nothing of when they did, so that
 * an intruder may collect it from one after the other; what an operator never said he cannot (docs/decisions/0020).
 */
public interface Mandates {
    /** No mandate is longer. */
    int BYTES_MAX = 1 << 17;

    /** Nothing is one. */
    Mandates NONE = (_, _, _) -> false;

    /**
     * Whether an operator's command has put the second in the place of the first. Any bytes may come as the mandate.
     *
     * @param mandate empty if who shows the proof has none
     */
    boolean name(Configuration ended, Configuration next, Bytes mandate);
}
