package io.bulwark.protocol.metadata;

import io.bulwark.protocol.object.Retention;
import io.bulwark.protocol.wire.MalformedException;
import io.bulwark.protocol.wire.WireReader;
import io.bulwark.protocol.wire.WireWriter;

/**
 * Retention of new versions in a bucket that name none.
 *
 * @param count of days, or of years with 365 days; 0 without retention
 */
public record DefaultRetention(Retention.Mode mode, int count, boolean years) {
    public static final DefaultRetention NONE = new DefaultRetention(Retention.Mode.NONE, 0, false);
    public static final int DAYS_MAX = 36_500;

    private static final long DAY_MILLIS = 24 * 3_600_000L;
    private static final int DAYS_OF_YEAR = 365;

    public DefaultRetention {
        boolean none = mode == Retention.Mode.NONE;
        int max = years ? DAYS_MAX / DAYS_OF_YEAR : DAYS_MAX;
        if (none ? count != 0 || years : count < 1 || count > max) {
            throw new IllegalArgumentException(
                    "default retention " + mode + " for " + count + (years ? " years" : " days"));
        }
    }

    /** Returns the retention of a version made at this agreed time. */
    Retention from(long nowMillis) {
        if (mode == Retention.Mode.NONE) {
            return Retention.NONE;
        }
        long days = (long) count * (years ? DAYS_OF_YEAR : 1);
        return new Retention(mode, Math.min(nowMillis + days * DAY_MILLIS, MetadataStateMachine.TIME_MILLIS_MAX));
    }

    void write(WireWriter out) {
        out.u8(mode.ordinal()).i32(count).bool(years);
    }

    static DefaultRetention read(WireReader in) {
        try {
            return new DefaultRetention(Retention.readMode(in), in.i32(0, DAYS_MAX), in.bool());
        } catch (IllegalArgumentException e) {
            throw new MalformedException(e);
        }
    }
}
