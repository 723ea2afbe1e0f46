package io.bulwark.transport.identity;

import io.bulwark.protocol.id.PrincipalId;
import io.bulwark.protocol.id.PrincipalKey;
import io.bulwark.protocol.wire.Bytes;
import io.bulwark.transport.identity.RefusedCertificateException.Reason;
import java.security.cert.Certificate;
import java.security.cert.X509Certificate;
import java.time.Instant;
import java.util.function.Predicate;

/**
 * Identifies the owner of a peer's certificate. TLS has proved that the peer holds the private key. The certificate's
 * signature by the same key would prove nothing more, as the holder can sign anything. The key alone counts, and the
 * name in the certificate must agree with it.
 */
public final class PeerCertificate {
    private static final String SUBJECT_PREFIX = "CN=";

    /** Longer subjects are not looked at: the longest principal has 17 characters. */
    private static final int SUBJECT_LENGTH_MAX = 64;

    private PeerCertificate() {}

    /** As below, for who does not ask who belongs. */
    public static PrincipalId check(Certificate[] chain, TrustedKeys trusted, Instant now)
            throws RefusedCertificateException {
        return check(chain, trusted, now, ignored -> false);
    }

    /**
     * Returns the principal whose certificate this is.
     *
     * @param chain the certificates that the peer sent, which must be one
     * @param asked tells for an unknown key whether the trusted keys were queried since it was last shown
     * @throws RefusedCertificateException unless it is valid now, its key is trusted, and it names the owner of that
     *     key
     */
    public static PrincipalId check(
            Certificate[] chain, TrustedKeys trusted, Instant now, Predicate<PrincipalKey> asked)
            throws RefusedCertificateException {
        X509Certificate certificate = singleCertificate(chain);
        PrincipalId named = principalOf(certificate);
        PrincipalKey key = keyOf(certificate);
        PrincipalId owner = trusted.ownerOf(key).orElseThrow(() -> unknownPeer(named, key, trusted, asked));
        if (!owner.equals(named)) {
            throw new RefusedCertificateException(Reason.WRONG_NAME, owner + " claims to be " + named);
        }
        Instant from = certificate.getNotBefore().toInstant();
        Instant until = certificate.getNotAfter().toInstant();
        if (now.isBefore(from) || now.isAfter(until)) {
            throw new RefusedCertificateException(
                    Reason.EXPIRED, "the certificate of " + owner + " is valid from " + from + " until " + until);
        }
        return owner;
    }

    private static RefusedCertificateException unknownPeer(
            PrincipalId named, PrincipalKey key, TrustedKeys trusted, Predicate<PrincipalKey> asked) {
        if (trusted.revoked().contains(named)) {
            return new RefusedCertificateException(
                    Reason.REVOKED, "a peer claims to be " + named + ", which was revoked");
        }
        return new RefusedCertificateException(
                asked.test(key) ? Reason.UNKNOWN_STILL : Reason.UNKNOWN_KEY,
                "a peer claims to be " + named + " with an unknown key");
    }

    /** The one certificate that a peer shows. */
    public static X509Certificate singleCertificate(Certificate[] chain) throws RefusedCertificateException {
        if (chain.length != 1 || !(chain[0] instanceof X509Certificate certificate)) {
            throw new RefusedCertificateException(Reason.FORM, chain.length + " certificates instead of one");
        }
        return certificate;
    }

    /** The principal that a certificate names. */
    public static PrincipalId principalOf(X509Certificate certificate) throws RefusedCertificateException {
        String subject = certificate.getSubjectX500Principal().getName();
        if (!subject.startsWith(SUBJECT_PREFIX) || subject.length() > SUBJECT_LENGTH_MAX) {
            throw new RefusedCertificateException(Reason.FORM, "a certificate that names no principal");
        }
        try {
            return PrincipalId.parse(subject.substring(SUBJECT_PREFIX.length()));
        } catch (IllegalArgumentException e) {
            throw new RefusedCertificateException(Reason.FORM, "a certificate that names no principal");
        }
    }

    /** The key that a certificate is of. */
    public static PrincipalKey keyOf(X509Certificate certificate) throws RefusedCertificateException {
        try {
            return new PrincipalKey(Bytes.of(certificate.getPublicKey().getEncoded()));
        } catch (IllegalArgumentException e) {
            throw new RefusedCertificateException(Reason.FORM, "a certificate with a key that is not P-256");
        }
    }
}
