package io.bulwark.metadata;

import static org.junit.jupiter.api.Assumptions.assumeTrue;

import io.bulwark.metadata.bft.ReplicaRestarter;
import io.bulwark.protocol.id.PrincipalId;
import io.bulwark.protocol.ordering.driver.ReplicaConfig.Recoveries;
import io.bulwark.protocol.ordering.driver.StartReason;
import io.bulwark.protocol.wire.Bytes;
import io.bulwark.transport.identity.Identity;
import java.io.IOException;
import java.net.InetSocketAddress;
import java.net.Socket;
import java.net.URI;
import java.net.http.HttpClient;
import java.net.http.HttpRequest;
import java.net.http.HttpResponse;
import java.nio.ByteBuffer;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.security.GeneralSecurityException;
import java.security.SecureRandom;
import java.security.cert.X509Certificate;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Locale;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicLong;
import java.util.stream.Collectors;
import java.util.stream.IntStream;
import javax.net.ssl.SSLContext;
import javax.net.ssl.SSLEngine;
import javax.net.ssl.TrustManager;
import javax.net.ssl.X509ExtendedTrustManager;
import org.jspecify.annotations.NullMarked;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/**
 * Durable puts of 256 bytes against etcd with three nodes, on the same file system. On demand, {@code
 * -Dtest=EtcdBenchmark}; skipped where no {@code etcd} (Debian: etcd-server) is on the path. Each is called in its own
 * protocol (etcd in gRPC) over TLS. Traffic between etcd's nodes is not encrypted; traffic between our replicas is.
 */
@NullMarked
class EtcdBenchmark {
    private static final double SECONDS = Double.parseDouble(System.getProperty("bulwark.bench.seconds", "4"));
    private static final Path DISK = Path.of(System.getProperty("bulwark.bench.disk", "target"));
    private static final int VALUE_BYTES = 256;
    /** 256, as protocol buffers have it. */
    private static final byte[] VALUE_LENGTH = {(byte) 0x80, 2};

    private static final int NODES = 3;
    private static final int[] CALLERS = {1, 4, 16};
    private static final int KEYS = 1_000;
    /** Length of the prefix of a gRPC message: a compression flag and the message's length. */
    private static final int PREFIX_BYTES = 5;

    @TempDir
    private Path logs = Path.of("");

    @Test
    void durablePuts() throws Exception {
        boolean isThere = isThere();
        String missing = "etcd is not installed: apt-get install etcd-server";
        if (!isThere) {
            System.out.println("LEFT OUT: durable puts against etcd, since " + missing);
        }
        assumeTrue(isThere, missing);
        Path directory = Files.createTempDirectory(DISK.toAbsolutePath(), "etcd");
        List<InetSocketAddress> clients = ReplicaGroup.freeAddresses(NODES);
        List<InetSocketAddress> peers = ReplicaGroup.freeAddresses(NODES);
        List<Process> nodes = new ArrayList<>();
        ReplicaGroup.Starter bft = (config, credentials, _) -> new ReplicaGroup.Started(
                ReplicaRestarter.start(config, credentials, _ -> new SizesMachine(), StartReason.NORMAL), List::of);
        Path key = directory.resolve("etcd.pem");
        Identity.generate(PrincipalId.node(0), new SecureRandom()).store(key);
        try (ReplicaGroup ours = ReplicaGroup.withIdentities(
                        directory.resolve("bft"), bft, ReplicaConfig.SNAPSHOT_BATCHES_STANDARD, Recoveries.DEFAULT);
                HttpClient http =
                        HttpClient.newBuilder().sslContext(trustingAnybody()).build()) {
            for (int node = 0; node < NODES; node++) {
                nodes.add(start(node, directory, key, clients, peers));
            }
            ours.startAll();
            awaitLeader(http, clients);
            Bytes operation = SizesMachine.operation(VALUE_BYTES, 0);
            AtomicLong number = new AtomicLong();
            var _ = Callers.measure(8, SECONDS, () -> put(http, clients, number.getAndIncrement()));
            var _ = Callers.measure(8, SECONDS, () -> ours.client().submit(operation));
            System.out.println("| callers | etcd, op/s | bft, op/s | ratio | etcd, p50 us | bft, p50 us |");
            System.out.println("|---|---|---|---|---|---|");
            for (int callers : CALLERS) {
                Callers.Measured etcd =
                        Callers.measure(callers, SECONDS, () -> put(http, clients, number.getAndIncrement()));
                Callers.Measured own =
                        Callers.measure(callers, SECONDS, () -> ours.client().submit(operation));
                System.out.println(String.format(
                        Locale.ROOT,
                        "| %d | %.0f | %.0f | %.2f | %.0f | %.0f |",
                        callers,
                        etcd.perSecond(),
                        own.perSecond(),
                        own.perSecond() / etcd.perSecond(),
                        etcd.p50Micros(),
                        own.p50Micros()));
            }
        } finally {
            for (Process node : nodes) {
                node.destroyForcibly().waitFor();
            }
        }
    }

    private static boolean isThere() throws InterruptedException {
        try {
            return new ProcessBuilder("etcd", "--version")
                            .redirectErrorStream(true)
                            .redirectOutput(ProcessBuilder.Redirect.DISCARD)
                            .start()
                            .waitFor()
                    == 0;
        } catch (IOException e) {
            return false;
        }
    }

    private Process start(
            int node, Path directory, Path key, List<InetSocketAddress> clients, List<InetSocketAddress> peers)
            throws IOException {
        String cluster = IntStream.range(0, NODES)
                .mapToObj(each -> "n" + each + "=http://" + at(peers.get(each)))
                .collect(Collectors.joining(","));
        return new ProcessBuilder(
                        "etcd",
                        "--name=n" + node,
                        "--data-dir=" + directory.resolve("n" + node),
                        "--listen-client-urls=https://" + at(clients.get(node)),
                        "--advertise-client-urls=https://" + at(clients.get(node)),
                        "--cert-file=" + key,
                        "--key-file=" + key,
                        "--listen-peer-urls=http://" + at(peers.get(node)),
                        "--initial-advertise-peer-urls=http://" + at(peers.get(node)),
                        "--initial-cluster=" + cluster,
                        "--initial-cluster-state=new",
                        "--log-level=error")
                .redirectErrorStream(true)
                .redirectOutput(logs.resolve("n" + node + ".log").toFile())
                .start();
    }

    /** Callers take the nodes in turn. A gRPC call: a POST over HTTP/2, whose one message follows a byte and its length. */
    private static CompletableFuture<Bytes> put(HttpClient http, List<InetSocketAddress> clients, long number) {
        HttpRequest request = HttpRequest.newBuilder(
                        URI.create("https://" + at(clients.get((int) (number % NODES))) + "/etcdserverpb.KV/Put"))
                .version(HttpClient.Version.HTTP_2)
                .timeout(Duration.ofSeconds(10))
                .header("content-type", "application/grpc")
                .header("te", "trailers")
                .POST(HttpRequest.BodyPublishers.ofByteArray(putMessage("key-" + number % KEYS)))
                .build();
        return http.sendAsync(request, HttpResponse.BodyHandlers.ofByteArray()).thenApply(response -> {
            // A refused call has no message, and its status in the headers or trailers.
            if (response.statusCode() != 200 || response.body().length <= PREFIX_BYTES) {
                throw new IllegalStateException("etcd refused a put: " + response.statusCode() + " "
                        + response.headers().map());
            }
            return Bytes.EMPTY;
        });
    }

    /** A PutRequest: field 1 is the key, field 2 the value, each with its length. */
    private static byte[] putMessage(String key) {
        byte[] name = key.getBytes(StandardCharsets.US_ASCII);
        ByteBuffer message =
                ByteBuffer.allocate(PREFIX_BYTES + 2 + name.length + 1 + VALUE_LENGTH.length + VALUE_BYTES);
        message.put((byte) 0).putInt(message.capacity() - PREFIX_BYTES);
        message.put((byte) 0x0a).put((byte) name.length).put(name);
        message.put((byte) 0x12).put(VALUE_LENGTH);
        return message.array();
    }

    /** Returns a context that trusts any certificate; etcd need not prove its identity here. */
    private static SSLContext trustingAnybody() throws GeneralSecurityException {
        SSLContext context = SSLContext.getInstance("TLSv1.3");
        context.init(null, new TrustManager[] {new Anybody()}, null);
        return context;
    }

    private static final class Anybody extends X509ExtendedTrustManager {
        @Override
        public void checkClientTrusted(X509Certificate[] chain, String type, Socket socket) {}

        @Override
        public void checkServerTrusted(X509Certificate[] chain, String type, Socket socket) {}

        @Override
        public void checkClientTrusted(X509Certificate[] chain, String type, SSLEngine engine) {}

        @Override
        public void checkServerTrusted(X509Certificate[] chain, String type, SSLEngine engine) {}

        @Override
        public void checkClientTrusted(X509Certificate[] chain, String type) {}

        @Override
        public void checkServerTrusted(X509Certificate[] chain, String type) {}

        @Override
        public X509Certificate[] getAcceptedIssuers() {
            return new X509Certificate[0];
        }
    }

    private static void awaitLeader(HttpClient http, List<InetSocketAddress> clients) throws InterruptedException {
        for (int attempt = 0; attempt < 100; attempt++) {
            try {
                put(http, clients, attempt).get(10, TimeUnit.SECONDS);
                return;
            } catch (ExecutionException | java.util.concurrent.TimeoutException e) {
                Thread.sleep(200);
            }
        }
        throw new IllegalStateException("etcd does not come up");
    }

    private static String at(InetSocketAddress address) {
        return "127.0.0.1:" + address.getPort();
    }
}
