package io.bulwark.protocol.metadata;

import io.bulwark.protocol.wire.MalformedException;
import io.bulwark.protocol.wire.WireReader;
import io.bulwark.protocol.wire.WireWriter;

/** Why the round that closes a log was opened. The order is on the wire. */
public enum RoundReason {
    /** Somebody else needs a name that the log holds. */
    CONTENDED,
    /** A command would change something that the log reads but does not hold. */
    FROZEN,
    /** The holder has asked for it. */
    UNLOCKED,
    /** The log has reached its maximum age. */
    AGED,
    /** The session of the holder ends. */
    ENDED;

    private static final RoundReason[] REASONS = values();

    void write(WireWriter out) {
        out.u8(ordinal());
    }

    static RoundReason read(WireReader in) {
        int code = in.u8();
        if (code >= REASONS.length) {
            throw new MalformedException("unknown reason of a round " + code);
        }
        return REASONS[code];
    }
}
