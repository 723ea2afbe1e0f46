package io.bulwark.client.encryption;

import io.bulwark.protocol.wire.Bytes;
import io.bulwark.protocol.wire.WireWriter;
import java.security.GeneralSecurityException;
import javax.crypto.SecretKey;
import javax.crypto.spec.SecretKeySpec;

/**
 * The bytes of one object in segments, each sealed by itself so that ranges can be read. The nonce of a segment is its
 * number and whether it is the last: missing, swapped, duplicated and truncated segments are detected. Each object has
 * its own data key, so that no segment fits into another object.
 */
public final class SegmentCipher {
    /** Bytes of plain text of each segment but the last, which has 0 bytes only if the object is empty. */
    public static final int SEGMENT_BYTES = 64 << 10;

    static final int SEALED_BYTES = SEGMENT_BYTES + AesGcm.TAG_BYTES;

    private final SecretKey key;
    private final Bytes bound;

    SegmentCipher(Bytes dataKey, Bytes bound) {
        this.key = new SecretKeySpec(dataKey.toByteArray(), AesGcm.ALGORITHM);
        this.bound = bound;
    }

    /** Returns the number of segments of an object with so many sealed bytes. */
    static long segments(long sealedLength) {
        return Math.ceilDiv(sealedLength, SEALED_BYTES);
    }

    /** Bytes of an object when it is sealed. */
    public static long sealedLength(long plainLength) {
        return plainLength + AesGcm.TAG_BYTES * Math.max(1, Math.ceilDiv(plainLength, SEGMENT_BYTES));
    }

    /** Bytes of plain text in a sealed object, or in so much of one. */
    public static long plainLength(long sealedLength) {
        return Math.max(0, sealedLength - AesGcm.TAG_BYTES * segments(sealedLength));
    }

    /**
     * Returns whether a sealed object can have this length: each segment has a tag, and only the first may have nothing
     * else.
     */
    static boolean isPossible(long sealedLength) {
        long inLast = sealedLength - (segments(sealedLength) - 1) * SEALED_BYTES;
        return sealedLength > 0 && (inLast > AesGcm.TAG_BYTES || sealedLength == AesGcm.TAG_BYTES);
    }

    /** Seals a new object, segment by segment. */
    public Sealer sealer() {
        return new Sealer();
    }

    /** Collects a segment at a time. To be used by one thread. */
    public final class Sealer {
        private final byte[] buffer = new byte[SEGMENT_BYTES];
        private int used;
        private long segment;

        private Sealer() {}

        /** Returns whether the segment must be sealed before it takes more bytes. */
        public boolean isFull() {
            return used == buffer.length;
        }

        /** Takes what there is room for, and returns how much that was. */
        public int take(byte[] source, int offset, int length) {
            int taken = Math.min(length, buffer.length - used);
            System.arraycopy(source, offset, buffer, used, taken);
            used += taken;
            return taken;
        }

        /**
         * The sealed segment, full unless it is the last.
         *
         * @param last nothing may follow
         */
        public byte[] seal(boolean last) {
            byte[] sealed = SegmentCipher.this.seal(segment++, last, buffer, used);
            used = 0;
            return sealed;
        }
    }

    byte[] seal(long segment, boolean last, byte[] plain, int length) {
        try {
            return AesGcm.seal(key, nonce(segment, last), bound, plain, 0, length);
        } catch (GeneralSecurityException e) {
            throw new IllegalStateException("every Java platform has AES-256-GCM", e);
        }
    }

    byte[] open(long segment, boolean last, byte[] sealed, int length) throws GeneralSecurityException {
        return AesGcm.open(key, nonce(segment, last), bound, sealed, 0, length);
    }

    private static byte[] nonce(long segment, boolean last) {
        return new WireWriter(AesGcm.NONCE_BYTES)
                .u8(0)
                .u16(0)
                .i64(segment)
                .bool(last)
                .toBytes()
                .toByteArray();
    }
}
