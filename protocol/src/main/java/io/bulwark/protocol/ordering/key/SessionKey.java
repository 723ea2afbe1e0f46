package io.bulwark.protocol.ordering.key;

import io.bulwark.protocol.mac.PairwiseKeys;
import io.bulwark.protocol.wire.Bytes;
import java.security.GeneralSecurityException;
import java.security.MessageDigest;
import javax.crypto.Mac;
import javax.crypto.spec.SecretKeySpec;

/** One session key, keyed once: HMAC-SHA-256, cut to 16 bytes. Not shared between threads. */
final class SessionKey {
    static final int BYTES = PairwiseKeys.KEY_BYTES;
    private static final String ALGORITHM = "HmacSHA256";

    private final Bytes secret;
    private final Mac mac;

    SessionKey(Bytes secret) {
        this.secret = secret;
        try {
            mac = Mac.getInstance(ALGORITHM);
            mac.init(new SecretKeySpec(secret.toByteArray(), ALGORITHM));
        } catch (GeneralSecurityException e) {
            throw new IllegalStateException("this Java has no " + ALGORITHM, e);
        }
    }

    Bytes secret() {
        return secret;
    }

    Bytes mac(int from, int to, int type, Bytes body) {
        mac.update((byte) from);
        mac.update((byte) to);
        mac.update((byte) (type >> 8));
        mac.update((byte) type);
        mac.update(body.array(), body.offset(), body.length());
        return Bytes.of(mac.doFinal()).slice(0, PairwiseKeys.MAC_BYTES);
    }

    boolean verifies(int from, int to, int type, Bytes body, Bytes sent) {
        return MessageDigest.isEqual(mac(from, to, type, body).toByteArray(), sent.toByteArray());
    }
}
