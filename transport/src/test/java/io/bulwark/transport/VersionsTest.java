package io.bulwark.transport;

import static io.bulwark.transport.TestPrincipals.CLIENT;
import static io.bulwark.transport.TestPrincipals.NODE;
import static io.bulwark.transport.TestPrincipals.faults;
import static io.bulwark.transport.TestPrincipals.trusted;
import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import ch.qos.logback.classic.Level;
import ch.qos.logback.classic.Logger;
import ch.qos.logback.classic.spi.ILoggingEvent;
import ch.qos.logback.core.read.ListAppender;
import io.bulwark.protocol.wire.WireVersions;
import io.bulwark.transport.identity.Identity;
import io.micrometer.core.instrument.MeterRegistry;
import io.micrometer.core.instrument.simple.SimpleMeterRegistry;
import io.netty.handler.ssl.SslProvider;
import java.io.IOException;
import java.security.SecureRandom;
import java.time.InstantSource;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.CopyOnWriteArrayList;
import org.jspecify.annotations.NullMarked;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.MethodSource;
import org.slf4j.LoggerFactory;

/** Decision 19: two builds speak the newest version that both support, and refuse each other without one. */
@NullMarked
class VersionsTest {
    private static final SecureRandom RANDOM = new SecureRandom();
    private static final Identity NODES = Identity.generate(NODE, RANDOM);
    private static final Identity CLIENTS = Identity.generate(CLIENT, RANDOM);
    private static final int NEXT = WireVersions.HERE.newest() + 1;
    /** The next build, which speaks this version, too. */
    private static final WireVersions NEXT_BUILD = new WireVersions(WireVersions.HERE.oldest(), NEXT);
    /** A later build, which has given up this version. */
    private static final WireVersions LATER_BUILD = new WireVersions(NEXT, NEXT);

    private final MeterRegistry atNode = new SimpleMeterRegistry();
    private final MeterRegistry atClient = new SimpleMeterRegistry();
    private final Recorder node = new Recorder();
    private final Recorder client = new Recorder();
    private final List<Transport> opened = new ArrayList<>();

    static List<SslProvider> engines() {
        return TlsTest.engines();
    }

    @AfterEach
    void close() {
        opened.forEach(Transport::close);
    }

    @ParameterizedTest
    @MethodSource("engines")
    void thisBuildAndTheNextSpeakThisVersion(SslProvider engine) throws IOException {
        TransportServer here =
                open(credentials(NODES, engine, WireVersions.HERE), atNode).listen(TestPrincipals.anyPort(), node);
        PeerLink link =
                open(credentials(CLIENTS, engine, NEXT_BUILD), atClient).link(NODE, here.boundAddress(), client);
        Recorder.next(node.connected);
        TestMessage letter = TestMessage.ofLength(100, 1);
        assertThat(link.send(1, letter)).isTrue();
        assertThat(Recorder.next(node.arrived).letter()).isEqualTo(letter);
        try (TlsSocket next = new TlsSocket(here.boundAddress(), CLIENTS, "TLSv1.3", NEXT_BUILD.names())) {
            next.socket.startHandshake();
            assertThat(next.socket.getApplicationProtocol()).isEqualTo("bulwark/" + WireVersions.HERE.newest());
        }
    }

    @ParameterizedTest
    @MethodSource("engines")
    void twoOfTheNextBuildSpeakItsVersion(SslProvider engine) throws IOException {
        TransportServer server =
                open(credentials(NODES, engine, NEXT_BUILD), atNode).listen(TestPrincipals.anyPort(), node);
        try (TlsSocket next = new TlsSocket(server.boundAddress(), CLIENTS, "TLSv1.3", NEXT_BUILD.names())) {
            next.socket.startHandshake();
            assertThat(next.socket.getApplicationProtocol()).isEqualTo("bulwark/" + NEXT);
            Recorder.next(node.connected);
        }
    }

    @ParameterizedTest
    @MethodSource("engines")
    void aServerWithoutACommonVersionIsRefused(SslProvider engine) throws IOException {
        TransportServer server =
                open(credentials(NODES, engine, LATER_BUILD), atNode).listen(TestPrincipals.anyPort(), node);
        PeerLink link = open(credentials(CLIENTS, engine, WireVersions.HERE), atClient)
                .link(NODE, server.boundAddress(), client);
        await().until(() -> faults(atClient, Fault.HANDSHAKE_VERSION) + faults(atNode, Fault.HANDSHAKE_VERSION) >= 2);
        assertThat(node.connected).isEmpty();
        assertThat(client.connected).isEmpty();
        assertThat(link.state()).isNotEqualTo(LinkState.UP);
    }

    @ParameterizedTest
    @MethodSource("engines")
    void aClientWithoutACommonVersionIsRefusedWithTheReason(SslProvider engine) throws IOException {
        ListAppender<ILoggingEvent> log = new ListAppender<>();
        log.list = new CopyOnWriteArrayList<>();
        Logger logger = (Logger) LoggerFactory.getLogger(Transport.class);
        logger.setLevel(Level.WARN);
        log.start();
        logger.addAppender(log);
        try {
            TransportServer server =
                    open(credentials(NODES, engine, WireVersions.HERE), atNode).listen(TestPrincipals.anyPort(), node);
            for (List<String> versions : List.of(LATER_BUILD.names(), List.of("h2"), List.<String>of())) {
                try (TlsSocket later = new TlsSocket(server.boundAddress(), CLIENTS, "TLSv1.3", versions)) {
                    assertThat(later.isRefused()).isTrue();
                }
            }
            await().until(() -> faults(atNode, Fault.HANDSHAKE_VERSION) == 3);
            await().untilAsserted(() -> assertThat(log.list)
                    .anySatisfy(line -> assertThat(line.getFormattedMessage())
                            .contains(CLIENT
                                    + " offers none of the wire versions of this process, bulwark/1: upgrade the "
                                    + "older of the two")));
            assertThat(node.connected).isEmpty();
        } finally {
            logger.detachAppender(log);
            logger.setLevel(null);
        }
    }

    private Transport open(TlsCredentials credentials, MeterRegistry registry) {
        Transport transport = Transport.open(TestPrincipals.settings(), credentials, TestMessage.CODECS, registry);
        opened.add(transport);
        return transport;
    }

    private static TlsCredentials credentials(Identity identity, SslProvider engine, WireVersions versions) {
        return new TlsCredentials(identity, trusted(NODES, CLIENTS), engine, InstantSource.system(), versions);
    }
}
