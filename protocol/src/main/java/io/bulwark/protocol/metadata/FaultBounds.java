package io.bulwark.protocol.metadata;

import io.bulwark.protocol.wire.WireReader;
import io.bulwark.protocol.wire.WireWriter;

/**
 * Numbers of faults between which the threat level moves a volume.
 *
 * @param least at level 0; 0 if the volume does not follow the level
 */
record FaultBounds(int least, int most) {
    static final FaultBounds NONE = new FaultBounds(0, 0);

    boolean follow() {
        return least > 0;
    }

    /** Returns the number of faults to tolerate at this level. */
    int at(int level) {
        return Math.min(least + level, most);
    }

    void write(WireWriter out) {
        out.u8(least).u8(most);
    }

    static FaultBounds read(WireReader in) {
        return new FaultBounds(in.u8(), in.u8());
    }
}
