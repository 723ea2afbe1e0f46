package io.bulwark.gateway.s3.signature;

import io.bulwark.gateway.s3.request.Hashes;
import java.nio.charset.StandardCharsets;
import java.security.GeneralSecurityException;
import java.security.MessageDigest;
import java.util.HexFormat;
import javax.crypto.Mac;
import javax.crypto.spec.SecretKeySpec;

/** SHA-256 and HMAC-SHA256 of text in the forms that signatures use. */
final class Digests {
    private static final String HMAC = "HmacSHA256";

    private Digests() {}

    static byte[] hmac(byte[] key, String text) {
        try {
            Mac mac = Mac.getInstance(HMAC);
            mac.init(new SecretKeySpec(key, HMAC));
            return mac.doFinal(text.getBytes(StandardCharsets.UTF_8));
        } catch (GeneralSecurityException e) {
            throw new IllegalStateException("this Java has no HMAC-SHA256", e);
        }
    }

    static byte[] sha256(byte[] bytes) {
        return Hashes.sha256().digest(bytes);
    }

    static String hex(byte[] bytes) {
        return HexFormat.of().formatHex(bytes);
    }

    /** Compares in a time that does not depend on the content. */
    static boolean isEqual(String one, String other) {
        return MessageDigest.isEqual(one.getBytes(StandardCharsets.UTF_8), other.getBytes(StandardCharsets.UTF_8));
    }
}
