package io.bulwark.client.encryption;

import io.bulwark.client.error.KeyMissingException;
import io.bulwark.client.error.NotAuthenticException;
import io.bulwark.client.error.Subject;
import io.bulwark.protocol.wire.Bytes;
import io.bulwark.protocol.wire.MalformedException;
import io.bulwark.protocol.wire.WireReader;
import io.bulwark.protocol.wire.WireWriter;
import java.nio.charset.StandardCharsets;
import java.security.GeneralSecurityException;
import java.security.SecureRandom;
import java.security.UnrecoverableKeyException;
import java.util.Base64;

/**
 * Encryption of one object. A property of the object, {@link #PROPERTY}, holds all that a reader needs besides a key, and follows
 * the object when it is copied or renamed. It holds the version of this format, a random id of the object, the name of
 * the key, and the data key wrapped by it. The wrapped key and every segment are bound to the id.
 */
public final class ObjectEncryption {
    /** The name of the property. */
    public static final String PROPERTY = "bulwark-encryption";

    private static final int VERSION = 1;
    private static final int ID_BYTES = 16;
    private static final Bytes BOUND_TAG = Bytes.of("bulwark object\0".getBytes(StandardCharsets.US_ASCII));

    private final String header;
    private final SegmentCipher cipher;

    private ObjectEncryption(String header, SegmentCipher cipher) {
        this.header = header;
        this.cipher = cipher;
    }

    /**
     * Creates the encryption of a new object, with a data key of its own.
     *
     * @throws KeyMissingException if the provider has no key to wrap it with
     */
    public static ObjectEncryption fresh(KeyProvider keys, SecureRandom random, Subject subject) {
        Bytes id = random(random, ID_BYTES);
        Bytes dataKey = random(random, AesGcm.KEY_BYTES);
        Bytes bound = bound(id);
        try {
            KeyProvider.WrappedKey wrapped = keys.wrap(dataKey, bound);
            if (wrapped.keyName().getBytes(StandardCharsets.UTF_8).length > KeyProvider.KEY_NAME_BYTES_MAX
                    || wrapped.wrapped().length() > KeyProvider.WRAPPED_BYTES_MAX) {
                throw new GeneralSecurityException("the name of the key or the wrapped key is too long");
            }
            Bytes header = new WireWriter()
                    .u8(VERSION)
                    .raw(id)
                    .string(wrapped.keyName())
                    .bytes(wrapped.wrapped())
                    .toBytes();
            return new ObjectEncryption(
                    Base64.getEncoder().encodeToString(header.toByteArray()), new SegmentCipher(dataKey, bound));
        } catch (GeneralSecurityException e) {
            throw new KeyMissingException("encryption failed: " + e.getMessage(), subject, e);
        }
    }

    /**
     * Returns the encryption of the object that has this header.
     *
     * @throws KeyMissingException if the key is not among those of the provider
     * @throws NotAuthenticException if the header was changed
     */
    public static ObjectEncryption of(String header, KeyProvider keys, Subject subject) {
        try {
            WireReader in = new WireReader(Bytes.of(Base64.getDecoder().decode(header)));
            if (in.u8() != VERSION) {
                throw new MalformedException("an unknown version");
            }
            Bytes bound = bound(in.raw(ID_BYTES));
            KeyProvider.WrappedKey wrapped = new KeyProvider.WrappedKey(
                    in.string(KeyProvider.KEY_NAME_BYTES_MAX), in.bytes(KeyProvider.WRAPPED_BYTES_MAX));
            in.end();
            Bytes dataKey = keys.unwrap(wrapped, bound);
            if (dataKey.length() != AesGcm.KEY_BYTES) {
                throw new GeneralSecurityException("a data key of " + dataKey.length() + " bytes");
            }
            return new ObjectEncryption(header, new SegmentCipher(dataKey, bound));
        } catch (UnrecoverableKeyException e) {
            throw new KeyMissingException("it is encrypted, and " + e.getMessage(), subject, e);
        } catch (GeneralSecurityException | MalformedException | IllegalArgumentException e) {
            throw new NotAuthenticException("its encryption header has been changed: " + e.getMessage(), subject, e);
        }
    }

    /** Returns the value of the object's {@link #PROPERTY}. */
    public String header() {
        return header;
    }

    public SegmentCipher cipher() {
        return cipher;
    }

    private static Bytes bound(Bytes id) {
        return new WireWriter().raw(BOUND_TAG).u8(VERSION).raw(id).toBytes();
    }

    private static Bytes random(SecureRandom random, int length) {
        byte[] bytes = new byte[length];
        random.nextBytes(bytes);
        return Bytes.of(bytes);
    }
}
