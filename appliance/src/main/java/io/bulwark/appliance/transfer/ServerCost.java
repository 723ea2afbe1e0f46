package io.bulwark.appliance.transfer;

import java.io.BufferedReader;
import java.io.IOException;
import java.io.InputStreamReader;
import java.net.HttpURLConnection;
import java.net.InetSocketAddress;
import java.net.URI;
import java.nio.charset.StandardCharsets;
import java.nio.file.DirectoryIteratorException;
import java.nio.file.DirectoryStream;
import java.nio.file.Files;
import java.nio.file.NoSuchFileException;
import java.nio.file.Path;
import java.time.Duration;
import java.util.Optional;

/**
 * Work of an appliance whose members share one process, since its start.
 *
 * @param processorSeconds time in user and system mode
 * @param frames messages that its members have sent to each other and to clients
 * @param promiseSyncs syncs of the replicas' logs of promises, those of all replicas together
 * @param storeSyncs syncs of the nodes' stores
 * @param wakeUps times that a thread waited and was woken, by the system's count; threads that have ended are left out
 */
public record ServerCost(
        double processorSeconds, double frames, double promiseSyncs, double storeSyncs, double wakeUps) {
    private static final int WAIT_MILLIS_MAX = 5_000;
    private static final String WAKE_UPS = "voluntary_ctxt_switches:";

    /** Returns the cost so far; empty if the process does not tell, or keeps no count of its threads. */
    public static Optional<ServerCost> now(ProcessHandle process, InetSocketAddress admin) {
        Optional<Duration> used = process.info().totalCpuDuration();
        Path threads = Path.of("/proc", Long.toString(process.pid()), "task");
        if (used.isEmpty() || !Files.isDirectory(threads)) {
            return Optional.empty();
        }
        double frames = 0;
        double promiseSyncs = 0;
        double storeSyncs = 0;
        try (BufferedReader lines = metrics(admin)) {
            for (String line = lines.readLine(); line != null; line = lines.readLine()) {
                if (line.startsWith("bulwark_transport_frames_total{") && line.contains("direction=\"out\"")) {
                    frames += value(line);
                } else if (line.startsWith("bulwark_replica_syncs_total")) {
                    promiseSyncs += value(line);
                } else if (line.startsWith("bulwark_store_syncs_total")) {
                    storeSyncs += value(line);
                }
            }
            return Optional.of(
                    new ServerCost(used.get().toMillis() / 1e3, frames, promiseSyncs, storeSyncs, wakeUps(threads)));
        } catch (IOException e) {
            return Optional.empty();
        }
    }

    /** Returns the cost since an earlier time, for each of so many operations. */
    public ServerCost each(ServerCost earlier, long operations) {
        return new ServerCost(
                (processorSeconds - earlier.processorSeconds) / operations,
                (frames - earlier.frames) / operations,
                (promiseSyncs - earlier.promiseSyncs) / operations,
                (storeSyncs - earlier.storeSyncs) / operations,
                (wakeUps - earlier.wakeUps) / operations);
    }

    private static BufferedReader metrics(InetSocketAddress admin) throws IOException {
        URI metrics = URI.create("http://" + admin.getHostString() + ":" + admin.getPort() + "/actuator/prometheus");
        HttpURLConnection connection = (HttpURLConnection) metrics.toURL().openConnection();
        connection.setConnectTimeout(WAIT_MILLIS_MAX);
        connection.setReadTimeout(WAIT_MILLIS_MAX);
        return new BufferedReader(new InputStreamReader(connection.getInputStream(), StandardCharsets.UTF_8));
    }

    private static double value(String line) {
        return Double.parseDouble(line.substring(line.lastIndexOf(' ') + 1));
    }

    private static double wakeUps(Path threads) throws IOException {
        double sum = 0;
        try (DirectoryStream<Path> all = Files.newDirectoryStream(threads)) {
            for (Path thread : all) {
                sum += wakeUpsOf(thread.resolve("status"));
            }
        } catch (DirectoryIteratorException e) {
            throw e.getCause();
        }
        return sum;
    }

    private static double wakeUpsOf(Path status) throws IOException {
        try {
            for (String line : Files.readAllLines(status, StandardCharsets.UTF_8)) {
                if (line.startsWith(WAKE_UPS)) {
                    return Double.parseDouble(line.substring(WAKE_UPS.length()).strip());
                }
            }
        } catch (NoSuchFileException e) {
            return 0; // It has ended meanwhile.
        }
        return 0;
    }
}
