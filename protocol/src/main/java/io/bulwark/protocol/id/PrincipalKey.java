package io.bulwark.protocol.id;

import io.bulwark.protocol.wire.Bytes;
import io.bulwark.protocol.wire.WireReader;
import io.bulwark.protocol.wire.WireWriter;
import java.math.BigInteger;
import java.util.Base64;
import java.util.HexFormat;

/**
 * Public key of a principal: a point of the curve P-256 (FIPS 186-5), in the 91-byte X.509 form without compression
 * (RFC 5480). Equal keys have equal bytes, so that they can be pinned.
 */
public record PrincipalKey(Bytes encoded) implements Comparable<PrincipalKey> {
    public static final int BYTES = 91;

    private static final String NOT_A_KEY = "this is not the whole of a public key of P-256 in Base64, in its one form";

    private static final int COORDINATE_BYTES = 32;

    /** Everything before the coordinates: id-ecPublicKey, prime256v1, a point that is not compressed. */
    private static final Bytes PREFIX =
            Bytes.of(HexFormat.of().parseHex("3059301306072a8648ce3d020106082a8648ce3d03010703420004"));

    private static final BigInteger P =
            new BigInteger("ffffffff00000001000000000000000000000000ffffffffffffffffffffffff", 16);
    private static final BigInteger B =
            new BigInteger("5ac635d8aa3a93e7b3ebbd55769886bc651d06b0cc53b0f63bce3c3e27d2604b", 16);
    private static final BigInteger THREE = BigInteger.valueOf(3);

    /**
     * Checks the bytes.
     *
     * @throws IllegalArgumentException if it is no such encoding, or of no point of the curve
     */
    public PrincipalKey {
        if (encoded.length() != BYTES
                || !encoded.slice(0, PREFIX.length()).equals(PREFIX)
                || !isOnCurve(
                        coordinate(encoded, PREFIX.length()),
                        coordinate(encoded, PREFIX.length() + COORDINATE_BYTES))) {
            throw new IllegalArgumentException("this is not the X.509 encoding of a public key of P-256");
        }
    }

    public void write(WireWriter out) {
        out.raw(encoded);
    }

    public static PrincipalKey read(WireReader in) {
        return new PrincipalKey(in.raw(BYTES));
    }

    /** Returns whether the owner of this key has signed this. Any bytes may come as the signature. */
    public boolean verifies(Bytes content, Bytes signature) {
        return P256.chosen().verifies(this, content, signature);
    }

    /** Returns the key in Base64, as in files and on command lines. */
    public String text() {
        return Base64.getEncoder().encodeToString(encoded.toByteArray());
    }

    /**
     * Reads what {@link #text} gives.
     *
     * @throws IllegalArgumentException if it is something else, or not the whole of it
     */
    public static PrincipalKey parse(String text) {
        try {
            PrincipalKey key = new PrincipalKey(Bytes.of(Base64.getDecoder().decode(text)));
            if (key.text().equals(text)) {
                return key;
            }
        } catch (IllegalArgumentException e) {
            throw new IllegalArgumentException(NOT_A_KEY, e);
        }
        throw new IllegalArgumentException(NOT_A_KEY);
    }

    @Override
    public int compareTo(PrincipalKey other) {
        return encoded.compareTo(other.encoded);
    }

    @Override
    public String toString() {
        return text();
    }

    private static BigInteger coordinate(Bytes encoded, int from) {
        return new BigInteger(1, encoded.slice(from, COORDINATE_BYTES).toByteArray());
    }

    /** Returns whether {@code y^2 = x^3 - 3x + b}. */
    private static boolean isOnCurve(BigInteger x, BigInteger y) {
        if (x.compareTo(P) >= 0 || y.compareTo(P) >= 0) {
            return false;
        }
        BigInteger right = x.multiply(x).subtract(THREE).multiply(x).add(B);
        return y.multiply(y).subtract(right).mod(P).signum() == 0;
    }
}
