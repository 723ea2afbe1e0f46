package io.bulwark.client.encryption;

import io.bulwark.protocol.wire.Bytes;
import java.security.GeneralSecurityException;

/** Keeps the keys that wrap the data keys of objects: a file, a device or a service. Thread-safe. */
public interface KeyProvider {
    /** The longest name of a key, in bytes of UTF-8. */
    int KEY_NAME_BYTES_MAX = 255;

    /** The longest wrapped data key, in bytes. */
    int WRAPPED_BYTES_MAX = 1024;

    /** A data key under a key of this name. */
    record WrappedKey(String keyName, Bytes wrapped) {}

    /**
     * Wraps a data key for an object that is put now.
     *
     * @param context what the data key belongs to: it must be the same when it is unwrapped
     * @throws GeneralSecurityException if no key can be had
     */
    WrappedKey wrap(Bytes dataKey, Bytes context) throws GeneralSecurityException;

    /**
     * Unwraps a data key.
     *
     * @throws java.security.UnrecoverableKeyException if there is no key of this name here
     * @throws GeneralSecurityException if it was not wrapped by this key, or for another context
     */
    Bytes unwrap(WrappedKey wrapped, Bytes context) throws GeneralSecurityException;
}
