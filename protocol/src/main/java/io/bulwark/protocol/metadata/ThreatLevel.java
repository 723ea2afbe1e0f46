package io.bulwark.protocol.metadata;

import io.bulwark.protocol.id.PrincipalId;
import io.bulwark.protocol.wire.MalformedException;
import io.bulwark.protocol.wire.WireReader;
import io.bulwark.protocol.wire.WireWriter;

/**
 * Threat level of the cluster: a volume with bounds tolerates so many faults more than its least number, up to its most.
 *
 * @param changedMillis agreed time of the last change or alarm
 * @param by the client who gave it; {@link PrincipalId#NOBODY} if time passed or none was given
 */
public record ThreatLevel(int level, long changedMillis, PrincipalId by, String reason) {
    public static final int MAX = 16;
    public static final int REASON_BYTES_MAX = 200;

    /** The level before the first alarm. */
    public static final ThreatLevel NONE = new ThreatLevel(0, 0, PrincipalId.NOBODY, "");

    public ThreatLevel {
        if (level < 0 || level > MAX || changedMillis < 0) {
            throw new IllegalArgumentException("threat level " + level + " at " + changedMillis);
        }
    }

    void write(WireWriter out) {
        by.write(out.u8(level).i64(changedMillis));
        out.string(reason);
    }

    static ThreatLevel read(WireReader in) {
        int level = in.u8();
        if (level > MAX) {
            throw new MalformedException("threat level " + level);
        }
        return new ThreatLevel(level, in.nonNegative64(), PrincipalId.read(in), in.string(REASON_BYTES_MAX));
    }
}
