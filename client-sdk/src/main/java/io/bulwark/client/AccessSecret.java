package io.bulwark.client;

import io.bulwark.protocol.id.PrincipalKey;
import io.bulwark.protocol.wire.Bytes;
import io.bulwark.transport.identity.OwnKey;
import io.bulwark.transport.identity.SealedBox;
import java.math.BigInteger;
import java.security.SecureRandom;
import java.util.List;
import java.util.Optional;

/**
 * Secret of an access key: 40 letters and digits that follow from 32 random bytes, since this is what a sealed box
 * holds. 62^40 is less than 2^256, so that each text is as likely as any other but for one part in 2^17.
 */
record AccessSecret(Bytes seed) {
    static final int LENGTH = 40;

    /** Length of an id, of which the first characters name the product. */
    static final int ID_LENGTH = 20;

    private static final String ID_PREFIX = "BWK";
    private static final String ID_ALPHABET = "ABCDEFGHIJKLMNOPQRSTUVWXYZ234567";
    private static final String ALPHABET = "0123456789ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz";

    static AccessSecret random(SecureRandom random) {
        byte[] seed = new byte[SealedBox.SECRET_BYTES];
        random.nextBytes(seed);
        return new AccessSecret(Bytes.of(seed));
    }

    /** Returns a new id; 17 random characters are no secret, but never meet twice. */
    static String randomId(SecureRandom random) {
        StringBuilder id = new StringBuilder(ID_PREFIX);
        while (id.length() < ID_LENGTH) {
            id.append(ID_ALPHABET.charAt(random.nextInt(ID_ALPHABET.length())));
        }
        return id.toString();
    }

    static Optional<AccessSecret> open(Bytes box, OwnKey own) {
        return SealedBox.open(box, own).map(AccessSecret::new);
    }

    Bytes sealedFor(List<PrincipalKey> keys, SecureRandom random) {
        return SealedBox.seal(seed, keys, random);
    }

    String text() {
        BigInteger rest = new BigInteger(1, seed.toByteArray());
        BigInteger base = BigInteger.valueOf(ALPHABET.length());
        StringBuilder text = new StringBuilder();
        while (text.length() < LENGTH) {
            BigInteger[] parts = rest.divideAndRemainder(base);
            text.append(ALPHABET.charAt(parts[1].intValue()));
            rest = parts[0];
        }
        return text.toString();
    }

    @Override
    public String toString() {
        return "secret of an access key";
    }
}
