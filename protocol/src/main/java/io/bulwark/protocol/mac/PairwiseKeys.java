package io.bulwark.protocol.mac;

import io.bulwark.protocol.id.PrincipalId;
import io.bulwark.protocol.wire.Bytes;
import java.util.HashMap;
import java.util.Map;
import java.util.Set;

/** The keys that one principal shares with each of its peers for good, and the one that it shares with nobody. */
public final class PairwiseKeys implements TagKeys {
    /** Length in bytes of a MAC that travels. */
    public static final int MAC_BYTES = 16;

    /** Length in bytes of a key and of a nonce. */
    public static final int KEY_BYTES = 32;

    private final PrincipalId self;
    private final Map<PrincipalId, MacKey> keys = new HashMap<>();

    /** @param keys 32 bytes each, by peer; the entry of {@code self} is the own key, never rotated */
    public PairwiseKeys(PrincipalId self, Map<PrincipalId, Bytes> keys) {
        this.self = self;
        keys.forEach((peer, key) -> {
            if (key.length() != KEY_BYTES) {
                throw new IllegalArgumentException("key of " + key.length() + " bytes for " + peer);
            }
            this.keys.put(peer, new MacKey(key));
        });
        if (!this.keys.containsKey(self)) {
            throw new IllegalArgumentException(self + " has no key of its own");
        }
    }

    @Override
    public PrincipalId self() {
        return self;
    }

    @Override
    public boolean knows(PrincipalId peer) {
        return keys.containsKey(peer);
    }

    public Set<PrincipalId> peers() {
        return Set.copyOf(keys.keySet());
    }

    @Override
    public Bytes mac(PrincipalId peer, Bytes input) {
        return key(peer).mac(input);
    }

    @Override
    public boolean verify(PrincipalId peer, Bytes input, Bytes mac) {
        return knows(peer) && key(peer).verifies(input, mac);
    }

    @Override
    public Bytes own(Bytes input) {
        return key(self).full(input);
    }

    private MacKey key(PrincipalId peer) {
        MacKey key = keys.get(peer);
        if (key == null) {
            throw new IllegalArgumentException(self + " shares no key with " + peer);
        }
        return key;
    }
}
