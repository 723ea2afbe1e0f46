package io.bulwark.metadata;

import static org.junit.jupiter.api.Assumptions.assumeTrue;

import io.bulwark.metadata.bft.ReplicaLives;
import io.bulwark.protocol.ordering.replica.Start;
import io.bulwark.protocol.wire.Bytes;
import java.io.IOException;
import java.net.InetSocketAddress;
import java.net.URI;
import java.net.http.HttpClient;
import java.net.http.HttpRequest;
import java.net.http.HttpResponse;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.Base64;
import java.util.List;
import java.util.Locale;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicLong;
import java.util.stream.Collectors;
import java.util.stream.IntStream;
import org.jspecify.annotations.NullMarked;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/**
 * Durable puts of 256 bytes against etcd with three nodes, on the same file system. On demand, {@code -Dtest=EtcdBenchmark};
 * skipped where no {@code etcd} (Debian: etcd-server) is on the path. etcd is asked by its JSON gateway, which costs it something: what
 * its own client measures stands beside in docs/benchmarks.md.
 */
@NullMarked
class EtcdBenchmark {
    private static final double SECONDS = Double.parseDouble(System.getProperty("bulwark.bench.seconds", "4"));
    private static final Path DISK = Path.of(System.getProperty("bulwark.bench.disk", "target"));
    private static final int VALUE_BYTES = 256;
    private static final int NODES = 3;
    private static final int[] CALLERS = {1, 4, 16};
    private static final int KEYS = 1_000;

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
                ReplicaLives.start(config, credentials, _ -> new SizesMachine(), Start.NORMAL), List::of);
        try (ReplicaGroup ours =
                        new ReplicaGroup(directory.resolve("bft"), bft, ReplicaConfig.SNAPSHOT_BATCHES_STANDARD);
                HttpClient http = HttpClient.newHttpClient()) {
            for (int node = 0; node < NODES; node++) {
                nodes.add(start(node, directory, clients, peers));
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

    private Process start(int node, Path directory, List<InetSocketAddress> clients, List<InetSocketAddress> peers)
            throws IOException {
        String cluster = IntStream.range(0, NODES)
                .mapToObj(each -> "n" + each + "=" + url(peers.get(each)))
                .collect(Collectors.joining(","));
        return new ProcessBuilder(
                        "etcd",
                        "--name=n" + node,
                        "--data-dir=" + directory.resolve("n" + node),
                        "--listen-client-urls=" + url(clients.get(node)),
                        "--advertise-client-urls=" + url(clients.get(node)),
                        "--listen-peer-urls=" + url(peers.get(node)),
                        "--initial-advertise-peer-urls=" + url(peers.get(node)),
                        "--initial-cluster=" + cluster,
                        "--initial-cluster-state=new",
                        "--log-level=error")
                .redirectErrorStream(true)
                .redirectOutput(logs.resolve("n" + node + ".log").toFile())
                .start();
    }

    /** Callers take the nodes in turn. */
    private static CompletableFuture<Bytes> put(HttpClient http, List<InetSocketAddress> clients, long number) {
        String key = base64(("key-" + number % KEYS).getBytes(StandardCharsets.US_ASCII));
        String body = "{\"key\":\"" + key + "\",\"value\":\"" + base64(new byte[VALUE_BYTES]) + "\"}";
        HttpRequest request = HttpRequest.newBuilder(
                        URI.create(url(clients.get((int) (number % NODES))) + "/v3/kv/put"))
                .version(HttpClient.Version.HTTP_1_1)
                .timeout(Duration.ofSeconds(10))
                .POST(HttpRequest.BodyPublishers.ofString(body))
                .build();
        return http.sendAsync(request, HttpResponse.BodyHandlers.ofString()).thenApply(response -> {
            if (response.statusCode() != 200) {
                throw new IllegalStateException(response.statusCode() + " " + response.body());
            }
            return Bytes.EMPTY;
        });
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

    private static String base64(byte[] bytes) {
        return Base64.getEncoder().encodeToString(bytes);
    }

    private static String url(InetSocketAddress address) {
        return "http://127.0.0.1:" + address.getPort();
    }
}
