package io.bulwark.protocol.metadata;

import io.bulwark.protocol.wire.MalformedException;
import io.bulwark.protocol.wire.WireReader;
import io.bulwark.protocol.wire.WireWriter;
import java.util.ArrayList;
import java.util.List;

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

    /** Returns the names of the rights: {@code read}, {@code write}, {@code administer}. */
    public List<String> names() {
        List<String> names = new ArrayList<>();
        if (read) {
            names.add("read");
        }
        if (write) {
            names.add("write");
        }
        if (administer) {
            names.add("administer");
        }
        return names;
    }

    /** Returns the rights in words, such as {@code read, write}, or {@code none}. */
    public String text() {
        return isNone() ? "none" : String.join(", ", names());
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
