package io.bulwark.transport;

import com.amazon.corretto.crypto.provider.AmazonCorrettoCryptoProvider;
import io.bulwark.transport.identity.Identity;
import io.bulwark.transport.identity.TrustedKeys;
import io.netty.channel.embedded.EmbeddedChannel;
import io.netty.handler.ssl.SslHandler;
import io.netty.handler.ssl.SslProvider;
import java.security.SecureRandom;
import java.security.Security;
import java.time.InstantSource;
import java.util.Map;
import java.util.concurrent.TimeUnit;
import org.jspecify.annotations.NullUnmarked;
import org.openjdk.jmh.annotations.Benchmark;
import org.openjdk.jmh.annotations.BenchmarkMode;
import org.openjdk.jmh.annotations.Fork;
import org.openjdk.jmh.annotations.Measurement;
import org.openjdk.jmh.annotations.Mode;
import org.openjdk.jmh.annotations.OutputTimeUnit;
import org.openjdk.jmh.annotations.Param;
import org.openjdk.jmh.annotations.Scope;
import org.openjdk.jmh.annotations.Setup;
import org.openjdk.jmh.annotations.State;
import org.openjdk.jmh.annotations.Warmup;

/** Both sides of one handshake with certificates, in one thread without a network. */
@NullUnmarked
@State(Scope.Thread)
@BenchmarkMode(Mode.AverageTime)
@OutputTimeUnit(TimeUnit.MICROSECONDS)
@Warmup(iterations = 3, time = 2)
@Measurement(iterations = 3, time = 2)
@Fork(value = 1, jvmArgsAppend = "--enable-native-access=ALL-UNNAMED")
public class HandshakeBenchmark {
    /** BoringSSL, the JDK's engine, and the same with the native provider before all others of the platform. */
    @Param({"OPENSSL", "JDK", "installed"})
    private String engine;

    private TlsCredentials node;
    private TlsCredentials client;

    @Setup
    public void credentials() {
        if (engine.equals("installed")) {
            Security.insertProviderAt(AmazonCorrettoCryptoProvider.INSTANCE, 1);
        }
        SslProvider provider = engine.equals("OPENSSL") ? SslProvider.OPENSSL : SslProvider.JDK;
        Identity nodes = Identity.generate(TestPrincipals.NODE, new SecureRandom());
        Identity clients = Identity.generate(TestPrincipals.CLIENT, new SecureRandom());
        TrustedKeys trusted = new TrustedKeys(
                Map.of(nodes.publicKey(), nodes.principal(), clients.publicKey(), clients.principal()));
        node = new TlsCredentials(nodes, trusted, provider, InstantSource.system());
        client = new TlsCredentials(clients, trusted, provider, InstantSource.system());
    }

    @Benchmark
    public void handshake() {
        EmbeddedChannel accepting = new EmbeddedChannel();
        SslHandler accepted = node.accepting().newHandler(accepting.alloc());
        accepting.pipeline().addLast(accepted);
        EmbeddedChannel connecting = new EmbeddedChannel();
        // With an address no session is resumed: each channel has another port.
        SslHandler connected = client.connecting().newHandler(connecting.alloc());
        connecting.pipeline().addLast(connected);
        while (!accepted.handshakeFuture().isDone() || !connected.handshakeFuture().isDone()) {
            pass(connecting, accepting);
            pass(accepting, connecting);
        }
        if (!accepted.handshakeFuture().isSuccess() || !connected.handshakeFuture().isSuccess()) {
            throw new IllegalStateException(accepted.handshakeFuture().cause());
        }
        accepting.finishAndReleaseAll();
        connecting.finishAndReleaseAll();
    }

    private static void pass(EmbeddedChannel from, EmbeddedChannel to) {
        from.runPendingTasks();
        for (Object record = from.readOutbound(); record != null; record = from.readOutbound()) {
            to.writeInbound(record);
        }
    }
}
