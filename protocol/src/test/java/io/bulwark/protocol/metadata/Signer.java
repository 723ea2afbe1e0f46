package io.bulwark.protocol.metadata;

import io.bulwark.protocol.id.PrincipalKey;
import io.bulwark.protocol.wire.Bytes;
import java.security.GeneralSecurityException;
import java.security.KeyPair;
import java.security.KeyPairGenerator;
import java.security.Signature;
import java.security.spec.ECGenParameterSpec;
import org.jspecify.annotations.NullMarked;

/** A private key on P-256. */
@NullMarked
public record Signer(KeyPair pair) {
    public static Signer fresh() {
        try {
            KeyPairGenerator generator = KeyPairGenerator.getInstance("EC");
            generator.initialize(new ECGenParameterSpec("secp256r1"));
            return new Signer(generator.generateKeyPair());
        } catch (GeneralSecurityException e) {
            throw new AssertionError(e);
        }
    }

    public PrincipalKey key() {
        return new PrincipalKey(Bytes.of(pair.getPublic().getEncoded()));
    }

    public Bytes sign(Bytes content) {
        try {
            Signature signature = Signature.getInstance(PrincipalKey.SIGNATURE_ALGORITHM);
            signature.initSign(pair.getPrivate());
            signature.update(content.toByteArray());
            return Bytes.of(signature.sign());
        } catch (GeneralSecurityException e) {
            throw new AssertionError(e);
        }
    }
}
