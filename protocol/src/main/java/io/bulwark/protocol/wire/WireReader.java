package io.bulwark.protocol.wire;

import java.nio.ByteBuffer;
import java.nio.charset.CharacterCodingException;
import java.nio.charset.StandardCharsets;

/**
 * Reads canonical big-endian bytes. Each length is compared with the caller's bound and with the remaining bytes before
 * anything is allocated; slices share the frame's array.
 */
public final class WireReader {
    private final Bytes bytes;
    private int at;

    public WireReader(Bytes bytes) {
        this.bytes = bytes;
    }

    public int u8() {
        need(1);
        return bytes.get(at++) & 0xFF;
    }

    /** One byte that must be 0 or 1. */
    public boolean bool() {
        int value = u8();
        if (value > 1) {
            throw new MalformedException("not a boolean: " + value);
        }
        return value == 1;
    }

    public int u16() {
        return (u8() << 8) | u8();
    }

    public int i32() {
        return (u16() << 16) | u16();
    }

    public long i64() {
        return ((long) i32() << 32) | (i32() & 0xFFFFFFFFL);
    }

    /** A 64-bit number that must not be negative. */
    public long nonNegative64() {
        long value = i64();
        if (value < 0) {
            throw new MalformedException("negative: " + value);
        }
        return value;
    }

    /** A 32-bit number that must lie in {@code min..max}. */
    public int i32(int min, int max) {
        int value = i32();
        if (value < min || value > max) {
            throw new MalformedException(value + " is not in " + min + ".." + max);
        }
        return value;
    }

    /** A 16-bit count of at most {@code max}. */
    public int count16(int max) {
        int value = u16();
        if (value > max) {
            throw new MalformedException("count " + value + " above " + max);
        }
        return value;
    }

    /** Exactly {@code length} bytes. */
    public Bytes raw(int length) {
        need(length);
        Bytes slice = bytes.slice(at, length);
        at += length;
        return slice;
    }

    /** A 32-bit length of at most {@code max}, and as many bytes. */
    public Bytes bytes(int max) {
        return raw(i32(0, max));
    }

    /** A 32-bit length of at most {@code maxBytes}, and as many bytes of well-formed UTF-8. */
    public String string(int maxBytes) {
        Bytes slice = bytes(maxBytes);
        try {
            return StandardCharsets.UTF_8
                    .newDecoder()
                    .decode(ByteBuffer.wrap(slice.array(), slice.offset(), slice.length()))
                    .toString();
        } catch (CharacterCodingException e) {
            throw new MalformedException("not UTF-8");
        }
    }

    public int remaining() {
        return bytes.length() - at;
    }

    /** Nothing may be left. */
    public void end() {
        if (remaining() != 0) {
            throw new MalformedException(remaining() + " trailing bytes");
        }
    }

    private void need(int count) {
        if (count < 0 || count > remaining()) {
            throw new MalformedException("need " + count + " bytes, have " + remaining());
        }
    }
}
