package io.bulwark.transport;

import static io.bulwark.transport.TestPrincipals.CLIENT;
import static io.bulwark.transport.TestPrincipals.NODE;
import static io.bulwark.transport.TestPrincipals.trusted;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.catchThrowableOfType;
import static org.awaitility.Awaitility.await;

import io.bulwark.protocol.mutation.PlantedBug;
import io.bulwark.transport.identity.Identity;
import io.bulwark.transport.identity.RefusedCertificateException;
import io.bulwark.transport.identity.TrustedKeys;
import io.micrometer.core.instrument.simple.SimpleMeterRegistry;
import io.netty.handler.ssl.OpenSsl;
import io.netty.handler.ssl.SslProvider;
import java.io.IOException;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.net.ServerSocket;
import java.net.Socket;
import java.security.SecureRandom;
import java.security.cert.Certificate;
import java.time.Duration;
import java.time.Instant;
import java.time.InstantSource;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import java.util.Set;
import java.util.concurrent.atomic.AtomicInteger;
import javax.net.ssl.SSLException;
import org.jspecify.annotations.NullMarked;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.parallel.Execution;
import org.junit.jupiter.api.parallel.ExecutionMode;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.MethodSource;

/** Tests what a link knows of the reason for its refusal, between all engines. */
@NullMarked
@Execution(ExecutionMode.CONCURRENT)
class LinkRefusalTest {
    private static final SecureRandom RANDOM = new SecureRandom();
    private static final Identity NODES = Identity.generate(NODE, RANDOM);
    private static final Identity CLIENTS = Identity.generate(CLIENT, RANDOM);
    private static final TrustedKeys BOTH = trusted(NODES, CLIENTS);

    private final List<Transport> opened = new ArrayList<>();

    /** TLS engines of the server and of the client. */
    record Engines(SslProvider server, SslProvider client) {
        /** The JDK's engine says the same of all certificates that a server does not take. */
        LinkRefusal.Reason told(LinkRefusal.Reason reason) {
            return server == SslProvider.JDK ? LinkRefusal.Reason.UNKNOWN_YET : reason;
        }
    }

    static List<Engines> engines() {
        return OpenSsl.isAvailable()
                ? List.of(
                        new Engines(SslProvider.OPENSSL, SslProvider.OPENSSL),
                        new Engines(SslProvider.OPENSSL, SslProvider.JDK),
                        new Engines(SslProvider.JDK, SslProvider.OPENSSL),
                        new Engines(SslProvider.JDK, SslProvider.JDK))
                : List.of(new Engines(SslProvider.JDK, SslProvider.JDK));
    }

    @AfterEach
    void close() {
        opened.forEach(Transport::close);
    }

    @ParameterizedTest
    @MethodSource("engines")
    void aStrangerIsToldThatItsKeyIsNotKnown(Engines engines) throws IOException {
        TlsCredentials client = credentials(Identity.generate(CLIENT, RANDOM), BOTH, engines.client());
        assertRefused(credentials(NODES, BOTH, engines.server()), client, LinkRefusal.Reason.UNKNOWN_YET);
    }

    /** It is sure once it has asked who belongs after it was shown the key, and not if it asked before. */
    @ParameterizedTest
    @MethodSource("engines")
    void aServerThatHasAskedIsSureThatAKeyIsNotKnown(Engines engines) throws IOException {
        TlsCredentials node = credentials(NODES, BOTH, engines.server());
        AtomicInteger shown = new AtomicInteger();
        node.onStranger(shown::incrementAndGet);
        node.asOf(System.nanoTime());
        PeerLink link = link(node, credentials(Identity.generate(CLIENT, RANDOM), BOTH, engines.client()));
        await().until(() -> {
            assertThat(link.refusal().map(LinkRefusal::reason)).isNotEqualTo(sure());
            return shown.get() > 3;
        });
        await().until(() -> {
            node.asOf(System.nanoTime());
            return reasonOf(link) == engines.told(LinkRefusal.Reason.UNKNOWN_KEY);
        });
    }

    private static Optional<LinkRefusal.Reason> sure() {
        return Optional.of(LinkRefusal.Reason.UNKNOWN_KEY);
    }

    @ParameterizedTest
    @MethodSource("engines")
    void whoIsRevokedIsToldSo(Engines engines) throws IOException {
        TrustedKeys without = new TrustedKeys(trusted(NODES).owners(), Set.of(CLIENT));
        assertRefused(
                credentials(NODES, without, engines.server()),
                credentials(CLIENTS, BOTH, engines.client()),
                engines.told(LinkRefusal.Reason.REVOKED));
    }

    @ParameterizedTest
    @MethodSource("engines")
    void whoseCertificateIsNotValidByTheOtherClockIsToldSo(Engines engines) throws IOException {
        Instant now = Instant.now();
        Identity old = Identity.generate(CLIENT, now.minus(Duration.ofDays(9)), now.minus(Duration.ofDays(1)), RANDOM);
        assertRefused(
                credentials(NODES, trusted(NODES, old), engines.server()),
                credentials(old, BOTH, engines.client()),
                engines.told(LinkRefusal.Reason.EXPIRED));
    }

    @ParameterizedTest
    @MethodSource("engines")
    void thatTheOtherIsNotBelievedHereIsAnotherThing(Engines engines) throws IOException {
        Identity foreign = Identity.generate(NODE, RANDOM);
        assertRefused(
                credentials(foreign, BOTH, engines.server()),
                credentials(CLIENTS, BOTH, engines.client()),
                LinkRefusal.Reason.THEIR_KEY_UNKNOWN);
        Instant now = Instant.now();
        Identity old = Identity.generate(NODE, now.minus(Duration.ofDays(9)), now.minus(Duration.ofDays(1)), RANDOM);
        assertRefused(
                credentials(old, BOTH, engines.server()),
                credentials(CLIENTS, trusted(old, CLIENTS), engines.client()),
                LinkRefusal.Reason.THEIR_CERTIFICATE_EXPIRED);
    }

    @ParameterizedTest
    @MethodSource("engines")
    void itIsForgottenOnceTheLinkIsUpAndWithAnotherCertificate(Engines engines) throws IOException {
        TlsCredentials node = credentials(NODES, trusted(NODES), engines.server());
        TlsCredentials own = credentials(CLIENTS, BOTH, engines.client());
        PeerLink link = link(node, own);
        await().until(() -> link.refusal().isPresent());
        LinkRefusal first = link.refusal().orElseThrow();
        await().until(() -> link.refusal()
                .filter(each -> each.lastNanos() > first.lastNanos())
                .isPresent());
        assertThat(link.refusal().orElseThrow().sinceNanos()).isEqualTo(first.sinceNanos());

        Identity next = Identity.generate(CLIENT, RANDOM);
        own.renew(next);
        long renewedNanos = System.nanoTime();
        await().until(() -> link.refusal().isPresent());
        assertThat(link.refusal().orElseThrow().sinceNanos()).isGreaterThan(renewedNanos);

        node.trust(trusted(NODES, next));
        await().until(() -> link.state() == LinkState.UP);
        assertThat(link.refusal()).isEmpty();
    }

    /**
     * Only the server's alert about the certificate counts as its word; records altered by an attacker in between do
     * not.
     */
    @PlantedBug(
            in = ConnectionFault.class,
            rule = "only an alert of the server counts as its refusal",
            replace = "\"(?:received fatal alert: |_alert_)\"",
            with = "\"\"")
    @Test
    void whatIsNoAlertOfTheServerIsNoRefusal() {
        for (String said : List.of(
                "(bad_record_mac) Tag mismatch",
                "(certificate_unknown) no trusted certificate found",
                "error:1000008b:SSL routines:OPENSSL_internal:DECRYPTION_FAILED_OR_BAD_RECORD_MAC",
                "error:1000007d:SSL routines:OPENSSL_internal:CERTIFICATE_VERIFY_FAILED",
                boring("SSLV3_ALERT_BAD_RECORD_MAC"),
                jdk("bad_record_mac"),
                boring("TLSV1_ALERT_INTERNAL_ERROR"),
                jdk("internal_error"),
                boring("TLSV1_ALERT_RECORD_OVERFLOW"),
                boring("TLSV1_ALERT_DECODE_ERROR"),
                boring("TLSV1_ALERT_DECRYPT_ERROR"),
                jdk("unexpected_message"),
                jdk("handshake_failure"),
                jdk("bad_certificate_status_response"))) {
            assertThat(refusal(said)).as(said).isEqualTo(Fault.TLS);
        }
        assertThat(refusal(boring("SSLV3_ALERT_CERTIFICATE_REVOKED"))).isEqualTo(Fault.REFUSED_REVOKED);
        assertThat(refusal(jdk("certificate_expired"))).isEqualTo(Fault.REFUSED_EXPIRED);
        assertThat(refusal(boring("SSLV3_ALERT_BAD_CERTIFICATE"))).isEqualTo(Fault.REFUSED_UNKNOWN);
        assertThat(refusal(boring("TLSV1_ALERT_UNKNOWN_CA"))).isEqualTo(Fault.REFUSED_UNSURE);
        assertThat(refusal(jdk("certificate_unknown"))).isEqualTo(Fault.REFUSED_UNSURE);
    }

    private static String jdk(String alert) {
        return "(" + alert + ") Received fatal alert: " + alert;
    }

    private static String boring(String alert) {
        return "error:10000412:SSL routines:OPENSSL_internal:" + alert;
    }

    private static Fault refusal(String said) {
        return ConnectionFault.ofRefusal(NODE, CLIENT, new SSLException(said)).fault();
    }

    /** An alert that stands before the server has shown who it is. */
    @ParameterizedTest
    @MethodSource("engines")
    void whoHasNotShownWhoItIsRefusesNobody(Engines engines) throws Exception {
        byte[] alert = {21, 3, 3, 0, 2, 2, 46};
        AtomicInteger told = new AtomicInteger();
        try (ServerSocket liar = new ServerSocket(0, 16, InetAddress.getLoopbackAddress())) {
            Thread.ofVirtual().start(() -> {
                while (true) {
                    try (Socket socket = liar.accept()) {
                        socket.getInputStream().read(new byte[1024]);
                        socket.getOutputStream().write(alert);
                        told.incrementAndGet();
                        socket.getInputStream().read(new byte[1024]);
                    } catch (IOException e) {
                        return;
                    }
                }
            });
            PeerLink link = open(credentials(CLIENTS, BOTH, engines.client()))
                    .link(NODE, (InetSocketAddress) liar.getLocalSocketAddress(), new Recorder());
            await().until(() -> {
                assertThat(link.refusal()).isEmpty();
                return told.get() > 4;
            });
        }
    }

    /** He can have the server send an alert of its own, which is not about the certificate: that it has not seen. */
    @ParameterizedTest
    @MethodSource("engines")
    void whoMeddlesWithWhatAClientSaysHasNoServerRefuseIt(Engines engines) throws IOException {
        InetSocketAddress server = open(credentials(NODES, BOTH, engines.server()))
                .listen(TestPrincipals.anyPort(), new Recorder())
                .boundAddress();
        for (TamperingProxy.Deed deed : TamperingProxy.Deed.values()) {
            SimpleMeterRegistry meters = new SimpleMeterRegistry();
            try (TamperingProxy meddler = new TamperingProxy(server, deed);
                    Transport client = Transport.open(
                            TestPrincipals.settings(),
                            credentials(CLIENTS, BOTH, engines.client()),
                            TestMessage.CODECS,
                            meters)) {
                PeerLink link = client.link(NODE, meddler.address(), new Recorder());
                await().until(() -> {
                    assertThat(link.refusal()).as("%s", deed).isEmpty();
                    return TestPrincipals.faults(meters, Fault.TLS) > 4;
                });
            }
        }
    }

    @Test
    void whoAskedBeforeIsNotSure() {
        TlsCredentials node = credentials(NODES, BOTH, SslProvider.JDK);
        Certificate[] chain = {Identity.generate(CLIENT, RANDOM).certificate()};
        node.asOf(System.nanoTime());
        assertThat(refused(node, chain)).as("shown first").isEqualTo(RefusedCertificateException.Reason.UNKNOWN_KEY);
        assertThat(refused(node, chain)).as("not asked").isEqualTo(RefusedCertificateException.Reason.UNKNOWN_KEY);
        node.asOf(System.nanoTime());
        assertThat(refused(node, chain)).as("asked").isEqualTo(RefusedCertificateException.Reason.UNKNOWN_STILL);
        assertThat(refused(node, chain)).as("not since").isEqualTo(RefusedCertificateException.Reason.UNKNOWN_KEY);
    }

    private static RefusedCertificateException.Reason refused(TlsCredentials node, Certificate[] chain) {
        return catchThrowableOfType(RefusedCertificateException.class, () -> node.check(chain))
                .reason();
    }

    @Test
    void whoSeesAnUnknownKeyIsTold() throws IOException {
        TlsCredentials node = credentials(NODES, BOTH, SslProvider.JDK);
        AtomicInteger strangers = new AtomicInteger();
        Runnable listener = strangers::incrementAndGet;
        node.onStranger(listener);
        PeerLink known = link(node, credentials(CLIENTS, BOTH, SslProvider.JDK));
        await().until(() -> known.state() == LinkState.UP);
        assertThat(strangers).hasValue(0);
        link(node, credentials(Identity.generate(CLIENT, RANDOM), BOTH, SslProvider.JDK));
        await().until(() -> strangers.get() > 0);
    }

    /** Without TLS the keys of both do not fit, and nothing more is known. */
    @Test
    void withoutTlsOtherKeysAreOtherKeys() throws IOException {
        Transport node = Transport.open(TestPrincipals.settings(), TestPrincipals.keys(NODE, 0), TestMessage.CODECS);
        opened.add(node);
        Transport client =
                Transport.open(TestPrincipals.settings(), TestPrincipals.keys(CLIENT, 1), TestMessage.CODECS);
        opened.add(client);
        PeerLink link = client.link(
                NODE, node.listen(TestPrincipals.anyPort(), new Recorder()).boundAddress(), new Recorder());
        await().until(() -> reasonOf(link) == LinkRefusal.Reason.THEIR_KEY_UNKNOWN);
    }

    private void assertRefused(TlsCredentials server, TlsCredentials client, LinkRefusal.Reason reason)
            throws IOException {
        PeerLink link = link(server, client);
        await().until(() -> link.refusal().isPresent());
        assertThat(reasonOf(link)).isEqualTo(reason);
        assertThat(link.state()).isNotEqualTo(LinkState.UP);
    }

    private static LinkRefusal.Reason reasonOf(PeerLink link) {
        await().until(() -> link.refusal().isPresent());
        return link.refusal().orElseThrow().reason();
    }

    private PeerLink link(TlsCredentials server, TlsCredentials client) throws IOException {
        InetSocketAddress address =
                open(server).listen(TestPrincipals.anyPort(), new Recorder()).boundAddress();
        return open(client).link(NODE, address, new Recorder());
    }

    private Transport open(TlsCredentials credentials) {
        Transport transport = Transport.open(TestPrincipals.settings(), credentials, TestMessage.CODECS);
        opened.add(transport);
        return transport;
    }

    private static TlsCredentials credentials(Identity identity, TrustedKeys trusted, SslProvider engine) {
        return new TlsCredentials(identity, trusted, engine, InstantSource.system());
    }
}
