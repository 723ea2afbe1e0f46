package io.bulwark.protocol.fingerprint;

import io.bulwark.protocol.wire.Bytes;
import java.security.MessageDigest;
import java.security.NoSuchAlgorithmException;

/** The collision-resistant hash of the papers, SHA-256. */
public final class Hashes {
    /** Bytes of a hash. */
    public static final int LENGTH = 32;

    private Hashes() {}

    /** Returns the hash of the concatenated parts; where parts vary in length, the caller makes them unambiguous. */
    public static Bytes sha256(Bytes... parts) {
        MessageDigest digest = digest();
        for (Bytes part : parts) {
            digest.update(part.array(), part.offset(), part.length());
        }
        return Bytes.of(digest.digest());
    }

    /** Returns a digest for one hash whose parts come one by one. */
    static MessageDigest digest() {
        try {
            return MessageDigest.getInstance("SHA-256");
        } catch (NoSuchAlgorithmException e) {
            throw new IllegalStateException("every Java platform has SHA-256", e);
        }
    }
}
