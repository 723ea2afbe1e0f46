package io.bulwark.transport.identity;

import io.bulwark.protocol.id.P256;
import io.bulwark.protocol.id.PrincipalKey;
import io.bulwark.protocol.wire.Bytes;
import java.security.GeneralSecurityException;
import java.security.PrivateKey;

/**
 * The private key of an identity. Unless a device keeps it, it is in the memory of this process: who takes the process
 * over can take the key.
 */
record IdentityKey(PrincipalKey publicKey, PrivateKey privateKey, boolean onDevice) implements OwnKey {
    @Override
    public Bytes sign(Bytes content) {
        try {
            return curve(onDevice).sign(privateKey, content);
        } catch (GeneralSecurityException e) {
            throw new IllegalStateException("the identity key cannot sign: " + e.getMessage(), e);
        }
    }

    @Override
    public Bytes agree(PrincipalKey other) {
        try {
            return curve(onDevice).agree(privateKey, other);
        } catch (GeneralSecurityException e) {
            throw new IllegalStateException("the key agreement of the identity key failed: " + e.getMessage(), e);
        }
    }

    /** A device has its own provider, which the platform finds by the key. */
    static P256 curve(boolean onDevice) {
        return onDevice ? P256.ofPlatform() : P256.chosen();
    }

    /** Names the public key alone. */
    @Override
    public String toString() {
        return publicKey.text();
    }
}
