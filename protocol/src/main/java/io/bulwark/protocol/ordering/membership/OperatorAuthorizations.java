package io.bulwark.protocol.ordering.membership;

import io.bulwark.protocol.wire.Bytes;

/**
 * Port to the evidence that an operator has named the next replicas. Signatures of replicas do not show when they were
 * made, so an intruder may collect them from one replica after another. It cannot forge an operator's command
 * (docs/decisions/0020).
 */
public interface OperatorAuthorizations {
    /** No mandate is longer. */
    int BYTES_MAX = 1 << 17;

    /** Nothing is one. */
    OperatorAuthorizations NONE = (ignored1, ignored2, ignored3) -> false;

    /**
     * Returns whether an operator's command has replaced the first configuration by the second. The mandate may be any
     * bytes.
     *
     * @param authorization empty if the sender of the proof has none
     */
    boolean name(Configuration ended, Configuration next, Bytes authorization);
}
