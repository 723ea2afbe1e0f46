package io.bulwark.protocol.metadata;

import io.bulwark.protocol.wire.MalformedException;
import io.bulwark.protocol.wire.WireReader;
import io.bulwark.protocol.wire.WireWriter;

/** Rights that a grant gives. One byte on the wire. */
public record Rights(boolean read, boolean write, boolean administer) {
    public static final Rights NONE = new Rights(false, false, false);
    public static final Rights ALL = new Rights(true, true, true);

    private static final int READ = 1;
    private static final int WRITE = 2;
    private static final int ADMINISTER = 4;

    public boolean isNone() {
        return equals(NONE);
    }

    void write(WireWriter out) {
        out.u8((read ? READ : 0) | (write ? WRITE : 0) | (administer ? ADMINISTER : 0));
    }

    static Rights read(WireReader in) {
        int bits = in.u8();
        if (bits > (READ | WRITE | ADMINISTER)) {
            throw new MalformedException("unknown rights " + bits);
        }
        return new Rights((bits & READ) != 0, (bits & WRITE) != 0, (bits & ADMINISTER) != 0);
    }
}
