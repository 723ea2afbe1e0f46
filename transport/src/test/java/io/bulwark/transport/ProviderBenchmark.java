package io.bulwark.transport;

import com.amazon.corretto.crypto.provider.AmazonCorrettoCryptoProvider;
import io.bulwark.protocol.id.P256;
import io.bulwark.protocol.wire.Bytes;
import io.bulwark.transport.identity.Identity;
import io.bulwark.transport.identity.TrustedKeys;
import io.netty.channel.embedded.EmbeddedChannel;
import io.netty.handler.ssl.SslHandler;
import io.netty.handler.ssl.SslProvider;
import java.lang.management.ManagementFactory;
import java.lang.management.ThreadMXBean;
import java.security.MessageDigest;
import java.security.Provider;
import java.security.SecureRandom;
import java.security.Security;
import java.time.InstantSource;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.concurrent.Callable;
import javax.crypto.Cipher;
import javax.crypto.Mac;
import javax.crypto.spec.GCMParameterSpec;
import javax.crypto.spec.SecretKeySpec;
import org.jspecify.annotations.NullMarked;

/**
 * Processor time of one operation with the JDK's providers and with the native one, in turns: signatures, key agreement,
 * both sides of a handshake, hashes, MACs and encryption as the product computes them. Prints a table.
 */
@NullMarked
public final class ProviderBenchmark {
    private static final ThreadMXBean THREADS = ManagementFactory.getThreadMXBean();
    private static final int ROUNDS = 5;
    private static final long ROUND_NANOS = 80_000_000;
    private static final int[] LENGTHS = {64, 4 << 10, 1 << 20};
    private static final Provider NATIVE = AmazonCorrettoCryptoProvider.INSTANCE;

    private final Identity node = Identity.generate(TestPrincipals.NODE, new SecureRandom());
    private final Identity client = Identity.generate(TestPrincipals.CLIENT, new SecureRandom());
    private long nonce;

    private ProviderBenchmark() {}

    public static void main(String[] arguments) throws Exception {
        new ProviderBenchmark().run();
    }

    private void run() throws Exception {
        Bytes content = Bytes.of(new byte[128]);
        Bytes signature = node.sign(content);
        P256 platform = P256.ofPlatform();
        P256 other = P256.of(NATIVE);
        System.out.println("| | JDK, us | native, us | ratio |\n|---|---|---|---|");
        compare(
                "P-256: sign",
                () -> platform.sign(node.privateKey(), content),
                () -> other.sign(node.privateKey(), content));
        compare(
                "P-256: verify",
                () -> platform.verifies(node.publicKey(), content, signature),
                () -> other.verifies(node.publicKey(), content, signature));
        compare(
                "P-256: agree",
                () -> platform.agree(node.privateKey(), client.publicKey()),
                () -> other.agree(node.privateKey(), client.publicKey()));
        for (int length : LENGTHS) {
            byte[] bytes = new byte[length];
            String of = " of " + length + " bytes";
            compare("SHA-256" + of, hash("SUN", bytes), hash(NATIVE.getName(), bytes));
            compare("HMAC-SHA-256" + of, mac("SunJCE", bytes), mac(NATIVE.getName(), bytes));
            compare("AES-256-GCM" + of, encryption("SunJCE", bytes), encryption(NATIVE.getName(), bytes));
        }
        Callable<Object> jdk = handshake(SslProvider.JDK);
        compare("handshake: JDK's engine, BoringSSL", jdk, handshake(SslProvider.OPENSSL));
        // What follows has the native provider before all others of the platform.
        double[] before = measure(List.of(jdk));
        Security.insertProviderAt(NATIVE, 1);
        print(
                "handshake: JDK's engine without and with it",
                before[0],
                measure(List.of(handshake(SslProvider.JDK)))[0]);
    }

    private static Provider named(String name) {
        return name.equals(NATIVE.getName()) ? NATIVE : Security.getProvider(name);
    }

    private static Callable<Object> hash(String provider, byte[] bytes) {
        Provider hashing = named(provider);
        return () -> MessageDigest.getInstance("SHA-256", hashing).digest(bytes);
    }

    /** Each message has a copy of the keyed one, as threads share that. */
    private static Callable<Object> mac(String provider, byte[] bytes) throws Exception {
        Mac keyed = Mac.getInstance("HmacSHA256", named(provider));
        keyed.init(new SecretKeySpec(new byte[32], "HmacSHA256"));
        return () -> ((Mac) keyed.clone()).doFinal(bytes);
    }

    private Callable<Object> encryption(String provider, byte[] bytes) {
        Provider ciphers = named(provider);
        SecretKeySpec key = new SecretKeySpec(new byte[32], "AES");
        return () -> {
            byte[] fresh = new byte[12];
            for (int i = 0; i < Long.BYTES; i++) {
                fresh[i] = (byte) (nonce >>> (8 * i));
            }
            nonce++;
            Cipher cipher = Cipher.getInstance("AES/GCM/NoPadding", ciphers);
            cipher.init(Cipher.ENCRYPT_MODE, key, new GCMParameterSpec(128, fresh));
            return cipher.doFinal(bytes);
        };
    }

    /** Both sides with certificates, in this thread without a network. */
    private Callable<Object> handshake(SslProvider engine) {
        TrustedKeys trusted =
                new TrustedKeys(Map.of(node.publicKey(), node.principal(), client.publicKey(), client.principal()));
        TlsCredentials nodes = new TlsCredentials(node, trusted, engine, InstantSource.system());
        TlsCredentials clients = new TlsCredentials(client, trusted, engine, InstantSource.system());
        return () -> {
            EmbeddedChannel accepting = new EmbeddedChannel();
            SslHandler accepted = nodes.accepting().newHandler(accepting.alloc());
            accepting.pipeline().addLast(accepted);
            EmbeddedChannel connecting = new EmbeddedChannel();
            SslHandler connected = clients.connecting().newHandler(connecting.alloc());
            connecting.pipeline().addLast(connected);
            while (!accepted.handshakeFuture().isDone()
                    || !connected.handshakeFuture().isDone()) {
                pass(connecting, accepting);
                pass(accepting, connecting);
            }
            if (!accepted.handshakeFuture().isSuccess()
                    || !connected.handshakeFuture().isSuccess()) {
                throw new IllegalStateException(accepted.handshakeFuture().cause());
            }
            accepting.finishAndReleaseAll();
            connecting.finishAndReleaseAll();
            return accepted;
        };
    }

    private static void pass(EmbeddedChannel from, EmbeddedChannel to) {
        from.runPendingTasks();
        for (Object part = from.readOutbound(); part != null; part = from.readOutbound()) {
            to.writeInbound(part);
        }
    }

    private static void compare(String name, Callable<Object> jdk, Callable<Object> other) throws Exception {
        double[] micros = measure(List.of(jdk, other));
        print(name, micros[0], micros[1]);
    }

    private static void print(String name, double jdk, double other) {
        System.out.printf(Locale.ROOT, "| %s | %.2f | %.2f | %.2f |%n", name, jdk, other, jdk / other);
    }

    /** Returns the median of each over the rounds; the first three of each are for the compiler. */
    private static double[] measure(List<Callable<Object>> operations) throws Exception {
        List<double[]> micros = new ArrayList<>();
        for (int i = 0; i < operations.size(); i++) {
            micros.add(new double[ROUNDS]);
        }
        for (int round = -3; round < ROUNDS; round++) {
            for (int i = 0; i < operations.size(); i++) {
                double each = round(operations.get(i));
                if (round >= 0) {
                    micros.get(i)[round] = each;
                }
            }
        }
        return micros.stream()
                .mapToDouble(of -> Arrays.stream(of).sorted().toArray()[ROUNDS / 2])
                .toArray();
    }

    private static double round(Callable<Object> operation) throws Exception {
        long began = THREADS.getCurrentThreadCpuTime();
        long count = 0;
        long used = 0;
        while (used < ROUND_NANOS) {
            for (int i = 0; i < 8; i++) {
                if (operation.call() == null) {
                    throw new IllegalStateException("an operation without a result");
                }
            }
            count += 8;
            used = THREADS.getCurrentThreadCpuTime() - began;
        }
        return used / 1e3 / count;
    }
}
