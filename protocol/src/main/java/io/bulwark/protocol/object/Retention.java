package io.bulwark.protocol.object;

import io.bulwark.protocol.wire.MalformedException;
import io.bulwark.protocol.wire.WireReader;
import io.bulwark.protocol.wire.WireWriter;

/**
 * Time until which a version may not be deleted.
 *
 * @param untilMillis agreed time at which it ends; 0 without retention
 */
public record Retention(Mode mode, long untilMillis) {
    public static final Retention NONE = new Retention(Mode.NONE, 0);

    private static final Mode[] MODES = Mode.values();

    /** Strength of a retention. The order is on the wire. */
    public enum Mode {
        NONE,
        /** An administrator of the bucket may bypass it. */
        GOVERNANCE,
        /** Nobody can shorten or remove it. */
        COMPLIANCE
    }

    public Retention {
        if (mode == Mode.NONE ? untilMillis != 0 : untilMillis < 1) {
            throw new IllegalArgumentException("retention " + mode + " until " + untilMillis);
        }
    }

    /** Returns whether it forbids deletion at this agreed time. */
    public boolean isInForce(long nowMillis) {
        return untilMillis > nowMillis;
    }

    public void write(WireWriter out) {
        out.u8(mode.ordinal()).i64(untilMillis);
    }

    public static Retention read(WireReader in) {
        Mode mode = readMode(in);
        try {
            return new Retention(mode, in.nonNegative64());
        } catch (IllegalArgumentException e) {
            throw new MalformedException(e);
        }
    }

    public static Mode readMode(WireReader in) {
        int mode = in.u8();
        if (mode >= MODES.length) {
            throw new MalformedException("unknown mode of retention " + mode);
        }
        return MODES[mode];
    }
}
