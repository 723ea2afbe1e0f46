package io.bulwark.protocol.ordering.key;

import io.bulwark.protocol.wire.Bytes;
import java.util.Optional;

/**
 * The port to the encryption of session keys: under a fresh ephemeral key against the receiver's static key, each time.
 */
public interface KeyCipher {
    /** The longest encrypted key, in bytes. */
    int SEALED_BYTES_MAX = 512;

    /** Encrypts a session key for a replica. */
    Bytes seal(int replica, Bytes key);

    /**
     * Decrypts a session key that was encrypted for this replica; empty if it was not, or is no session key. Accepts
     * any bytes.
     */
    Optional<Bytes> open(Bytes sealed);
}
