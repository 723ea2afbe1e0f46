package io.bulwark.protocol.metadata;

import io.bulwark.protocol.wire.MalformedException;
import io.bulwark.protocol.wire.WireReader;

/**
 * Treatment of the version that a put replaces in a bucket (docs/decisions/0027). The order is on the wire.
 *
 * <pre>
 * state         put                        plain delete                                 may become
 * LATEST_ONLY   replaces the null version  removes the null version                     KEEP_ALL, SUSPENDED
 * KEEP_ALL      adds a version             adds a delete marker                         SUSPENDED, without object lock
 * SUSPENDED     replaces the null version  puts a delete marker for the null version    KEEP_ALL
 * </pre>
 */
public enum Versioning {
    /** A put replaces the object, a delete removes it. */
    LATEST_ONLY,
    /** Every version stays until it is deleted by its number; a plain delete adds a delete marker. */
    KEEP_ALL,
    /** Versions made before stay. Of those made from now on only the last one stays. */
    SUSPENDED;

    /** Names the null version of a key in the place of a version's number. */
    public static final long NULL_VERSION = Long.MAX_VALUE;

    private static final Versioning[] STATES = values();

    static Versioning read(WireReader in) {
        int state = in.u8();
        if (state >= STATES.length) {
            throw new MalformedException("unknown state of versioning " + state);
        }
        return STATES[state];
    }

    boolean mayBecome(Versioning next) {
        return next == this || next != LATEST_ONLY;
    }
}
