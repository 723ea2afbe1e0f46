package io.bulwark.protocol.object;

import io.bulwark.protocol.wire.WireReader;
import io.bulwark.protocol.wire.WireWriter;

/**
 * Protection of a version against deletion. The replicas judge it by agreed time (docs/decisions/0027).
 *
 * @param legalHold forbids deletion until it is lifted
 */
public record ObjectLock(Retention retention, boolean legalHold) {
    public static final ObjectLock NONE = new ObjectLock(Retention.NONE, false);

    public boolean isNone() {
        return equals(NONE);
    }

    /** Returns whether it forbids deletion at this agreed time. */
    public boolean isInForce(long nowMillis) {
        return legalHold || retention.isInForce(nowMillis);
    }

    public void write(WireWriter out) {
        retention.write(out);
        out.bool(legalHold);
    }

    public static ObjectLock read(WireReader in) {
        return new ObjectLock(Retention.read(in), in.bool());
    }
}
