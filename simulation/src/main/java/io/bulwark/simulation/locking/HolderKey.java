package io.bulwark.simulation.locking;

import io.bulwark.protocol.fingerprint.Hashes;
import io.bulwark.protocol.id.PrincipalKey;
import io.bulwark.protocol.wire.Bytes;
import io.bulwark.protocol.wire.WireWriter;
import java.math.BigInteger;
import java.util.ArrayList;
import java.util.HexFormat;
import java.util.List;
import java.util.Optional;
import java.util.Random;

/**
 * Key of a holder on P-256, whose signatures replicas verify as those of any client. A seed decides everything, so that a
 * run can be repeated, which the Java platform does not allow. Secret numbers are short: nobody here looks for them.
 */
final class HolderKey {
    private static final Bytes PREFIX =
            Bytes.of(HexFormat.of().parseHex("3059301306072a8648ce3d020106082a8648ce3d03010703420004"));
    private static final BigInteger P =
            new BigInteger("ffffffff00000001000000000000000000000000ffffffffffffffffffffffff", 16);
    private static final BigInteger N =
            new BigInteger("ffffffff00000000ffffffffffffffffbce6faada7179e84f3b9cac2fc632551", 16);
    private static final BigInteger THREE = BigInteger.valueOf(3);
    private static final int NUMBER_BYTES = 32;

    /** The generator, twice the generator, and so on. */
    private static final List<Point> POWERS = powers();

    private final Random random;
    private final BigInteger secret;
    private final PrincipalKey named;

    /** A point of the curve in affine coordinates. */
    private record Point(BigInteger x, BigInteger y) {
        private Point plus(Point other) {
            BigInteger slope = equals(other)
                    ? x.multiply(x)
                            .subtract(BigInteger.ONE)
                            .multiply(THREE)
                            .multiply(y.add(y).modInverse(P))
                    : other.y.subtract(y).multiply(other.x.subtract(x).mod(P).modInverse(P));
            BigInteger sum = slope.multiply(slope).subtract(x).subtract(other.x).mod(P);
            return new Point(sum, slope.multiply(x.subtract(sum)).subtract(y).mod(P));
        }
    }

    HolderKey(long seed) {
        random = new Random(seed);
        long number = next();
        secret = BigInteger.valueOf(number);
        Point point = times(number);
        named = new PrincipalKey(new WireWriter()
                .raw(PREFIX)
                .raw(bytes(point.x))
                .raw(bytes(point.y))
                .toBytes());
    }

    PrincipalKey named() {
        return named;
    }

    /** Returns an ECDSA signature: r, then s. */
    Bytes sign(Bytes content) {
        long nonce = next();
        BigInteger hash = new BigInteger(1, Hashes.sha256(content).toByteArray());
        BigInteger r = times(nonce).x.mod(N);
        BigInteger s = hash.add(r.multiply(secret))
                .multiply(BigInteger.valueOf(nonce).modInverse(N))
                .mod(N);
        return new WireWriter().raw(bytes(r)).raw(bytes(s)).toBytes();
    }

    private long next() {
        return 1 + (random.nextLong() >>> 2);
    }

    private static Point times(long number) {
        Optional<Point> sum = Optional.empty();
        for (int bit = 0; bit < POWERS.size(); bit++) {
            if ((number >>> bit & 1) == 1) {
                Point power = POWERS.get(bit);
                sum = Optional.of(sum.map(power::plus).orElse(power));
            }
        }
        return sum.orElseThrow();
    }

    private static List<Point> powers() {
        List<Point> powers = new ArrayList<>();
        Point power = new Point(
                new BigInteger("6b17d1f2e12c4247f8bce6e563a440f277037d812deb33a0f4a13945d898c296", 16),
                new BigInteger("4fe342e2fe1a7f9b8ee7eb4a7c0f9e162bce33576b315ececbb6406837bf51f5", 16));
        for (int bit = 0; bit < Long.SIZE - 1; bit++) {
            powers.add(power);
            power = power.plus(power);
        }
        return powers;
    }

    private static Bytes bytes(BigInteger number) {
        byte[] bytes = new byte[NUMBER_BYTES];
        byte[] shortest = number.toByteArray();
        int count = Math.min(shortest.length, NUMBER_BYTES);
        System.arraycopy(shortest, shortest.length - count, bytes, NUMBER_BYTES - count, count);
        return Bytes.of(bytes);
    }
}
