package io.bulwark.transport.identity;

import io.bulwark.protocol.id.PrincipalKey;
import io.bulwark.protocol.wire.Bytes;

/**
 * What a principal does with its private key on P-256, wherever that lies: the two operations of a secure co-processor
 * (proactive recovery paper, section 4.1; PROTOCOLS section 7, "Keys"). The file of an {@link Identity} is the one that is there
 * by itself. A device is another implementation: whoever makes the credentials hands it to
 * {@link io.bulwark.transport.TlsCredentials#signWith}, and its public key must be among those that are trusted for the
 * principal, by the genesis or the registry. Any of these may sign: as long as the key of a file is one of them, a device protects
 * from nothing. Thread-safe.
 *
 * <p>The thread that orders calls it, a few times a minute for each other replica, so that an operation should take some
 * milliseconds at most. A failing device is an {@link IllegalStateException}, which stops the replica.
 */
public interface OwnKey {
    /** The public key that belongs to it. */
    PrincipalKey publicKey();

    /** An ECDSA signature with SHA-256 of the content, in DER (RFC 3279): 72 bytes at most. */
    Bytes sign(Bytes content);

    /**
     * What ECDH gives with another's key, as yet underived: the x coordinate of the common point, 32 bytes. The other key was made
     * for a single message; two keys that stay are never brought together.
     */
    Bytes agree(PrincipalKey other);
}
