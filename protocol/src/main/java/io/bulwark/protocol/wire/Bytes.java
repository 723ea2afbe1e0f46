package io.bulwark.protocol.wire;

import java.util.Arrays;
import java.util.HexFormat;
import java.util.Objects;

/**
 * A read-only slice of a heap array: how fragments and other opaque byte strings travel through the protocols without
 * being copied.
 *
 * <p>Nobody writes to the array once a slice of it exists; two slices are equal when their bytes are.
 */
public final class Bytes implements Comparable<Bytes> {
    public static final Bytes EMPTY = new Bytes(new byte[0], 0, 0);

    private final byte[] array;
    private final int offset;
    private final int length;

    private Bytes(byte[] array, int offset, int length) {
        this.array = array;
        this.offset = offset;
        this.length = length;
    }

    /** The whole array, not copied: the caller gives it up. */
    public static Bytes of(byte... array) {
        return array.length == 0 ? EMPTY : new Bytes(array, 0, array.length);
    }

    /** A slice of the array, not copied: the caller gives it up. */
    public static Bytes of(byte[] array, int offset, int length) {
        Objects.checkFromIndexSize(offset, length, array.length);
        return new Bytes(array, offset, length);
    }

    public int length() {
        return length;
    }

    public boolean isEmpty() {
        return length == 0;
    }

    public byte get(int index) {
        return array[offset + Objects.checkIndex(index, length)];
    }

    public Bytes slice(int from, int count) {
        Objects.checkFromIndexSize(from, count, length);
        return new Bytes(array, offset + from, count);
    }

    /** The backing array, for code that reads it in place together with {@link #offset()}; it must not be written. */
    public byte[] array() {
        return array;
    }

    public int offset() {
        return offset;
    }

    public byte[] toByteArray() {
        return Arrays.copyOfRange(array, offset, offset + length);
    }

    public void copyTo(int from, byte[] target, int targetOffset, int count) {
        Objects.checkFromIndexSize(from, count, length);
        System.arraycopy(array, offset + from, target, targetOffset, count);
    }

    /** Compares as unsigned bytes, a proper prefix first. */
    @Override
    public int compareTo(Bytes other) {
        return Arrays.compareUnsigned(
                array, offset, offset + length, other.array, other.offset, other.offset + other.length);
    }

    @Override
    public boolean equals(Object other) {
        return other instanceof Bytes that
                && Arrays.equals(array, offset, offset + length, that.array, that.offset, that.offset + that.length);
    }

    @Override
    public int hashCode() {
        int hash = length;
        int step = Math.max(1, length / 64);
        for (int i = 0; i < length; i += step) {
            hash = 31 * hash + array[offset + i];
        }
        return hash;
    }

    /** All bytes in hexadecimal. */
    public String toHex() {
        return HexFormat.of().formatHex(array, offset, offset + length);
    }

    @Override
    public String toString() {
        int shown = Math.min(length, 8);
        String hex = HexFormat.of().formatHex(array, offset, offset + shown);
        return shown == length ? hex : hex + "..(" + length + ")";
    }
}
