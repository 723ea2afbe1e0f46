package io.bulwark.simulation.locking;

import io.bulwark.protocol.id.PrincipalKey;
import io.bulwark.protocol.wire.Bytes;
import java.security.GeneralSecurityException;
import java.security.KeyPair;
import java.security.KeyPairGenerator;
import java.security.SecureRandom;
import java.security.SecureRandomSpi;
import java.security.Signature;
import java.security.spec.ECGenParameterSpec;
import java.util.Random;

/** Key of a holder. All its randomness comes from a seed, so that a run can be repeated. */
final class HolderKey {
    private final SecureRandom random;
    private final KeyPair pair;

    HolderKey(long seed) {
        random = new Seeded(new Random(seed));
        try {
            KeyPairGenerator generator = KeyPairGenerator.getInstance("EC");
            generator.initialize(new ECGenParameterSpec("secp256r1"), random);
            pair = generator.generateKeyPair();
        } catch (GeneralSecurityException e) {
            throw new IllegalStateException("every Java platform has P-256", e);
        }
    }

    PrincipalKey named() {
        return new PrincipalKey(Bytes.of(pair.getPublic().getEncoded()));
    }

    Bytes sign(Bytes content) {
        try {
            Signature signature = Signature.getInstance("SHA256withECDSAinP1363Format");
            signature.initSign(pair.getPrivate(), random);
            signature.update(content.array(), content.offset(), content.length());
            return Bytes.of(signature.sign());
        } catch (GeneralSecurityException e) {
            throw new IllegalStateException("a new key cannot sign", e);
        }
    }

    private static final class Seeded extends SecureRandom {
        private static final long serialVersionUID = 1;

        private Seeded(Random source) {
            super(new Source(source), null);
        }
    }

    private static final class Source extends SecureRandomSpi {
        private static final long serialVersionUID = 1;

        private final Random random;

        private Source(Random random) {
            this.random = random;
        }

        @Override
        protected void engineSetSeed(byte[] seed) {
            // The seed of the run decides alone.
        }

        @Override
        protected void engineNextBytes(byte[] bytes) {
            random.nextBytes(bytes);
        }

        @Override
        protected byte[] engineGenerateSeed(int count) {
            byte[] bytes = new byte[count];
            random.nextBytes(bytes);
            return bytes;
        }
    }
}
