package io.bulwark.transport;

import static io.bulwark.transport.TestPrincipals.CLIENT;
import static io.bulwark.transport.TestPrincipals.NODE;
import static io.bulwark.transport.TestPrincipals.keys;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;
import static org.awaitility.Awaitility.await;

import java.io.IOException;
import java.net.InetSocketAddress;
import org.jspecify.annotations.NullMarked;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;

/** Members that are found by name. */
@NullMarked
class DestinationTest {
    private final Recorder recorder = new Recorder();
    private final Transport node = Transport.open(TestPrincipals.settings(), keys(NODE), TestMessage.CODECS);
    private final Transport client = Transport.open(TestPrincipals.settings(), keys(CLIENT), TestMessage.CODECS);

    @AfterEach
    void close() {
        client.close();
        node.close();
    }

    @Test
    void literalsAreAddressesAndNamesStayNames() {
        assertThat(Destination.of("127.0.0.1", 7).isUnresolved()).isFalse();
        assertThat(Destination.of("::1", 7).isUnresolved()).isFalse();
        assertThat(Destination.text(Destination.of("::1", 7))).isEqualTo("[0:0:0:0:0:0:0:1]:7");
        InetSocketAddress name = Destination.of("node-3.example", 7);
        assertThat(name.isUnresolved()).isTrue();
        assertThat(name).isEqualTo(Destination.of("node-3.example", 7));
        assertThat(Destination.text(name)).isEqualTo("node-3.example:7");
        assertThatThrownBy(() -> Destination.of("node-3", 70_000)).isInstanceOf(IllegalArgumentException.class);
    }

    @Test
    void aNameIsLookedUpForListeningAndForConnecting() throws IOException {
        try (TransportServer server = node.listen(Destination.of("localhost", 0), recorder);
                PeerLink link = client.link(
                        NODE, Destination.of("localhost", server.boundAddress().getPort()), new Recorder())) {
            assertThat(Recorder.next(recorder.connected).principal()).isEqualTo(CLIENT);
            await().until(() -> link.state() == LinkState.UP);
        }
    }

    @Test
    void aNameThatNobodyKnowsIsWaitedForAndIsNoPlaceToListen() {
        try (PeerLink link = client.link(NODE, Destination.of("nowhere.invalid", 7), recorder)) {
            // It tries again by and by, and takes letters while it does.
            await().until(() -> link.state() == LinkState.WAITING && !link.send(1, TestMessage.ofLength(10, 1)));
        }
        assertThatThrownBy(() -> node.listen(Destination.of("nowhere.invalid", 0), recorder))
                .isInstanceOf(UnsafeAddressException.class)
                .hasMessageContaining("nowhere.invalid");
    }
}
