package io.bulwark.metadata.bftsmart;

import bftsmart.reconfiguration.util.RsaKeyLoader;
import java.math.BigInteger;
import java.nio.charset.StandardCharsets;
import java.security.GeneralSecurityException;
import java.security.KeyFactory;
import java.security.MessageDigest;
import java.security.PrivateKey;
import java.security.PublicKey;
import java.security.spec.RSAPrivateKeySpec;
import java.security.spec.RSAPublicKeySpec;

/**
 * One key for all, which anybody can compute. The library insists on signing its leader changes, but its messages are
 * trusted because of the connection they came over.
 */
final class SharedRsaKey implements RsaKeyLoader {
    private static final BigInteger EXPONENT = BigInteger.valueOf(65_537);

    private final PublicKey publicKey;
    private final PrivateKey privateKey;

    SharedRsaKey() {
        try {
            BigInteger p = prime("p");
            BigInteger q = prime("q");
            BigInteger modulus = p.multiply(q);
            BigInteger order = p.subtract(BigInteger.ONE).multiply(q.subtract(BigInteger.ONE));
            KeyFactory factory = KeyFactory.getInstance("RSA");
            this.publicKey = factory.generatePublic(new RSAPublicKeySpec(modulus, EXPONENT));
            this.privateKey = factory.generatePrivate(new RSAPrivateKeySpec(modulus, EXPONENT.modInverse(order)));
        } catch (GeneralSecurityException e) {
            throw new IllegalStateException("this Java has no RSA", e);
        }
    }

    private static BigInteger prime(String name) throws GeneralSecurityException {
        byte[] seed = MessageDigest.getInstance("SHA-512").digest(name.getBytes(StandardCharsets.US_ASCII));
        BigInteger prime = new BigInteger(1, seed).setBit(511).setBit(510).nextProbablePrime();
        while (prime.mod(EXPONENT).equals(BigInteger.ONE)) {
            prime = prime.nextProbablePrime();
        }
        return prime;
    }

    @Override
    public PublicKey loadPublicKey(int id) {
        return publicKey;
    }

    @Override
    public PrivateKey loadPrivateKey(int id) {
        return privateKey;
    }
}
