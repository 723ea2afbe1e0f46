package io.bulwark.metadata.pages;

import io.bulwark.protocol.wire.Bytes;
import java.math.BigInteger;
import java.util.function.Predicate;

/**
 * Locator of the position at which a column family of digests cannot be read. The library stops there and does not
 * report the digest.
 */
final class UnreadableRange {
    private static final int DIGEST_BYTES = 32;

    private UnreadableRange() {}

    /**
     * The next digest that is there, by halving.
     *
     * @param above a digest, or none
     * @param noneUpTo whether there is surely none above that and up to this one; not so at the greatest
     */
    static Bytes firstAbove(Bytes above, Predicate<byte[]> noneUpTo) {
        BigInteger low = number(above);
        BigInteger high = BigInteger.ONE.shiftLeft(8 * DIGEST_BYTES).subtract(BigInteger.ONE);
        while (high.subtract(low).compareTo(BigInteger.ONE) > 0) {
            BigInteger middle = low.add(high).shiftRight(1);
            if (noneUpTo.test(digest(middle))) {
                low = middle;
            } else {
                high = middle;
            }
        }
        return Bytes.of(digest(high));
    }

    /**
     * Returns whether no digest can lie between the two. No two pages are that close, so more than one page is
     * unreadable.
     */
    static boolean follows(Bytes above, Bytes next) {
        return number(next).subtract(number(above)).equals(BigInteger.ONE);
    }

    private static BigInteger number(Bytes digest) {
        return digest.isEmpty() ? BigInteger.ONE.negate() : new BigInteger(1, digest.toByteArray());
    }

    private static byte[] digest(BigInteger number) {
        byte[] bytes = number.toByteArray();
        byte[] digest = new byte[DIGEST_BYTES];
        int length = Math.min(bytes.length, DIGEST_BYTES);
        System.arraycopy(bytes, bytes.length - length, digest, DIGEST_BYTES - length, length);
        return digest;
    }
}
