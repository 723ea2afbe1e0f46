package io.bulwark.protocol.mac;

import io.bulwark.protocol.id.PrincipalId;
import io.bulwark.protocol.wire.Bytes;

/** Keys with which one principal vouches towards its peers and checks their MACs. Safe for use by several threads. */
public interface TagKeys {
    PrincipalId self();

    /** Returns whether there is a key under which to speak to the peer. */
    boolean knows(PrincipalId peer);

    /** MAC_ij: 16 bytes under the key in force towards {@code peer}, which must be known. */
    Bytes mac(PrincipalId peer, Bytes input);

    /**
     * Returns whether {@code mac} is the MAC of {@code input} under a key that {@code peer} may use towards this one;
     * constant time.
     */
    boolean verify(PrincipalId peer, Bytes input, Bytes mac);

    /** MAC_ii: all 32 bytes under the own key, which never changes, for nonces. */
    Bytes own(Bytes input);
}
