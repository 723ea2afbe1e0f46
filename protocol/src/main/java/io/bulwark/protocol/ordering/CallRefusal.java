package io.bulwark.protocol.ordering;

import io.bulwark.protocol.wire.MalformedException;

/** Reason why a replica does not answer a call now. The order is part of the wire format. */
public enum CallRefusal {
    /** It is settling on a state, catching up, or its engine has not started. Asking again is right. */
    NOT_READY,
    /** It has as many calls in progress as it can hold. Asking again later is right. */
    OVERLOADED,
    /** The state machine failed on this very request, or it is nothing that this principal may have ordered; it would fail again. */
    FAILED;

    private static final CallRefusal[] REFUSALS = values();

    static CallRefusal of(int code) {
        if (code >= REFUSALS.length) {
            throw new MalformedException("unknown refusal " + code);
        }
        return REFUSALS[code];
    }
}
