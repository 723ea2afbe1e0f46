package io.bulwark.protocol.locking;

import io.bulwark.protocol.wire.MalformedException;

/** Reason why a log server does not take a batch, or does not answer a read. The order is part of the wire format. */
public enum LogRefusal {
    /** Its replica has not executed the LOCK yet. Asking again is right. */
    BEHIND,
    /** It holds as much as it can. Asking again later is right. */
    OVERLOADED,
    /** The batch does not continue its log, or the read is not of its length. The refusal tells its length. */
    GAP,
    /** The log is closed, or in no lock table. Final. */
    CLOSED,
    /** It has lost its store, or the records of this log, since the LOCK. Final. */
    ABSTAINS,
    /** The sender is not the holder, the batch exceeds the limits, or its head does not follow from its entries. Final. */
    INVALID;

    private static final LogRefusal[] REFUSALS = values();

    /** Returns whether the server never takes anything for this log again from a correct holder. */
    public boolean isFinal() {
        return this == CLOSED || this == ABSTAINS || this == INVALID;
    }

    static LogRefusal of(int code) {
        if (code >= REFUSALS.length) {
            throw new MalformedException("unknown refusal " + code);
        }
        return REFUSALS[code];
    }
}
