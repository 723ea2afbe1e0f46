package io.bulwark.transport;

import io.bulwark.transport.identity.RefusedCertificateException;
import io.netty.handler.ssl.OpenSsl;
import io.netty.handler.ssl.OpenSslCertificateException;
import io.netty.internal.tcnative.CertificateVerifier;
import java.net.Socket;
import java.security.cert.CertificateException;
import java.security.cert.X509Certificate;
import javax.net.ssl.SSLEngine;
import javax.net.ssl.X509ExtendedTrustManager;

/** Refuses during the handshake, by the certificate's key: no authority is asked, and no name of a host looked at. */
final class PinnedKeys extends X509ExtendedTrustManager {
    /** Check of the party at the other end. */
    interface Check {
        void check(X509Certificate[] chain) throws RefusedCertificateException;
    }

    private final Check whom;

    PinnedKeys(Check whom) {
        this.whom = whom;
    }

    @Override
    public void checkClientTrusted(X509Certificate[] chain, String authType) throws CertificateException {
        check(chain);
    }

    @Override
    public void checkServerTrusted(X509Certificate[] chain, String authType) throws CertificateException {
        check(chain);
    }

    @Override
    public void checkClientTrusted(X509Certificate[] chain, String authType, Socket socket)
            throws CertificateException {
        check(chain);
    }

    @Override
    public void checkServerTrusted(X509Certificate[] chain, String authType, Socket socket)
            throws CertificateException {
        check(chain);
    }

    @Override
    public void checkClientTrusted(X509Certificate[] chain, String authType, SSLEngine engine)
            throws CertificateException {
        check(chain);
    }

    @Override
    public void checkServerTrusted(X509Certificate[] chain, String authType, SSLEngine engine)
            throws CertificateException {
        check(chain);
    }

    private void check(X509Certificate[] chain) throws CertificateException {
        try {
            whom.check(chain);
        } catch (RefusedCertificateException e) {
            throw told(e);
        }
    }

    /** Has BoringSSL send an alert about the certificate: of what says nothing that it knows it makes {@code internal_error}. */
    private static CertificateException told(RefusedCertificateException refused) {
        if (!OpenSsl.isAvailable()) {
            return refused;
        }
        return switch (refused.reason()) {
            case EXPIRED, REVOKED -> refused;
            // bad_certificate
            case UNKNOWN_STILL -> withCode(refused, CertificateVerifier.X509_V_ERR_CERT_REJECTED);
            // unknown_ca
            case FORM, UNKNOWN_KEY, WRONG_NAME ->
                withCode(refused, CertificateVerifier.X509_V_ERR_DEPTH_ZERO_SELF_SIGNED_CERT);
        };
    }

    /** Puts the reason into the exception itself: the JDK's engine reports only the outermost exception. */
    private static CertificateException withCode(RefusedCertificateException refused, int code) {
        return new OpenSslCertificateException(refused.getMessage(), refused, code);
    }

    @Override
    public X509Certificate[] getAcceptedIssuers() {
        return new X509Certificate[0];
    }
}
