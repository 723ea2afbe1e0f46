package io.bulwark.transport;

import io.bulwark.protocol.id.PrincipalId;
import io.bulwark.protocol.id.PrincipalKey;
import io.bulwark.transport.identity.PeerCertificate;
import io.bulwark.transport.identity.RefusedCertificateException;
import io.bulwark.transport.identity.TrustedKeys;
import java.io.IOException;
import java.net.InetSocketAddress;
import java.net.Socket;
import java.security.GeneralSecurityException;
import java.security.cert.X509Certificate;
import java.time.Instant;
import java.util.Map;
import java.util.Optional;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.TimeUnit;
import javax.net.ssl.SSLContext;
import javax.net.ssl.SSLSocket;
import javax.net.ssl.TrustManager;
import org.jspecify.annotations.Nullable;

/**
 * Identity that a listener presents before either side trusts the other: the one certificate of its handshake. In TLS
 * 1.3 it presents the certificate before it knows who asks. Its signature over this very handshake proves that it holds
 * the private key (CertificateVerify). So the listener need not know the asking party, which presents no certificate
 * and only says so.
 */
public final class PresentedIdentity {
    private final X509Certificate certificate;
    private final PrincipalKey key;

    private PresentedIdentity(X509Certificate certificate) throws RefusedCertificateException {
        this.certificate = certificate;
        this.key = PeerCertificate.keyOf(certificate);
    }

    /**
     * Asks for the identity of the listener at an address, and disconnects.
     *
     * @param patienceMillis limit for the whole query
     * @return empty if nobody answers
     * @throws IOException if the listener shows no key that it holds
     */
    public static Optional<PresentedIdentity> at(InetSocketAddress address, int patienceMillis) throws IOException {
        try (Socket socket = new Socket()) {
            try {
                socket.connect(Destination.resolve(address), patienceMillis);
            } catch (IOException e) {
                return Optional.empty();
            }
            CountDownLatch over = new CountDownLatch(1);
            // He may answer byte by byte.
            Thread.ofVirtual().name("patience").start(() -> closeLate(socket, over, patienceMillis));
            try {
                return Optional.of(shown(socket));
            } catch (IOException e) {
                if (socket.isClosed() && over.getCount() == 0) {
                    return Optional.empty();
                }
                throw e;
            } finally {
                over.countDown();
            }
        }
    }

    /** Closes the socket after a timeout. An attempt that ends earlier counts down before it closes. */
    private static void closeLate(Socket socket, CountDownLatch over, int patienceMillis) {
        try {
            if (!over.await(patienceMillis, TimeUnit.MILLISECONDS)) {
                over.countDown();
                socket.close();
            }
        } catch (InterruptedException | IOException e) {
            Thread.currentThread().interrupt();
        }
    }

    private static PresentedIdentity shown(Socket socket) throws IOException {
        RecordingCheck seen = new RecordingCheck();
        try {
            SSLContext context = SSLContext.getInstance(TlsCredentials.PROTOCOL);
            context.init(null, new TrustManager[] {new PinnedKeys(seen)}, null);
            SSLSocket tls = (SSLSocket) context.getSocketFactory().createSocket(socket, null, socket.getPort(), false);
            // Ends when his signature was right.
            tls.startHandshake();
        } catch (GeneralSecurityException e) {
            throw new IllegalStateException("every Java platform has TLS 1.3", e);
        }
        PresentedIdentity shown = seen.shown;
        if (shown == null) {
            throw new IllegalStateException("a handshake without a certificate");
        }
        return shown;
    }

    /** Refuses nobody, but what no principal has. */
    private static final class RecordingCheck implements PinnedKeys.Check {
        private @Nullable PresentedIdentity shown;

        @Override
        public void check(X509Certificate[] chain) throws RefusedCertificateException {
            shown = new PresentedIdentity(PeerCertificate.singleCertificate(chain));
        }
    }

    /** Returns the public key whose private key the listener holds. */
    public PrincipalKey key() {
        return key;
    }

    /**
     * Returns the principal that the certificate names.
     *
     * @throws RefusedCertificateException if that is no principal
     */
    public PrincipalId named() throws RefusedCertificateException {
        return PeerCertificate.principalOf(certificate);
    }

    /**
     * Fails unless a party that knows this principal by the shown key would accept the certificate.
     *
     * @throws RefusedCertificateException if the certificate names another principal, or is not valid now
     */
    public void requireOf(PrincipalId principal) throws RefusedCertificateException {
        var unused = PeerCertificate.check(
                new X509Certificate[] {certificate}, new TrustedKeys(Map.of(key, principal)), Instant.now());
    }
}
