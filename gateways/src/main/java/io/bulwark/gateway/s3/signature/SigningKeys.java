package io.bulwark.gateway.s3.signature;

import io.bulwark.gateway.s3.access.AccessKey;
import java.nio.charset.StandardCharsets;
import java.util.LinkedHashMap;
import java.util.Map;

/** Signing keys derived from secrets, remembered for the day and region of their scope. Thread-safe. */
final class SigningKeys {
    private static final int KEYS_MAX = 1_024;

    /** Keys by the credential that requests name; the eldest are forgotten. Guarded by itself. */
    private final Map<String, Derived> keys = new LinkedHashMap<>(16, 0.75f, true) {
        private static final long serialVersionUID = 1L;

        @Override
        protected boolean removeEldestEntry(Map.Entry<String, Derived> eldest) {
            return size() > KEYS_MAX;
        }
    };

    /** A key, with the secret that it came from: a rotated one has another. */
    private static final class Derived {
        private final String secret;
        private final byte[] key;

        Derived(String secret, byte[] key) {
            this.secret = secret;
            this.key = key;
        }
    }

    byte[] derive(AccessKey accessKey, CredentialScope scope) {
        String place = accessKey.id() + "/" + scope.text();
        synchronized (keys) {
            Derived known = keys.get(place);
            if (known != null && known.secret.equals(accessKey.secret())) {
                return known.key;
            }
        }
        byte[] day = Digests.hmac(("AWS4" + accessKey.secret()).getBytes(StandardCharsets.UTF_8), scope.day());
        byte[] region = Digests.hmac(day, scope.region());
        byte[] service = Digests.hmac(region, CredentialScope.SERVICE);
        byte[] key = Digests.hmac(service, CredentialScope.TERMINATION);
        synchronized (keys) {
            keys.put(place, new Derived(accessKey.secret(), key));
        }
        return key;
    }

    int size() {
        synchronized (keys) {
            return keys.size();
        }
    }
}
