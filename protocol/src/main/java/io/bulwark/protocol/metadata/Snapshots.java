package io.bulwark.protocol.metadata;

import io.bulwark.protocol.wire.Bytes;
import java.security.MessageDigest;
import java.security.NoSuchAlgorithmException;

/** What is kept of bytes. */
final class Snapshots {
    /** Of SHA-256. */
    static final int DIGEST_BYTES = 32;

    private Snapshots() {}

    /** Bytes of their own, so that what is kept does not keep the whole message. */
    static Bytes copy(Bytes slice) {
        return Bytes.of(slice.toByteArray());
    }

    static Bytes sha256(Bytes input) {
        try {
            MessageDigest digest = MessageDigest.getInstance("SHA-256");
            digest.update(input.array(), input.offset(), input.length());
            return Bytes.of(digest.digest());
        } catch (NoSuchAlgorithmException e) {
            throw new IllegalStateException("this Java has no SHA-256", e);
        }
    }
}
