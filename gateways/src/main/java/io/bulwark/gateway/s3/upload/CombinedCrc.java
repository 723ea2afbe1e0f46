package io.bulwark.gateway.s3.upload;

import io.bulwark.gateway.s3.body.ChecksumAlgorithm;
import java.nio.ByteBuffer;
import java.util.Optional;

/**
 * Combines the cyclic redundancy checks of parts into that of the whole, without its bytes. All three of S3 begin with
 * ones and are inverted at the end, so that the check of A followed by B is the check of A, times x to the number of
 * bits of B, plus the check of B; modulo the polynomial, whose bits are in reverse order here.
 */
final class CombinedCrc {
    private final long polynomial;
    private final int width;
    private long value;

    private CombinedCrc(long polynomial, int width) {
        this.polynomial = polynomial;
        this.width = width;
    }

    /** Returns the check of nothing; empty if the algorithm is no cyclic redundancy check. */
    static Optional<CombinedCrc> of(ChecksumAlgorithm algorithm) {
        return switch (algorithm) {
            case CRC32 -> Optional.of(new CombinedCrc(0xEDB88320L, 32));
            case CRC32C -> Optional.of(new CombinedCrc(0x82F63B78L, 32));
            case CRC64NVME -> Optional.of(new CombinedCrc(0x9A6C9329AC4BC9B5L, 64));
            case SHA1, SHA256 -> Optional.empty();
        };
    }

    /** Appends a part, whose check has as many bytes as the algorithm says. */
    void append(byte[] check, long length) {
        if (check.length != width / 8) {
            throw new IllegalArgumentException("a check of " + check.length + " bytes");
        }
        long other = width == 32
                ? Integer.toUnsignedLong(ByteBuffer.wrap(check).getInt())
                : ByteBuffer.wrap(check).getLong();
        value = multiply(power(length), value) ^ other;
    }

    byte[] toBytes() {
        return width == 32
                ? ByteBuffer.allocate(4).putInt((int) value).array()
                : ByteBuffer.allocate(8).putLong(value).array();
    }

    /** Returns x to the number of bits of so many bytes. */
    private long power(long bytes) {
        long result = 1L << (width - 1);
        long factor = 1L << (width - 1 - 8);
        for (long left = bytes; left != 0; left >>>= 1) {
            if ((left & 1) != 0) {
                result = multiply(factor, result);
            }
            factor = multiply(factor, factor);
        }
        return result;
    }

    private long multiply(long a, long b) {
        long product = 0;
        long shifted = b;
        for (long bit = 1L << (width - 1); bit != 0; bit >>>= 1) {
            if ((a & bit) != 0) {
                product ^= shifted;
            }
            shifted = (shifted & 1) != 0 ? (shifted >>> 1) ^ polynomial : shifted >>> 1;
        }
        return product;
    }
}
