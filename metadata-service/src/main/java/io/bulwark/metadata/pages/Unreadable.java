package io.bulwark.metadata.pages;

import io.bulwark.protocol.wire.Bytes;
import java.math.BigInteger;
import java.util.function.Predicate;

/** Where a column family of digests cannot be read: the library stops there, and does not say which digest it is. */
final class Unreadable {
    private static final int DIGEST_BYTES = 32;

    private Unreadable() {}

    /**
     * The next digest that cannot be read, by doubling and halving; of several close to each other one that may not be the first.
     *
     * @param above the last digest that can be read, or none
     * @param readableFrom whether what comes first from a digest on can be read, or nothing comes
     */
    static Bytes firstAbove(Bytes above, Predicate<byte[]> readableFrom) {
        BigInteger low = new BigInteger(1, above.toByteArray()).add(above.isEmpty() ? BigInteger.ZERO : BigInteger.ONE);
        int bits = 0;
        while (isDigest(low.add(BigInteger.ONE.shiftLeft(bits)))
                && !readableFrom.test(digest(low.add(BigInteger.ONE.shiftLeft(bits))))) {
            bits++;
        }
        BigInteger high = low.add(BigInteger.ONE.shiftLeft(bits));
        while (high.subtract(low).compareTo(BigInteger.ONE) > 0) {
            BigInteger middle = low.add(high).shiftRight(1);
            if (isDigest(middle) && !readableFrom.test(digest(middle))) {
                low = middle;
            } else {
                high = middle;
            }
        }
        return Bytes.of(digest(low));
    }

    private static boolean isDigest(BigInteger number) {
        return number.bitLength() <= 8 * DIGEST_BYTES;
    }

    private static byte[] digest(BigInteger number) {
        byte[] bytes = number.toByteArray();
        byte[] digest = new byte[DIGEST_BYTES];
        int length = Math.min(bytes.length, DIGEST_BYTES);
        System.arraycopy(bytes, bytes.length - length, digest, DIGEST_BYTES - length, length);
        return digest;
    }
}
