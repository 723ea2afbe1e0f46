package io.bulwark.client.encryption;

import io.bulwark.client.error.NotAuthenticException;
import io.bulwark.client.error.Subject;
import java.io.IOException;
import java.io.InputStream;
import java.security.GeneralSecurityException;
import java.util.Objects;

/**
 * The plain text of a range of a sealed object. It delivers only authenticated bytes: a segment is opened as a whole.
 * For changed content {@code read} throws a {@link NotAuthenticException}. Holds one segment.
 */
public final class OpeningStream extends InputStream {
    private final InputStream sealed;
    private final SegmentCipher cipher;
    private final Subject subject;
    private final long lastOfObject;
    private final byte[] buffer = new byte[SegmentCipher.SEALED_BYTES];
    private byte[] plain = new byte[0];
    private int at;
    private long segment;
    private long skip;
    private long left;

    /**
     * Sealed bytes that a range of plain text needs. A range that ends with the object, or lies behind it, needs the
     * last segment, which proves that nothing was cut off.
     *
     * @param segment the first one
     * @param skip bytes of plain text of that segment before the range
     * @param length bytes of plain text
     * @param lastOfObject the number of the object's last segment
     */
    public record Range(long segment, long skip, long length, long lastOfObject) {
        /**
         * Returns the range in an object with this number of sealed bytes.
         *
         * @throws NotAuthenticException if no object can have that many
         */
        public static Range of(long sealedLength, long offset, long length, Subject subject) {
            if (!SegmentCipher.isPossible(sealedLength)) {
                throw new NotAuthenticException("no encrypted object has " + sealedLength + " bytes", subject);
            }
            long plainLength = SegmentCipher.plainLength(sealedLength);
            long last = SegmentCipher.segments(sealedLength) - 1;
            long from = Math.min(offset, plainLength);
            long count = Math.min(length, plainLength - from);
            long first = Math.min(from / SegmentCipher.SEGMENT_BYTES, last);
            return new Range(first, from - first * SegmentCipher.SEGMENT_BYTES, count, last);
        }

        /** The first sealed byte. */
        public long sealedOffset() {
            return segment * SegmentCipher.SEALED_BYTES;
        }

        /** Returns the maximum number of sealed bytes. */
        public long sealedLength() {
            long end = Math.ceilDiv(skip + length, SegmentCipher.SEGMENT_BYTES);
            return Math.max(1, end) * SegmentCipher.SEALED_BYTES;
        }
    }

    /** Reads a range from a stream that begins with its first sealed byte, and closes that when it is closed. */
    public OpeningStream(InputStream sealed, SegmentCipher cipher, Range range, Subject subject) {
        this.sealed = sealed;
        this.cipher = cipher;
        this.subject = subject;
        this.segment = range.segment();
        this.skip = range.skip();
        this.left = range.length();
        this.lastOfObject = range.lastOfObject();
    }

    /** Opens the first segment, even if nothing is wanted of it; closes all if that fails. */
    public OpeningStream checked() throws IOException {
        try {
            open();
            return this;
        } catch (IOException | RuntimeException e) {
            sealed.close();
            throw e;
        }
    }

    @Override
    public int read() throws IOException {
        byte[] one = new byte[1];
        return read(one, 0, 1) < 0 ? -1 : one[0] & 0xFF;
    }

    @Override
    public int read(byte[] target, int offset, int length) throws IOException {
        Objects.checkFromIndexSize(offset, length, target.length);
        if (length == 0) {
            return 0;
        }
        if (left == 0) {
            return -1;
        }
        if (at == plain.length) {
            open();
        }
        int count = (int) Math.min(Math.min(length, left), plain.length - at);
        System.arraycopy(plain, at, target, offset, count);
        at += count;
        left -= count;
        return count;
    }

    @Override
    public int available() {
        return (int) Math.min(left, plain.length - at);
    }

    @Override
    public void close() throws IOException {
        sealed.close();
    }

    private void open() throws IOException {
        int length = sealed.readNBytes(buffer, 0, buffer.length);
        boolean last = segment == lastOfObject;
        try {
            plain = cipher.open(segment, last, buffer, length);
        } catch (GeneralSecurityException e) {
            throw new NotAuthenticException(
                    "segment " + segment + " does not match its encryption: " + e.getMessage(), subject, e);
        }
        if (plain.length < skip || (plain.length < SegmentCipher.SEGMENT_BYTES && !last)) {
            throw new NotAuthenticException("segment " + segment + " is too short", subject);
        }
        at = (int) skip;
        skip = 0;
        segment++;
    }
}
