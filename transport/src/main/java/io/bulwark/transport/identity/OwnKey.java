package io.bulwark.transport.identity;

import io.bulwark.protocol.id.PrincipalKey;
import io.bulwark.protocol.wire.Bytes;

/**
 * Operations of a principal with its private key on P-256, wherever that lies. They are the two operations of a secure
 * co-processor (proactive recovery paper, section 4.1; docs/ordering/recovery.md, session keys). The built-in implementation is the
 * file of an {@link Identity}. A device is another implementation: the creator of the credentials hands it to {@link
 * io.bulwark.transport.TlsCredentials#signWith}. Its public key must be among those that the genesis or the registry
 * trusts for the principal. Any of these may sign: as long as the key of a file is one of them, a device gives no
 * protection. Thread-safe.
 *
 * <p>The ordering thread calls it, a few times a minute for each other replica, so that an operation should take some
 * milliseconds at most. A failing device is an {@link IllegalStateException}, which stops the replica.
 */
public interface OwnKey {
    /** The public key that belongs to it. */
    PrincipalKey publicKey();

    /** Returns what {@link PrincipalKey#verifies} accepts: an ECDSA signature with SHA-256, r and s of 32 bytes each. */
    Bytes sign(Bytes content);

    /**
     * Returns the underived ECDH result with another's key: the x coordinate of the common point, 32 bytes. The other
     * key was made for a single message; two long-term keys are never combined.
     */
    Bytes agree(PrincipalKey other);
}
