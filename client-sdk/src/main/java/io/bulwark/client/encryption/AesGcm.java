package io.bulwark.client.encryption;

import io.bulwark.protocol.wire.Bytes;
import java.security.GeneralSecurityException;
import javax.crypto.Cipher;
import javax.crypto.SecretKey;
import javax.crypto.spec.GCMParameterSpec;

/** AES-256 in Galois/counter mode (NIST SP 800-38D) with tags of 16 bytes. */
final class AesGcm {
    static final String ALGORITHM = "AES";
    static final int KEY_BYTES = 32;
    static final int NONCE_BYTES = 12;
    static final int TAG_BYTES = 16;

    private static final String TRANSFORMATION = "AES/GCM/NoPadding";

    private AesGcm() {}

    /** The bytes encrypted, with their tag. A nonce is used once with a key. */
    static byte[] seal(SecretKey key, byte[] nonce, Bytes bound, byte[] plain, int offset, int length)
            throws GeneralSecurityException {
        return run(Cipher.ENCRYPT_MODE, key, nonce, bound, plain, offset, length);
    }

    /** Decrypts the output of {@link #seal}; throws if anything differs. */
    static byte[] open(SecretKey key, byte[] nonce, Bytes bound, byte[] sealed, int offset, int length)
            throws GeneralSecurityException {
        return run(Cipher.DECRYPT_MODE, key, nonce, bound, sealed, offset, length);
    }

    private static byte[] run(int mode, SecretKey key, byte[] nonce, Bytes bound, byte[] source, int offset, int length)
            throws GeneralSecurityException {
        Cipher cipher = Cipher.getInstance(TRANSFORMATION);
        cipher.init(mode, key, new GCMParameterSpec(8 * TAG_BYTES, nonce));
        cipher.updateAAD(bound.array(), bound.offset(), bound.length());
        return cipher.doFinal(source, offset, length);
    }
}
