package io.bulwark.protocol.ordering;

import io.bulwark.protocol.wire.MalformedException;

/** Phase of a replica in its incarnation of the engine. The order is part of the wire format. */
public enum Phase {
    /** Takes no part: it learns the state of the others first. */
    FOLLOWING,
    /** Has left all earlier incarnations and waits for this one to start. */
    SEALED,
    /** Takes part. */
    RUNNING;

    private static final Phase[] PHASES = values();

    static Phase of(int code) {
        if (code >= PHASES.length) {
            throw new MalformedException("unknown phase " + code);
        }
        return PHASES[code];
    }
}
