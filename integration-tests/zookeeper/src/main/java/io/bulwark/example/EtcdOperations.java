package io.bulwark.example;

import java.io.IOException;
import java.net.URI;
import java.net.http.HttpClient;
import java.net.http.HttpRequest;
import java.net.http.HttpResponse;
import java.nio.charset.StandardCharsets;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.Base64;
import java.util.List;
import java.util.StringJoiner;

/** Measures creates and updates of 256 bytes by etcd: three processes with syncs, and one client of the HTTP gateway. */
public final class EtcdOperations {
    private static final int BYTES = 256;
    private static final int SERVERS = 3;
    private static final int[] CALLERS = {1, 16};
    private static final int PORT = 23_790;
    private static final Duration START_MAX = Duration.ofSeconds(30);
    private static final String CONTENT = Base64.getEncoder().encodeToString(new byte[BYTES]);
    private static final HttpClient CLIENT =
            HttpClient.newBuilder().version(HttpClient.Version.HTTP_1_1).build();

    private EtcdOperations() {}

    /**
     * Prints one line for each kind of operation and number of callers.
     *
     * @param arguments the executable of etcd, an empty directory, seconds of each measurement
     */
    public static void main(String[] arguments) throws Exception {
        List<Process> servers = new ArrayList<>();
        try {
            for (int i = 0; i < SERVERS; i++) {
                servers.add(start(arguments[0], Path.of(arguments[1]), i));
            }
            await();
            double seconds = Double.parseDouble(arguments[2]);
            for (int callers : CALLERS) {
                String root = "/of-" + callers + "/";
                ZooKeeperOperations.measure(
                        "create", callers, seconds, (caller, round) -> put(root + caller + "-" + round));
                ZooKeeperOperations.measure("update", callers, seconds, (caller, round) -> put(root + caller));
            }
        } finally {
            servers.forEach(Process::destroy);
        }
    }

    private static Process start(String executable, Path directory, int number) throws IOException {
        StringJoiner cluster = new StringJoiner(",");
        for (int i = 0; i < SERVERS; i++) {
            cluster.add("s" + i + "=http://127.0.0.1:" + (PORT + 10 * i + 1));
        }
        String own = "http://127.0.0.1:" + (PORT + 10 * number);
        String ofPeers = "http://127.0.0.1:" + (PORT + 10 * number + 1);
        return new ProcessBuilder(
                        List.of(
                                executable,
                                "--name=s" + number,
                                "--data-dir=" + directory.resolve("s" + number),
                                "--listen-client-urls=" + own,
                                "--advertise-client-urls=" + own,
                                "--listen-peer-urls=" + ofPeers,
                                "--initial-advertise-peer-urls=" + ofPeers,
                                "--initial-cluster=" + cluster,
                                "--log-level=error"))
                .redirectErrorStream(true)
                .redirectOutput(ProcessBuilder.Redirect.DISCARD)
                .start();
    }

    private static void await() throws Exception {
        long end = System.nanoTime() + START_MAX.toNanos();
        while (true) {
            try {
                put("/first");
                return;
            } catch (IOException | IllegalStateException e) {
                if (System.nanoTime() - end >= 0) {
                    throw e;
                }
                Thread.sleep(200);
            }
        }
    }

    private static void put(String key) throws Exception {
        String name = Base64.getEncoder().encodeToString(key.getBytes(StandardCharsets.UTF_8));
        HttpResponse<String> response = CLIENT.send(
                HttpRequest.newBuilder(URI.create("http://127.0.0.1:" + PORT + "/v3/kv/put"))
                        .POST(HttpRequest.BodyPublishers.ofString(
                                "{\"key\":\"" + name + "\",\"value\":\"" + CONTENT + "\"}"))
                        .build(),
                HttpResponse.BodyHandlers.ofString());
        if (response.statusCode() != 200) {
            throw new IllegalStateException(response.body());
        }
    }
}
