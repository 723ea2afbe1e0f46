package io.bulwark.protocol.wire;

import java.util.Arrays;
import org.jspecify.annotations.NullMarked;

/** Decisions of a fuzzer, taken byte by byte; past the end all decisions are 0. */
@NullMarked
public final class FuzzedBytes {
    private static final int CHANGES_MAX = 4;

    private final byte[] bytes;
    private int at;

    public FuzzedBytes(byte[] bytes) {
        this.bytes = bytes;
    }

    public boolean isOver() {
        return at >= bytes.length;
    }

    public int u8() {
        return isOver() ? 0 : bytes[at++] & 0xFF;
    }

    /** A number from 0 to one less than the bound, which is 256 at most. */
    public int below(int bound) {
        return u8() % bound;
    }

    /** Returns the sample with a few bytes changed; one bit of the input decides whether its end is cut off. */
    public Bytes changed(Bytes sample) {
        int decided = u8();
        byte[] changed = sample.toByteArray();
        if (changed.length == 0) {
            return sample;
        }
        for (int change = decided % CHANGES_MAX; change > 0; change--) {
            int place = u8() << 8 | u8();
            changed[place % changed.length] = (byte) u8();
        }
        return Bytes.of(decided < 0x80 ? changed : Arrays.copyOf(changed, (u8() << 8 | u8()) % changed.length));
    }
}
