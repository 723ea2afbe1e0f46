package io.bulwark.protocol.mac;

import io.bulwark.protocol.wire.Bytes;
import java.security.GeneralSecurityException;
import java.security.MessageDigest;
import javax.crypto.Mac;
import javax.crypto.spec.SecretKeySpec;

/** One key, keyed once: HMAC-SHA-256. Safe for use by several threads. */
final class MacKey {
    private static final String ALGORITHM = "HmacSHA256";

    private final Mac keyed;

    MacKey(Bytes secret) {
        if (secret.length() != PairwiseKeys.KEY_BYTES) {
            throw new IllegalArgumentException("a key of " + secret.length() + " bytes");
        }
        try {
            keyed = Mac.getInstance(ALGORITHM);
            keyed.init(new SecretKeySpec(secret.toByteArray(), ALGORITHM));
        } catch (GeneralSecurityException e) {
            throw new IllegalStateException("this Java has no " + ALGORITHM, e);
        }
    }

    /** All 32 bytes. */
    Bytes full(Bytes input) {
        try {
            // Threads need their own; a copy saves looking up the algorithm and hashing the key, half of the time.
            Mac mac = (Mac) keyed.clone();
            mac.update(input.array(), input.offset(), input.length());
            return Bytes.of(mac.doFinal());
        } catch (CloneNotSupportedException e) {
            throw new IllegalStateException("this Java copies no " + ALGORITHM, e);
        }
    }

    /** The 16 bytes that travel. */
    Bytes mac(Bytes input) {
        return full(input).slice(0, PairwiseKeys.MAC_BYTES);
    }

    boolean verifies(Bytes input, Bytes mac) {
        return MessageDigest.isEqual(mac(input).toByteArray(), mac.toByteArray());
    }
}
