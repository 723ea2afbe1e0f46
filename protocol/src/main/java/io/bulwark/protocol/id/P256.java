package io.bulwark.protocol.id;

import io.bulwark.protocol.wire.Bytes;
import java.math.BigInteger;
import java.security.GeneralSecurityException;
import java.security.KeyFactory;
import java.security.PrivateKey;
import java.security.Provider;
import java.security.PublicKey;
import java.security.Signature;
import java.security.SignatureException;
import java.security.spec.X509EncodedKeySpec;
import javax.crypto.KeyAgreement;
import org.jspecify.annotations.Nullable;

/**
 * Signs, verifies and agrees on the curve P-256 with one provider of the Java platform. The provider computes; the ranges
 * of numbers are checked here, so that replicas with different providers reach the same verdict. Thread-safe.
 */
public final class P256 {
    /** Signatures are ECDSA with SHA-256: r, then s, 32 bytes each (IEEE P1363). */
    public static final int SIGNATURE_BYTES = 64;

    private static final String SIGNATURE = "SHA256withECDSAinP1363Format";
    private static final String AGREEMENT = "ECDH";
    private static final String KEYS = "EC";
    private static final int NUMBER_BYTES = 32;

    /** The order of the curve's group. */
    private static final BigInteger N =
            new BigInteger("ffffffff00000000ffffffffffffffffbce6faada7179e84f3b9cac2fc632551", 16);

    private static final P256 OF_PLATFORM = new P256(null);
    private static volatile P256 chosen = OF_PLATFORM;

    private final @Nullable Provider provider;

    private P256(@Nullable Provider provider) {
        this.provider = provider;
    }

    /** Returns the one for all keys in memory: that of the platform until another is chosen. */
    public static P256 chosen() {
        return chosen;
    }

    /** Chooses for the whole process. Operations in progress end with the one before. */
    public static void choose(P256 other) {
        chosen = other;
    }

    /** Returns the one whose provider the platform finds for each key. Keys in a device work with this one alone. */
    public static P256 ofPlatform() {
        return OF_PLATFORM;
    }

    /** Returns the one with this provider, which must know keys in memory. */
    public static P256 of(Provider provider) {
        return new P256(provider);
    }

    /** Signs. */
    public Bytes sign(PrivateKey key, Bytes content) throws GeneralSecurityException {
        Signature signature = signature();
        signature.initSign(key);
        signature.update(content.array(), content.offset(), content.length());
        return Bytes.of(signature.sign());
    }

    /**
     * Returns whether the owner of the key has signed this. Any bytes may come as the signature. If (r, s) is a signature,
     * so is (r, n - s): a signature proves its content, and nothing may depend on its bytes.
     */
    public boolean verifies(PrincipalKey key, Bytes content, Bytes signature) {
        if (signature.length() != SIGNATURE_BYTES || !isInRange(signature, 0) || !isInRange(signature, NUMBER_BYTES)) {
            return false;
        }
        try {
            Signature check = signature();
            check.initVerify(publicKey(key));
            check.update(content.array(), content.offset(), content.length());
            return check.verify(signature.array(), signature.offset(), signature.length());
        } catch (SignatureException e) {
            return false; // Numbers that no signature has.
        } catch (GeneralSecurityException e) {
            throw new IllegalStateException("this Java cannot verify " + SIGNATURE, e);
        }
    }

    /** Returns the x coordinate of the common point of the two keys, 32 bytes. */
    public Bytes agree(PrivateKey key, PrincipalKey other) throws GeneralSecurityException {
        KeyAgreement agreement =
                provider == null ? KeyAgreement.getInstance(AGREEMENT) : KeyAgreement.getInstance(AGREEMENT, provider);
        agreement.init(key);
        agreement.doPhase(publicKey(other), true);
        return Bytes.of(agreement.generateSecret());
    }

    /** Names the provider. */
    @Override
    public String toString() {
        return provider == null
                ? "the provider of the Java platform"
                : provider.getName() + " " + provider.getVersionStr();
    }

    private Signature signature() throws GeneralSecurityException {
        return provider == null ? Signature.getInstance(SIGNATURE) : Signature.getInstance(SIGNATURE, provider);
    }

    private PublicKey publicKey(PrincipalKey key) throws GeneralSecurityException {
        KeyFactory keys = provider == null ? KeyFactory.getInstance(KEYS) : KeyFactory.getInstance(KEYS, provider);
        return keys.generatePublic(new X509EncodedKeySpec(key.encoded().toByteArray()));
    }

    /** Returns whether r or s is between 1 and n - 1 (FIPS 186-5, 6.4.2). */
    private static boolean isInRange(Bytes signature, int from) {
        BigInteger number =
                new BigInteger(1, signature.slice(from, NUMBER_BYTES).toByteArray());
        return number.signum() > 0 && number.compareTo(N) < 0;
    }
}
