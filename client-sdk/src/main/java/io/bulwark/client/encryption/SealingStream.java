package io.bulwark.client.encryption;

import java.io.IOException;
import java.io.InputStream;
import java.util.Objects;

/**
 * The sealed form of the remaining bytes of another stream, which stays open. Holds a segment in plain and sealed form.
 */
public final class SealingStream extends InputStream {
    private static final int PART_BYTES = 8 << 10;

    private final InputStream plain;
    private final SegmentCipher.Sealer sealer;
    private final byte[] part = new byte[PART_BYTES];
    private int partAt;
    private int partLength;
    private byte[] sealed = new byte[0];
    private int at;
    private boolean over;

    /** Reads the first segment when it is first read from. */
    public SealingStream(InputStream plain, SegmentCipher cipher) {
        this.plain = plain;
        this.sealer = cipher.sealer();
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
        if (at == sealed.length && !next()) {
            return -1;
        }
        int count = Math.min(length, sealed.length - at);
        System.arraycopy(sealed, at, target, offset, count);
        at += count;
        return count;
    }

    /** Reads the next segment. It must read ahead to learn whether a full segment is the last one. */
    private boolean next() throws IOException {
        if (over) {
            return false;
        }
        while (true) {
            if (partAt == partLength) {
                partAt = 0;
                partLength = plain.readNBytes(part, 0, part.length);
            }
            if (partLength == 0 || sealer.isFull()) {
                over = partLength == 0;
                sealed = sealer.seal(over);
                at = 0;
                return true;
            }
            partAt += sealer.take(part, partAt, partLength - partAt);
        }
    }
}
