package io.bulwark.transport;

import static io.bulwark.transport.TestPrincipals.NODE;
import static io.bulwark.transport.TestPrincipals.OTHER_NODE;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.bulwark.protocol.mutation.PlantedBug;
import io.bulwark.transport.identity.Identity;
import io.bulwark.transport.identity.RefusedCertificateException;
import io.bulwark.transport.identity.TrustedKeys;
import io.micrometer.core.instrument.simple.SimpleMeterRegistry;
import io.netty.handler.ssl.OpenSsl;
import io.netty.handler.ssl.SslProvider;
import java.io.IOException;
import java.math.BigInteger;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.net.ServerSocket;
import java.net.Socket;
import java.security.KeyPair;
import java.security.KeyPairGenerator;
import java.security.Principal;
import java.security.PrivateKey;
import java.security.SecureRandom;
import java.security.cert.X509Certificate;
import java.time.Duration;
import java.time.Instant;
import java.time.InstantSource;
import java.util.Date;
import java.util.List;
import java.util.Map;
import javax.net.ssl.KeyManager;
import javax.net.ssl.SSLContext;
import javax.net.ssl.SSLException;
import javax.net.ssl.SSLServerSocket;
import javax.net.ssl.SSLSocket;
import javax.net.ssl.X509KeyManager;
import org.bouncycastle.asn1.x500.X500Name;
import org.bouncycastle.cert.jcajce.JcaX509CertificateConverter;
import org.bouncycastle.cert.jcajce.JcaX509v3CertificateBuilder;
import org.bouncycastle.operator.jcajce.JcaContentSignerBuilder;
import org.jspecify.annotations.NullMarked;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.MethodSource;

/**
 * Tests that a listener presents its key to a party unknown to it, and that nobody can present a key that it does not
 * hold.
 */
@NullMarked
class PresentedIdentityTest {
    private static final SecureRandom RANDOM = new SecureRandom();
    private static final Identity NODES = Identity.generate(NODE, RANDOM);
    private static final int PATIENCE_MILLIS = 30_000;

    static List<SslProvider> engines() {
        return OpenSsl.isAvailable() ? List.of(SslProvider.JDK, SslProvider.OPENSSL) : List.of(SslProvider.JDK);
    }

    @ParameterizedTest
    @MethodSource("engines")
    void whoKnowsNobodyShowsItsKey(SslProvider engine) throws Exception {
        PresentedIdentity shown = shownBy(NODES, engine);
        assertThat(shown.key()).isEqualTo(NODES.publicKey());
        assertThat(shown.named()).isEqualTo(NODE);
        shown.requireOf(NODE);
        assertThatThrownBy(() -> shown.requireOf(OTHER_NODE)).isInstanceOf(RefusedCertificateException.class);
    }

    @Test
    void aCertificateThatIsOverIsSeenToBe() throws Exception {
        Instant now = Instant.now();
        PresentedIdentity shown = shownBy(
                Identity.generate(NODE, now.minus(Duration.ofDays(20)), now.minus(Duration.ofDays(10)), RANDOM),
                SslProvider.JDK);
        assertThatThrownBy(() -> shown.requireOf(NODE)).isInstanceOf(RefusedCertificateException.class);
    }

    private static PresentedIdentity shownBy(Identity identity, SslProvider engine) throws IOException {
        TlsCredentials credentials =
                new TlsCredentials(identity, new TrustedKeys(Map.of()), engine, InstantSource.system());
        try (Transport transport =
                Transport.open(TestPrincipals.settings(), credentials, TestMessage.CODECS, new SimpleMeterRegistry())) {
            TransportServer server = transport.listen(TestPrincipals.anyPort(), new Recorder());
            return PresentedIdentity.at(server.boundAddress(), PATIENCE_MILLIS).orElseThrow();
        }
    }

    /** The certificate of another is no secret. */
    @PlantedBug(
            in = PresentedIdentity.class,
            rule = "a key counts as shown only by a finished handshake",
            replace = "tls.startHandshake();",
            with = "try { tls.startHandshake(); } catch (IOException e) { if (seen.shown == null) { throw e; } }")
    @Test
    void whoDoesNotHoldTheKeyShowsNone() throws Exception {
        Identity thief = Identity.generate(NODE, RANDOM);
        assertThatThrownBy(() -> shownBy(new Shows(NODES.certificate(), thief.privateKey())))
                .isInstanceOf(SSLException.class);
    }

    @Test
    void aKeyOfAnotherKindIsNoPrincipals() throws Exception {
        KeyPairGenerator generator = KeyPairGenerator.getInstance("RSA");
        generator.initialize(2048);
        KeyPair rsa = generator.generateKeyPair();
        X500Name name = new X500Name("CN=" + NODE);
        Date from = Date.from(Instant.now().minus(Duration.ofDays(1)));
        Date until = Date.from(Instant.now().plus(Duration.ofDays(1)));
        X509Certificate certificate = new JcaX509CertificateConverter()
                .getCertificate(
                        new JcaX509v3CertificateBuilder(name, BigInteger.ONE, from, until, name, rsa.getPublic())
                                .build(new JcaContentSignerBuilder("SHA256withRSA").build(rsa.getPrivate())));
        assertThatThrownBy(() -> shownBy(new Shows(certificate, rsa.getPrivate())))
                .isInstanceOf(SSLException.class)
                .hasMessageContaining("P-256");
    }

    @Test
    void whoIsSilentDoesNotAnswer() throws Exception {
        try (ServerSocket silent = new ServerSocket(0, 1, InetAddress.getLoopbackAddress())) {
            assertThat(PresentedIdentity.at(addressOf(silent), 200)).isEmpty();
        }
    }

    @Test
    void whereNobodyListensNobodyAnswers() throws Exception {
        InetSocketAddress address;
        try (ServerSocket gone = new ServerSocket(0, 1, InetAddress.getLoopbackAddress())) {
            address = addressOf(gone);
        }
        assertThat(PresentedIdentity.at(address, PATIENCE_MILLIS)).isEmpty();
        assertThat(PresentedIdentity.at(InetSocketAddress.createUnresolved("nowhere.invalid", 1), PATIENCE_MILLIS))
                .isEmpty();
    }

    private static PresentedIdentity shownBy(Shows shows) throws Exception {
        SSLContext context = SSLContext.getInstance("TLSv1.3");
        context.init(new KeyManager[] {shows}, null, null);
        try (SSLServerSocket server = (SSLServerSocket)
                context.getServerSocketFactory().createServerSocket(0, 1, InetAddress.getLoopbackAddress())) {
            Thread.ofVirtual().start(() -> serveOne(server));
            return PresentedIdentity.at(addressOf(server), PATIENCE_MILLIS).orElseThrow();
        }
    }

    private static InetSocketAddress addressOf(ServerSocket server) {
        return new InetSocketAddress(server.getInetAddress(), server.getLocalPort());
    }

    private static void serveOne(SSLServerSocket server) {
        try (SSLSocket socket = (SSLSocket) server.accept()) {
            socket.startHandshake();
            int _ = socket.getInputStream().read();
        } catch (IOException e) {
            // Refused, as it is to be.
        }
    }

    /** Any certificate, with any key. */
    private record Shows(X509Certificate certificate, PrivateKey key) implements X509KeyManager {
        @Override
        public String @Nullable [] getClientAliases(String keyType, Principal @Nullable [] issuers) {
            return null;
        }

        @Override
        public @Nullable String chooseClientAlias(
                String[] keyType, Principal @Nullable [] issuers, @Nullable Socket socket) {
            return null;
        }

        @Override
        public String[] getServerAliases(String keyType, Principal @Nullable [] issuers) {
            return new String[] {"own"};
        }

        @Override
        public @Nullable String chooseServerAlias(
                String keyType, Principal @Nullable [] issuers, @Nullable Socket socket) {
            return keyType.equals(certificate.getPublicKey().getAlgorithm()) ? "own" : null;
        }

        @Override
        public X509Certificate[] getCertificateChain(String alias) {
            return new X509Certificate[] {certificate};
        }

        @Override
        public PrivateKey getPrivateKey(String alias) {
            return key;
        }
    }
}
