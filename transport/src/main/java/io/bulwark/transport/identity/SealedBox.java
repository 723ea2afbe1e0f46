package io.bulwark.transport.identity;

import io.bulwark.protocol.id.PrincipalKey;
import io.bulwark.protocol.wire.Bytes;
import io.bulwark.protocol.wire.WireWriter;
import java.security.GeneralSecurityException;
import java.security.KeyPair;
import java.security.KeyPairGenerator;
import java.security.SecureRandom;
import java.security.spec.ECGenParameterSpec;
import java.util.List;
import java.util.Optional;
import javax.crypto.AEADBadTagException;
import javax.crypto.Cipher;
import javax.crypto.spec.GCMParameterSpec;
import javax.crypto.spec.SecretKeySpec;
import org.bouncycastle.crypto.digests.SHA256Digest;
import org.bouncycastle.crypto.generators.HKDFBytesGenerator;
import org.bouncycastle.crypto.params.HKDFParameters;

/**
 * A secret of 32 bytes encrypted for one principal (proactive recovery paper, section 4.1: {@code {k}} under the receiver's public
 * key; docs/ordering/recovery.md, session keys): ECDH of a key made for this one message with the receiver's static one, HKDF-SHA-256 (RFC 5869)
 * over both public keys, AES-256-GCM. A receiver that has several keys, since one takes the place of another, gets it for each.
 *
 * <pre>
 * the ephemeral public key (91), then for each key of the receiver: the secret under AES-GCM (48)
 * </pre>
 */
public final class SealedBox {
    /** Length in bytes of the secret. */
    public static final int SECRET_BYTES = 32;

    /** Greatest number of the receiver's keys for which a secret is sealed. */
    public static final int KEYS_MAX = 4;

    private static final int TAG_BYTES = 16;
    private static final int PART_BYTES = SECRET_BYTES + TAG_BYTES;

    /** Length in bytes of the longest. */
    public static final int BYTES_MAX = PrincipalKey.BYTES + KEYS_MAX * PART_BYTES;

    private static final String PURPOSE = "bulwark sealed box";
    private static final String CIPHER = "AES/GCM/NoPadding";

    private SealedBox() {}

    /**
     * Encrypts.
     *
     * @param keys of the receiver; those beyond the first {@link #KEYS_MAX} are left out
     */
    public static Bytes seal(Bytes secret, List<PrincipalKey> keys, SecureRandom random) {
        if (secret.length() != SECRET_BYTES) {
            throw new IllegalArgumentException("a secret of " + secret.length() + " bytes");
        }
        IdentityKey ephemeral = ephemeral(random);
        WireWriter out = new WireWriter().raw(ephemeral.publicKey().encoded());
        for (PrincipalKey key : keys.subList(0, Math.min(KEYS_MAX, keys.size()))) {
            try {
                Cipher cipher = cipher(Cipher.ENCRYPT_MODE, ephemeral.agree(key), ephemeral.publicKey(), key);
                out.raw(Bytes.of(cipher.doFinal(secret.toByteArray())));
            } catch (GeneralSecurityException e) {
                throw new IllegalStateException("this Java has no " + CIPHER, e);
            }
        }
        return out.toBytes();
    }

    /** Decrypts a box sealed for this key; empty if it was sealed for another key, or is damaged. Accepts any bytes. */
    public static Optional<Bytes> open(Bytes sealed, OwnKey own) {
        int parts = (sealed.length() - PrincipalKey.BYTES) / PART_BYTES;
        if (parts < 1 || parts > KEYS_MAX || sealed.length() != PrincipalKey.BYTES + parts * PART_BYTES) {
            return Optional.empty();
        }
        PrincipalKey ephemeral;
        try {
            ephemeral = new PrincipalKey(sealed.slice(0, PrincipalKey.BYTES));
        } catch (IllegalArgumentException e) {
            return Optional.empty(); // No point of the curve: never agreed with.
        }
        Bytes agreed = own.agree(ephemeral);
        for (int i = 0; i < parts; i++) {
            Bytes part = sealed.slice(PrincipalKey.BYTES + i * PART_BYTES, PART_BYTES);
            try {
                Cipher cipher = cipher(Cipher.DECRYPT_MODE, agreed, ephemeral, own.publicKey());
                return Optional.of(Bytes.of(cipher.doFinal(part.toByteArray())));
            } catch (AEADBadTagException e) {
                // For another key of this principal, or for nobody.
            } catch (GeneralSecurityException e) {
                throw new IllegalStateException("this Java has no " + CIPHER, e);
            }
        }
        return Optional.empty();
    }

    private static IdentityKey ephemeral(SecureRandom random) {
        try {
            KeyPairGenerator generator = KeyPairGenerator.getInstance("EC");
            generator.initialize(new ECGenParameterSpec("secp256r1"), random);
            KeyPair pair = generator.generateKeyPair();
            return new IdentityKey(new PrincipalKey(Bytes.of(pair.getPublic().getEncoded())), pair.getPrivate(), false);
        } catch (GeneralSecurityException e) {
            throw new IllegalStateException("this Java cannot generate P-256 keys", e);
        }
    }

    /** The key of the cipher is used for one message, so that its nonce may always be the same. */
    private static Cipher cipher(int mode, Bytes agreed, PrincipalKey ephemeral, PrincipalKey receiver)
            throws GeneralSecurityException {
        Bytes info = new WireWriter()
                .string(PURPOSE)
                .raw(ephemeral.encoded())
                .raw(receiver.encoded())
                .toBytes();
        HKDFBytesGenerator derivation = new HKDFBytesGenerator(SHA256Digest.newInstance());
        derivation.init(new HKDFParameters(agreed.toByteArray(), null, info.toByteArray()));
        byte[] key = new byte[SECRET_BYTES];
        derivation.generateBytes(key, 0, key.length);
        Cipher cipher = Cipher.getInstance(CIPHER);
        cipher.init(mode, new SecretKeySpec(key, "AES"), new GCMParameterSpec(8 * TAG_BYTES, new byte[12]));
        return cipher;
    }
}
