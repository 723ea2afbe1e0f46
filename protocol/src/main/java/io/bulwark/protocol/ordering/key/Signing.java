package io.bulwark.protocol.ordering.key;

import io.bulwark.protocol.wire.Bytes;

/**
 * Port to the key that a replica signs with, which a file or a device holds, and to the others' public keys, which the
 * replica cannot write.
 */
public interface Signing {
    /** The longest signature, in bytes. */
    int SIGNATURE_BYTES_MAX = 512;

    /** Signing for a group whose replicas have no such keys: every request is rejected, and none can be made. */
    Signing NONE = new Signing() {
        @Override
        public Bytes sign(Bytes content) {
            throw new IllegalStateException("this replica has no key to sign with");
        }

        @Override
        public boolean verify(int replica, Bytes content, Bytes signature) {
            return false;
        }
    };

    /** Signs as this replica. */
    Bytes sign(Bytes content);

    /** Returns whether this replica signed this content. The signature may be any bytes. */
    boolean verify(int replica, Bytes content, Bytes signature);
}
