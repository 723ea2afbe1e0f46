package io.bulwark.transport;

import io.bulwark.protocol.wire.Message;
import io.bulwark.transport.identity.Identity;
import io.bulwark.transport.identity.TrustedKeys;
import java.io.IOException;
import java.security.SecureRandom;
import java.util.Map;
import java.util.concurrent.Semaphore;
import java.util.concurrent.TimeUnit;
import org.jspecify.annotations.NullUnmarked;
import org.openjdk.jmh.annotations.Benchmark;
import org.openjdk.jmh.annotations.BenchmarkMode;
import org.openjdk.jmh.annotations.Fork;
import org.openjdk.jmh.annotations.Level;
import org.openjdk.jmh.annotations.Measurement;
import org.openjdk.jmh.annotations.Mode;
import org.openjdk.jmh.annotations.OutputTimeUnit;
import org.openjdk.jmh.annotations.Param;
import org.openjdk.jmh.annotations.Scope;
import org.openjdk.jmh.annotations.Setup;
import org.openjdk.jmh.annotations.State;
import org.openjdk.jmh.annotations.TearDown;
import org.openjdk.jmh.annotations.Warmup;

/**
 * Requests of one size over one link on loopback, each acknowledged by an empty message, at most {@code window} on the
 * way. Both ends run in this JVM.
 */
@NullUnmarked
@State(Scope.Benchmark)
@BenchmarkMode(Mode.Throughput)
@OutputTimeUnit(TimeUnit.SECONDS)
@Warmup(iterations = 2, time = 2)
@Measurement(iterations = 3, time = 2)
@Fork(1)
public class TransportBenchmark {
    /** TLS on the engine that production takes, or plain text. */
    @Param({"tls", "plain"})
    private String channel;

    @Param({"64", "65536", "524288"})
    private int length;

    @Param({"1", "16"})
    private int window;

    private Transport node;
    private Transport client;
    private PeerLink link;
    private TestMessage letter;
    private Semaphore room;

    @Setup(Level.Trial)
    public void open() throws IOException {
        TestMessage empty = TestMessage.ofLength(0, 1);
        letter = TestMessage.ofLength(length, 1);
        room = new Semaphore(window);
        Identity nodes = Identity.generate(TestPrincipals.NODE, new SecureRandom());
        Identity clients = Identity.generate(TestPrincipals.CLIENT, new SecureRandom());
        TrustedKeys trusted = new TrustedKeys(
                Map.of(nodes.publicKey(), TestPrincipals.NODE, clients.publicKey(), TestPrincipals.CLIENT));
        boolean tls = channel.equals("tls");
        Credentials atNode = tls
                ? new TlsCredentials(nodes, trusted)
                : new InsecureLoopback(TestPrincipals.keys(TestPrincipals.NODE));
        Credentials atClient = tls
                ? new TlsCredentials(clients, trusted)
                : new InsecureLoopback(TestPrincipals.keys(TestPrincipals.CLIENT));
        node = Transport.open(TransportSettings.defaults(), atNode, TestMessage.CODECS);
        client = Transport.open(TransportSettings.defaults(), atClient, TestMessage.CODECS);
        TransportServer server = node.listen(TestPrincipals.anyPort(), (peer, requestId, message, done) -> {
            peer.send(requestId, empty);
            done.run();
        });
        link = client.link(TestPrincipals.NODE, server.boundAddress(), new InboundHandler() {
            @Override
            public void onMessage(Peer peer, long requestId, Message message, Runnable done) {
                room.release();
                done.run();
            }
        });
    }

    @TearDown(Level.Trial)
    public void close() {
        client.close();
        node.close();
    }

    @Benchmark
    public boolean send() throws InterruptedException {
        room.acquire();
        return link.send(1, letter);
    }
}
