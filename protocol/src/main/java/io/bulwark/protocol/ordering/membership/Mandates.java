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
     * Returns whether an operator's command has replaced the first configuration by the second. The mandate may be any
     * bytes.
     *
     * @param mandate empty if the sender of the proof has none
     */
    boolean name(Configuration ended, Configuration next, Bytes mandate);
}
