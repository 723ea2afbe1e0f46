package io.bulwark.transport.identity;

import io.bulwark.protocol.id.PrincipalKey;
import io.bulwark.protocol.wire.Bytes;
import java.security.GeneralSecurityException;
import java.security.KeyFactory;
import java.security.PublicKey;
import java.security.Signature;
import java.security.SignatureException;
import java.security.spec.X509EncodedKeySpec;

/** Public operations with the public key of a principal. */
public final class PublicKeys {
    static final String SIGNATURE = "SHA256withECDSA";
    static final String AGREEMENT = "ECDH";

    private PublicKeys() {}

    /**
     * Returns whether the owner of this key has signed this, as {@link OwnKey#sign} does. The signature may be any
     * bytes.
     */
    public static boolean verifies(PrincipalKey key, Bytes content, Bytes signature) {
        try {
            Signature check = Signature.getInstance(SIGNATURE);
            check.initVerify(of(key));
            check.update(content.array(), content.offset(), content.length());
            return check.verify(signature.array(), signature.offset(), signature.length());
        } catch (SignatureException e) {
            return false; // Not even the form of a signature.
        } catch (GeneralSecurityException e) {
            throw new IllegalStateException("this Java cannot verify " + SIGNATURE, e);
        }
    }

    /** Returns the key in the JDK's form. */
    static PublicKey of(PrincipalKey key) throws GeneralSecurityException {
        return KeyFactory.getInstance("EC")
                .generatePublic(new X509EncodedKeySpec(key.encoded().toByteArray()));
    }
}
