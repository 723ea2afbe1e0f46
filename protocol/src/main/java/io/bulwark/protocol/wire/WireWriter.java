package io.bulwark.protocol.wire;

import java.nio.charset.StandardCharsets;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.zip.Checksum;

/**
 * Appends canonical big-endian bytes. Large slices are kept by reference, so that a fragment is not copied on its way
 * to the socket; {@link #segments()} returns the pieces in order.
 */
public final class WireWriter {
    private static final int BY_REFERENCE_FROM = 4096;

    private static final int BUFFER_BYTES = 256;
    private static final byte[] NOTHING = {};

    private final List<Bytes> closed = new ArrayList<>(2);
    private byte[] buffer;
    private int used;
    private int closedLength;

    public WireWriter() {
        this(BUFFER_BYTES);
    }

    public WireWriter(int expectedBytes) {
        buffer = new byte[Math.max(16, expectedBytes)];
    }

    /** An unsigned 8-bit number. */
    public WireWriter u8(int value) {
        check(value >= 0 && value <= 0xFF, value, "u8");
        room(1)[used++] = (byte) value;
        return this;
    }

    /** One byte, 0 or 1. */
    public WireWriter bool(boolean value) {
        return u8(value ? 1 : 0);
    }

    /** An unsigned 16-bit number. */
    public WireWriter u16(int value) {
        check(value >= 0 && value <= 0xFFFF, value, "u16");
        byte[] b = room(2);
        b[used++] = (byte) (value >>> 8);
        b[used++] = (byte) value;
        return this;
    }

    /** A 32-bit number, all bits. */
    public WireWriter i32(int value) {
        byte[] b = room(4);
        b[used++] = (byte) (value >>> 24);
        b[used++] = (byte) (value >>> 16);
        b[used++] = (byte) (value >>> 8);
        b[used++] = (byte) value;
        return this;
    }

    /** A 64-bit number, all bits. */
    public WireWriter i64(long value) {
        return i32((int) (value >>> 32)).i32((int) value);
    }

    /** Bytes whose length the reader knows. */
    public WireWriter raw(Bytes bytes) {
        if (bytes.length() >= BY_REFERENCE_FROM) {
            close();
            closed.add(bytes);
            closedLength += bytes.length();
        } else {
            byte[] b = room(bytes.length());
            bytes.copyTo(0, b, used, bytes.length());
            used += bytes.length();
        }
        return this;
    }

    /** A 32-bit length and the bytes. */
    public WireWriter bytes(Bytes bytes) {
        return i32(bytes.length()).raw(bytes);
    }

    /** A 32-bit length in bytes and the string in UTF-8. */
    public WireWriter string(String value) {
        return bytes(Bytes.of(value.getBytes(StandardCharsets.UTF_8)));
    }

    public int length() {
        return closedLength + used;
    }

    /** Updates the checksum with the written bytes, which must be small. */
    void update(Checksum checksum) {
        checksum.update(buffer, 0, used);
    }

    /** Returns the written bytes, in order. The writer must not be used afterwards. */
    public List<Bytes> segments() {
        close();
        return List.copyOf(closed);
    }

    /** Returns the written bytes, in one piece. The writer must not be used afterwards. */
    public Bytes toBytes() {
        if (closed.isEmpty()) {
            return Bytes.of(buffer, 0, used);
        }
        byte[] all = new byte[length()];
        int at = 0;
        for (Bytes segment : segments()) {
            segment.copyTo(0, all, at, segment.length());
            at += segment.length();
        }
        return Bytes.of(all);
    }

    private void close() {
        if (used > 0) {
            closed.add(Bytes.of(buffer, 0, used));
            closedLength += used;
            buffer = NOTHING;
            used = 0;
        }
    }

    private byte[] room(int count) {
        if (buffer.length - used < count) {
            int length = buffer.length == 0 ? BUFFER_BYTES : buffer.length * 2;
            buffer = Arrays.copyOf(buffer, Math.max(length, used + count));
        }
        return buffer;
    }

    private static void check(boolean condition, int value, String type) {
        if (!condition) {
            throw new IllegalArgumentException(value + " does not fit into " + type);
        }
    }
}
