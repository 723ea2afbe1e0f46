package io.bulwark.metadata;

import io.bulwark.metadata.bft.ReplicaRestarter;
import io.bulwark.protocol.id.PrincipalId;
import io.bulwark.protocol.ordering.driver.StartReason;
import io.bulwark.transport.InsecureLoopback;
import java.io.IOException;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import org.jspecify.annotations.NullMarked;

/**
 * A replica in a JVM of its own: its number, its directory, the ports of all. Each byte of input asks who its primary is; runs
 * until its input ends.
 */
@NullMarked
final class ReplicaProcess {
    /** Prefix of the line with the number of the primary. */
    static final String PRIMARY = "primary ";

    static final int SNAPSHOT_BATCHES = 256;

    private ReplicaProcess() {}

    /** Starts one, with its output going there. */
    static Process launch(
            int replica, Path directory, List<InetSocketAddress> addresses, ProcessBuilder.Redirect output)
            throws IOException {
        return launch(replica, directory, addresses, output, Map.of());
    }

    /** With this in its environment, too. */
    static Process launch(
            int replica,
            Path directory,
            List<InetSocketAddress> addresses,
            ProcessBuilder.Redirect output,
            Map<String, String> environment)
            throws IOException {
        List<String> command = new ArrayList<>(List.of(
                Path.of(System.getProperty("java.home"), "bin", "java").toString(),
                "-Xmx128m",
                "-XX:+UseSerialGC",
                "-cp",
                System.getProperty("java.class.path"),
                ReplicaProcess.class.getName(),
                Integer.toString(replica),
                directory.toString()));
        addresses.forEach(address -> command.add(Integer.toString(address.getPort())));
        ProcessBuilder builder =
                new ProcessBuilder(command).redirectErrorStream(true).redirectOutput(output);
        builder.environment().putAll(environment);
        return builder.start();
    }

    public static void main(String[] arguments) throws IOException {
        int replica = Integer.parseInt(arguments[0]);
        List<InetSocketAddress> addresses = new ArrayList<>();
        for (int i = 2; i < arguments.length; i++) {
            addresses.add(new InetSocketAddress(InetAddress.getLoopbackAddress(), Integer.parseInt(arguments[i])));
        }
        ReplicaRestarter running = ReplicaRestarter.start(
                new ReplicaConfig(replica, addresses, Path.of(arguments[1]), SNAPSHOT_BATCHES),
                new InsecureLoopback(ReplicaGroup.keys(PrincipalId.replica(replica))),
                new RecordingMachine.Factory(),
                StartReason.NORMAL);
        while (System.in.read() >= 0) {
            System.out.println(PRIMARY + running.status().leader());
        }
        running.close();
    }
}
