package io.bulwark.protocol.fingerprint;

import java.math.BigInteger;

/**
 * The bound of theorem 2.2.4, apart from hash collisions: the probability that an adversary finds two blocks consistent
 * with one fingerprinted cross-checksum is at most {@code chi * C(n, m+1) * epsilon}. The theorem's n is the number of
 * hashes in it: all n for an extent; a register's m+f are fewer, and the bound for n holds for them, too.
 *
 * <ul>
 *   <li>chi is the number of its queries to the random oracle, here of cross-checksums hashed to find a convenient r: taken
 *       as 2^40.
 *   <li>epsilon is the probability that two different fragments have one fingerprint at a random r (theorem 2.1.4): the
 *       number of powers of r over |E| = 2^128. For a fragment of L bytes, 64 * ceil(L / 1024) / 2^128.
 * </ul>
 *
 * <p>A policy for which this is not below 2^-64 is refused.
 */
public final class FingerprintBound {
    /** log2 of chi. */
    private static final int ORACLE_QUERIES_BITS = 40;

    private static final int FIELD_BITS = 128;
    private static final int PROBABILITY_BITS = 64;

    private FingerprintBound() {}

    /**
     * Returns whether the bound holds for m-of-n fragments of at most {@code fragmentLength} bytes; computed exactly.
     *
     * @throws IllegalArgumentException unless 1 <= m <= n and the length is not negative
     */
    public static boolean holds(int m, int n, int fragmentLength) {
        if (m < 1 || n < m || fragmentLength < 0) {
            throw new IllegalArgumentException("m = " + m + ", n = " + n + ", length " + fragmentLength);
        }
        return holds(choose(n, m + 1), fragmentLength);
    }

    /**
     * Returns whether the bound {@code chi * N * epsilon} of a {@link Commitment} holds for N symbols. Segment and symbols are fixed before r, so each symbol
     * is compared with one other only.
     */
    public static boolean holdsForSymbols(int symbols, int symbolBytes) {
        return holds(BigInteger.valueOf(symbols), symbolBytes);
    }

    private static boolean holds(BigInteger pairs, int length) {
        long powers = (long) LaneEvaluation.LANES * Math.ceilDiv(length, LaneEvaluation.GROUP);
        BigInteger failures = pairs.multiply(BigInteger.valueOf(powers));
        return failures.shiftLeft(ORACLE_QUERIES_BITS)
                        .compareTo(BigInteger.ONE.shiftLeft(FIELD_BITS - PROBABILITY_BITS))
                < 0;
    }

    private static BigInteger choose(int n, int k) {
        BigInteger result = BigInteger.ONE;
        for (int i = 0; i < k; i++) {
            result = result.multiply(BigInteger.valueOf(n - i)).divide(BigInteger.valueOf(i + 1L));
        }
        return result;
    }
}
