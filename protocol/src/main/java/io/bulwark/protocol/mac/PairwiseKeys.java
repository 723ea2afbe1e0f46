package io.bulwark.protocol.mac;

import io.bulwark.protocol.id.PrincipalId;
import io.bulwark.protocol.wire.Bytes;
import java.security.GeneralSecurityException;
import java.security.MessageDigest;
import java.util.HashMap;
import java.util.Map;
import java.util.Set;
import javax.crypto.Mac;
import javax.crypto.spec.SecretKeySpec;

/** The keys that one principal shares with each of its peers, and the one that it shares with nobody. */
public final class PairwiseKeys {
    /** Length in bytes of a MAC that travels. */
    public static final int MAC_BYTES = 16;

    /** Length in bytes of a key and of a nonce. */
    public static final int KEY_BYTES = 32;

    private static final String ALGORITHM = "HmacSHA256";

    private final PrincipalId self;
    private final Map<PrincipalId, Mac> keys = new HashMap<>();

    /** @param keys 32 bytes each, by peer; the entry of {@code self} is the own key, never rotated */
    public PairwiseKeys(PrincipalId self, Map<PrincipalId, Bytes> keys) {
        this.self = self;
        keys.forEach((peer, key) -> {
            if (key.length() != KEY_BYTES) {
                throw new IllegalArgumentException("key of " + key.length() + " bytes for " + peer);
            }
            this.keys.put(peer, keyed(key));
        });
        if (!this.keys.containsKey(self)) {
            throw new IllegalArgumentException(self + " has no key of its own");
        }
    }

    private static Mac keyed(Bytes key) {
        try {
            Mac mac = Mac.getInstance(ALGORITHM);
            mac.init(new SecretKeySpec(key.toByteArray(), ALGORITHM));
            return mac;
        } catch (GeneralSecurityException e) {
            throw new IllegalStateException("this Java has no " + ALGORITHM, e);
        }
    }

    public PrincipalId self() {
        return self;
    }

    public boolean knows(PrincipalId peer) {
        return keys.containsKey(peer);
    }

    public Set<PrincipalId> peers() {
        return Set.copyOf(keys.keySet());
    }

    /** MAC_ij: 16 bytes under the key shared with {@code peer}. */
    public Bytes mac(PrincipalId peer, Bytes input) {
        return full(peer, input).slice(0, MAC_BYTES);
    }

    /** Whether {@code mac} is the MAC of {@code input} under the key shared with {@code peer}; constant time. */
    public boolean verify(PrincipalId peer, Bytes input, Bytes mac) {
        return knows(peer) && MessageDigest.isEqual(mac(peer, input).toByteArray(), mac.toByteArray());
    }

    /** MAC_ii: all 32 bytes under the own key, for nonces. */
    public Bytes own(Bytes input) {
        return full(self, input);
    }

    private Bytes full(PrincipalId peer, Bytes input) {
        Mac keyed = keys.get(peer);
        if (keyed == null) {
            throw new IllegalArgumentException(self + " shares no key with " + peer);
        }
        try {
            // Threads need their own; a copy saves looking up the algorithm and hashing the key, half of the time.
            Mac mac = (Mac) keyed.clone();
            mac.update(input.array(), input.offset(), input.length());
            return Bytes.of(mac.doFinal());
        } catch (CloneNotSupportedException e) {
            throw new IllegalStateException("this Java copies no " + ALGORITHM, e);
        }
    }
}
