package io.bulwark.protocol.metadata;

import io.bulwark.protocol.wire.MalformedException;
import io.bulwark.protocol.wire.WireReader;
import io.bulwark.protocol.wire.WireWriter;

/**
 * Treatment of nodes that their peers find faulty.
 *
 * @param removes whether the replicas move the slots of such a node to others; else it is only named
 * @param windowSeconds time for which nodes count before they report
 * @param removalsPerDay more of them at a time are rather a fault of the network, which people look at
 */
public record FaultPolicy(boolean removes, int windowSeconds, int removalsPerDay) {
    public static final int WINDOW_SECONDS_MAX = 3_600;
    public static final int REMOVALS_MAX = 1_000;

    /** The policy until an operator sets one. */
    public static final FaultPolicy DEFAULT = new FaultPolicy(false, 60, 1);

    public FaultPolicy {
        if (windowSeconds < 1 || windowSeconds > WINDOW_SECONDS_MAX) {
            throw new IllegalArgumentException(
                    "a window has 1 to " + WINDOW_SECONDS_MAX + " seconds, not " + windowSeconds);
        }
        if (removalsPerDay < 1 || removalsPerDay > REMOVALS_MAX) {
            throw new IllegalArgumentException("1 to " + REMOVALS_MAX + " removals a day, not " + removalsPerDay);
        }
    }

    void write(WireWriter out) {
        out.bool(removes).u16(windowSeconds).u16(removalsPerDay);
    }

    static FaultPolicy read(WireReader in) {
        try {
            return new FaultPolicy(in.bool(), in.u16(), in.u16());
        } catch (IllegalArgumentException e) {
            throw new MalformedException(e);
        }
    }
}
