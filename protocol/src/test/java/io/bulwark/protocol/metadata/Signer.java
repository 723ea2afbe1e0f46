package io.bulwark.protocol.metadata;

import io.bulwark.protocol.id.P256;
import io.bulwark.protocol.id.PrincipalKey;
import io.bulwark.protocol.wire.Bytes;
import java.security.GeneralSecurityException;
import java.security.KeyPair;
import java.security.KeyPairGenerator;
import java.security.spec.ECGenParameterSpec;
import org.jspecify.annotations.NullMarked;

/** A private key on P-256. */
@NullMarked
record Signer(KeyPair pair) {
    static Signer fresh() {
        try {
            KeyPairGenerator generator = KeyPairGenerator.getInstance("EC");
            generator.initialize(new ECGenParameterSpec("secp256r1"));
            return new Signer(generator.generateKeyPair());
        } catch (GeneralSecurityException e) {
            throw new AssertionError(e);
        }
    }

    PrincipalKey key() {
        return new PrincipalKey(Bytes.of(pair.getPublic().getEncoded()));
    }

    Bytes sign(Bytes content) {
        try {
            return P256.chosen().sign(pair.getPrivate(), content);
        } catch (GeneralSecurityException e) {
            throw new AssertionError(e);
        }
    }
}
