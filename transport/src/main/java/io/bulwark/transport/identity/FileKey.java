package io.bulwark.transport.identity;

import io.bulwark.protocol.id.PrincipalKey;
import io.bulwark.protocol.wire.Bytes;
import java.security.GeneralSecurityException;
import java.security.PrivateKey;
import java.security.Signature;
import javax.crypto.KeyAgreement;

/** The private key of an identity, in the memory of this process: who takes the process over can take the key. */
record FileKey(PrincipalKey publicKey, PrivateKey privateKey) implements OwnKey {
    @Override
    public Bytes sign(Bytes content) {
        try {
            Signature signature = Signature.getInstance(PublicKeys.SIGNATURE);
            signature.initSign(privateKey);
            signature.update(content.array(), content.offset(), content.length());
            return Bytes.of(signature.sign());
        } catch (GeneralSecurityException e) {
            throw new IllegalStateException("the identity key cannot sign", e);
        }
    }

    @Override
    public Bytes agree(PrincipalKey other) {
        try {
            KeyAgreement agreement = KeyAgreement.getInstance(PublicKeys.AGREEMENT);
            agreement.init(privateKey);
            agreement.doPhase(PublicKeys.of(other), true);
            return Bytes.of(agreement.generateSecret());
        } catch (GeneralSecurityException e) {
            throw new IllegalStateException("the key agreement of the identity key failed", e);
        }
    }

    /** Names the public key alone. */
    @Override
    public String toString() {
        return publicKey.text();
    }
}
