package io.bulwark.transport.identity;

import io.bulwark.protocol.fingerprint.Hashes;
import io.bulwark.protocol.id.PrincipalId;
import io.bulwark.protocol.id.PrincipalKey;
import io.bulwark.protocol.wire.Bytes;
import io.bulwark.transport.file.OutputFile;
import io.bulwark.transport.file.TextFile;
import io.bulwark.transport.file.UnusableFileException;
import java.io.ByteArrayInputStream;
import java.io.IOException;
import java.io.StringReader;
import java.io.StringWriter;
import java.math.BigInteger;
import java.nio.charset.StandardCharsets;
import java.nio.file.FileAlreadyExistsException;
import java.nio.file.NoSuchFileException;
import java.nio.file.Path;
import java.security.AlgorithmParameters;
import java.security.GeneralSecurityException;
import java.security.KeyFactory;
import java.security.KeyPair;
import java.security.KeyPairGenerator;
import java.security.KeyStore;
import java.security.PrivateKey;
import java.security.SecureRandom;
import java.security.cert.CertificateFactory;
import java.security.cert.X509Certificate;
import java.security.spec.ECGenParameterSpec;
import java.security.spec.ECParameterSpec;
import java.security.spec.ECPrivateKeySpec;
import java.security.spec.ECPublicKeySpec;
import java.security.spec.PKCS8EncodedKeySpec;
import java.time.Duration;
import java.time.Instant;
import java.util.ArrayList;
import java.util.Collections;
import java.util.Date;
import java.util.List;
import org.bouncycastle.asn1.x500.X500Name;
import org.bouncycastle.asn1.x509.BasicConstraints;
import org.bouncycastle.asn1.x509.Extension;
import org.bouncycastle.asn1.x509.KeyUsage;
import org.bouncycastle.asn1.x9.X9ECParameters;
import org.bouncycastle.cert.X509v3CertificateBuilder;
import org.bouncycastle.cert.jcajce.JcaX509CertificateConverter;
import org.bouncycastle.cert.jcajce.JcaX509v3CertificateBuilder;
import org.bouncycastle.crypto.ec.CustomNamedCurves;
import org.bouncycastle.math.ec.ECPoint;
import org.bouncycastle.math.ec.FixedPointCombMultiplier;
import org.bouncycastle.operator.OperatorCreationException;
import org.bouncycastle.operator.jcajce.JcaContentSignerBuilder;
import org.bouncycastle.util.io.pem.PemObject;
import org.bouncycastle.util.io.pem.PemReader;
import org.bouncycastle.util.io.pem.PemWriter;

/**
 * A principal's private key on P-256 and the self-signed certificate of it, whose subject is {@code CN=} and the principal, as
 * {@code CN=node-3}. As a file, mode 0600: both in PEM, as other tools read them; or where a device is that keeps them, as
 * {@link Pkcs11Token} has it.
 */
public final class Identity {
    /** Default validity of a certificate. The trust in a key ends when it is no longer pinned. */
    public static final Duration VALIDITY_STANDARD = Duration.ofDays(3650);

    /** Clocks of a cluster may differ by this much, so a certificate is valid from that much before it was made. */
    static final Duration CLOCK_DIFFERENCE_MAX = Duration.ofDays(1);

    private static final String CERTIFICATE_SIGNATURE = "SHA256withECDSA";
    private static final String CURVE = "secp256r1";
    private static final Bytes SEED_TAG = Bytes.of("bulwark seed\0".getBytes(StandardCharsets.US_ASCII));
    private static final String PRIVATE_KEY = "PRIVATE KEY";
    private static final String CERTIFICATE = "CERTIFICATE";
    private static final int FILE_BYTES_MAX = 16 << 10;
    private static final int SERIAL_BITS = 127;

    private final PrincipalId principal;
    private final PrincipalKey publicKey;
    private final PrivateKey privateKey;
    private final X509Certificate certificate;
    private final boolean onDevice;

    private Identity(PrivateKey privateKey, X509Certificate certificate, boolean onDevice)
            throws GeneralSecurityException {
        this.principal = PeerCertificate.principalOf(certificate);
        this.publicKey = PeerCertificate.keyOf(certificate);
        this.privateKey = privateKey;
        this.certificate = certificate;
        this.onDevice = onDevice;
        if (!publicKey.verifies(Bytes.EMPTY, IdentityKey.curve(onDevice).sign(privateKey, Bytes.EMPTY))) {
            throw new GeneralSecurityException("the private key does not match the certificate");
        }
    }

    /** The file of a principal in a directory of keys: {@code node-3.pem}. */
    public static Path file(Path directory, PrincipalId principal) {
        return directory.resolve(principal + ".pem");
    }

    /** A new one, valid from now, or a little before, for {@link #VALIDITY_STANDARD}. */
    public static Identity generate(PrincipalId principal, SecureRandom random) {
        return generate(principal, VALIDITY_STANDARD, random);
    }

    /** A new one, valid from now, or a little before. */
    public static Identity generate(PrincipalId principal, Duration validity, SecureRandom random) {
        Instant now = Instant.now();
        return generate(principal, now.minus(CLOCK_DIFFERENCE_MAX), now.plus(validity), random);
    }

    /** A new one. */
    public static Identity generate(PrincipalId principal, Instant from, Instant until, SecureRandom random) {
        try {
            KeyPairGenerator generator = KeyPairGenerator.getInstance("EC");
            generator.initialize(new ECGenParameterSpec(CURVE), random);
            return withCertificate(principal, generator.generateKeyPair(), from, until, random);
        } catch (GeneralSecurityException e) {
            throw new IllegalStateException("this Java cannot generate P-256 keys", e);
        }
    }

    /**
     * Returns the identity whose key follows from a seed: any holder of the seed is this principal.
     *
     * @param seed at least 32 bytes that nobody can guess
     * @param random for the certificate, which differs each time
     */
    public static Identity ofSeed(PrincipalId principal, Bytes seed, SecureRandom random) {
        X9ECParameters curve = CustomNamedCurves.getByName(CURVE);
        BigInteger secret = secretOf(seed, curve.getN());
        ECPoint point =
                new FixedPointCombMultiplier().multiply(curve.getG(), secret).normalize();
        Instant now = Instant.now();
        try {
            AlgorithmParameters parameters = AlgorithmParameters.getInstance("EC");
            parameters.init(new ECGenParameterSpec(CURVE));
            ECParameterSpec spec = parameters.getParameterSpec(ECParameterSpec.class);
            KeyFactory keys = KeyFactory.getInstance("EC");
            KeyPair pair = new KeyPair(
                    keys.generatePublic(new ECPublicKeySpec(
                            new java.security.spec.ECPoint(
                                    point.getAffineXCoord().toBigInteger(),
                                    point.getAffineYCoord().toBigInteger()),
                            spec)),
                    keys.generatePrivate(new ECPrivateKeySpec(secret, spec)));
            return withCertificate(
                    principal, pair, now.minus(CLOCK_DIFFERENCE_MAX), now.plus(VALIDITY_STANDARD), random);
        } catch (GeneralSecurityException e) {
            throw new IllegalStateException("this Java cannot generate P-256 keys", e);
        }
    }

    /** The first of the seed's hashes that is a private key of the curve: nearly always the very first. */
    private static BigInteger secretOf(Bytes seed, BigInteger order) {
        for (int i = 0; ; i++) {
            BigInteger candidate = new BigInteger(
                    1, Hashes.sha256(SEED_TAG, Bytes.of((byte) i), seed).toByteArray());
            if (candidate.signum() > 0 && candidate.compareTo(order) < 0) {
                return candidate;
            }
        }
    }

    private static Identity withCertificate(
            PrincipalId principal, KeyPair pair, Instant from, Instant until, SecureRandom random) {
        try {
            return new Identity(pair.getPrivate(), selfSigned(principal, from, until, pair, random), false);
        } catch (GeneralSecurityException e) {
            throw new IllegalStateException("this Java cannot create certificates for P-256 keys", e);
        }
    }

    /** The certificate of a key, wherever its private part is. */
    static X509Certificate selfSigned(
            PrincipalId principal, Instant from, Instant until, KeyPair pair, SecureRandom random)
            throws GeneralSecurityException {
        X500Name name = new X500Name("CN=" + principal);
        X509v3CertificateBuilder builder = new JcaX509v3CertificateBuilder(
                name,
                new BigInteger(SERIAL_BITS, random).add(BigInteger.ONE),
                Date.from(from),
                Date.from(until),
                name,
                pair.getPublic());
        try {
            builder.addExtension(Extension.basicConstraints, true, new BasicConstraints(false));
            builder.addExtension(Extension.keyUsage, true, new KeyUsage(KeyUsage.digitalSignature));
            return new JcaX509CertificateConverter()
                    .getCertificate(
                            builder.build(new JcaContentSignerBuilder(CERTIFICATE_SIGNATURE).build(pair.getPrivate())));
        } catch (OperatorCreationException | IOException e) {
            throw new GeneralSecurityException("cannot create a certificate: " + e.getMessage(), e);
        }
    }

    /** Creates an identity whose private key a device keeps. */
    static Identity onDevice(PrivateKey handle, X509Certificate certificate) throws GeneralSecurityException {
        return new Identity(handle, certificate, true);
    }

    /**
     * Reads an identity file.
     *
     * @throws UnusableFileException if it is missing, others may read it too, or it is not an identity; the message
     *     says what to do
     * @throws IOException if the system cannot read it
     */
    public static Identity load(Path file) throws IOException {
        String text;
        try {
            SecretFile.check(file);
            text = TextFile.read(file, FILE_BYTES_MAX);
        } catch (NoSuchFileException e) {
            throw new UnusableFileException("there is no identity at " + file, e);
        }
        if (Pkcs11Token.isNamedIn(text)) {
            return Pkcs11Token.parse(text, file).identity();
        }
        try {
            return ofPem(text);
        } catch (IOException | GeneralSecurityException | IllegalStateException | IllegalArgumentException e) {
            throw new UnusableFileException(file + " is not the identity of a principal: " + e.getMessage(), e);
        }
    }

    /**
     * Reads an identity that somebody sent: the content of an identity file, or a PKCS#12 container with one key and its
     * certificate.
     *
     * @param password of the container; identity files have none
     * @throws IOException if it is neither, or the password is wrong
     */
    public static Identity read(byte[] content, char[] password) throws IOException {
        if (content.length > FILE_BYTES_MAX) {
            throw new IOException(content.length + " bytes are too many for an identity");
        }
        try {
            String text = new String(content, StandardCharsets.US_ASCII);
            return text.startsWith("-----BEGIN ") ? ofPem(text) : ofContainer(content, password);
        } catch (GeneralSecurityException | IllegalStateException | IllegalArgumentException e) {
            throw new IOException("not the identity of a principal: " + e.getMessage(), e);
        }
    }

    private static Identity ofPem(String text) throws IOException, GeneralSecurityException {
        try (PemReader in = new PemReader(new StringReader(text))) {
            byte[] key = next(in, PRIVATE_KEY);
            byte[] certificate = next(in, CERTIFICATE);
            if (in.readPemObject() != null) {
                throw new IOException("unexpected data after the certificate");
            }
            return new Identity(
                    KeyFactory.getInstance("EC").generatePrivate(new PKCS8EncodedKeySpec(key)),
                    (X509Certificate) CertificateFactory.getInstance("X.509")
                            .generateCertificate(new ByteArrayInputStream(certificate)),
                    false);
        }
    }

    private static Identity ofContainer(byte[] content, char[] password) throws IOException, GeneralSecurityException {
        KeyStore store = KeyStore.getInstance("PKCS12");
        store.load(new ByteArrayInputStream(content), password);
        List<String> keys = new ArrayList<>();
        for (String alias : Collections.list(store.aliases())) {
            if (store.isKeyEntry(alias)) {
                keys.add(alias);
            }
        }
        if (keys.size() != 1) {
            throw new IOException(keys.size() + " keys in the container, not one");
        }
        if (!(store.getKey(keys.getFirst(), password) instanceof PrivateKey key)
                || !(store.getCertificate(keys.getFirst()) instanceof X509Certificate certificate)) {
            throw new IOException("no private key with a certificate in the container");
        }
        return new Identity(key, certificate, false);
    }

    /**
     * Writes the file, mode 0600.
     *
     * @throws FileAlreadyExistsException rather than overwriting a key
     */
    public void store(Path file) throws IOException {
        if (onDevice) {
            throw new IllegalStateException("the key of " + principal + " cannot leave its device");
        }
        StringWriter text = new StringWriter();
        try (PemWriter out = new PemWriter(text)) {
            out.writeObject(new PemObject(PRIVATE_KEY, privateKey.getEncoded()));
            out.writeObject(new PemObject(CERTIFICATE, certificate.getEncoded()));
        } catch (GeneralSecurityException e) {
            throw new IllegalStateException("this Java cannot encode its own certificate", e);
        }
        OutputFile.create(file, true, text.toString().getBytes(StandardCharsets.US_ASCII));
    }

    /** Signs as this principal: what {@link PrincipalKey#verifies} says yes to. */
    public Bytes sign(Bytes content) {
        return ownKey().sign(content);
    }

    public PrincipalId principal() {
        return principal;
    }

    public PrincipalKey publicKey() {
        return publicKey;
    }

    public PrivateKey privateKey() {
        return privateKey;
    }

    /** Returns whether a device keeps the private key, which then has no encoding. */
    public boolean isOnDevice() {
        return onDevice;
    }

    /** Returns the key with which its principal signs and agrees. */
    public OwnKey ownKey() {
        return new IdentityKey(publicKey, privateKey, onDevice);
    }

    public X509Certificate certificate() {
        return certificate;
    }

    /** Returns the end of its certificate's validity. */
    public Instant until() {
        return certificate.getNotAfter().toInstant();
    }

    /** Names the principal and the public key. */
    @Override
    public String toString() {
        return principal + " with the key " + publicKey;
    }

    private static byte[] next(PemReader in, String type) throws IOException {
        PemObject read = in.readPemObject();
        if (read == null || !read.getType().equals(type)) {
            throw new IOException("no " + type + " where one belongs");
        }
        return read.getContent();
    }
}
