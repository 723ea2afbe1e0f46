package io.bulwark.protocol.mac;

import io.bulwark.protocol.id.PrincipalId;
import io.bulwark.protocol.wire.Bytes;
import java.util.List;
import java.util.Map;
import java.util.concurrent.ConcurrentHashMap;

/** Keys that change: who agrees on them writes them here, and all who vouch and verify find those in force. */
public final class KeyBook implements TagKeys {
    private final PrincipalId self;
    private final MacKey own;
    private final Map<PrincipalId, MacKey> spoken = new ConcurrentHashMap<>();
    private final Map<PrincipalId, List<MacKey>> believed = new ConcurrentHashMap<>();

    /** @param own K_ii, never rotated, for nonces */
    public KeyBook(PrincipalId self, Bytes own) {
        this.self = self;
        this.own = new MacKey(own);
    }

    /** Makes this one speak to the peer under this key from now on. */
    public void speak(PrincipalId peer, Bytes key) {
        spoken.put(peer, new MacKey(key));
    }

    /** Makes the peer believed under these keys, and no others, from now on. */
    public void believe(PrincipalId peer, List<Bytes> keys) {
        believed.put(peer, keys.stream().map(MacKey::new).toList());
    }

    @Override
    public PrincipalId self() {
        return self;
    }

    @Override
    public boolean knows(PrincipalId peer) {
        return spoken.containsKey(peer);
    }

    @Override
    public Bytes mac(PrincipalId peer, Bytes input) {
        MacKey key = spoken.get(peer);
        if (key == null) {
            throw new IllegalArgumentException(self + " has no key under which to speak to " + peer);
        }
        return key.mac(input);
    }

    @Override
    public boolean verify(PrincipalId peer, Bytes input, Bytes mac) {
        return believed.getOrDefault(peer, List.of()).stream().anyMatch(key -> key.verifies(input, mac));
    }

    @Override
    public Bytes own(Bytes input) {
        return own.full(input);
    }
}
