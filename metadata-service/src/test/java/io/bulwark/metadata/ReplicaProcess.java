package io.bulwark.metadata;

import io.bulwark.metadata.bftsmart.BftSmartEngines;
import io.bulwark.protocol.id.PrincipalId;
import java.io.IOException;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import org.jspecify.annotations.NullMarked;

/** A replica in a JVM of its own: its number, its directory, the ports of all. Runs until its input ends. */
@NullMarked
final class ReplicaProcess {
    private ReplicaProcess() {}

    public static void main(String[] arguments) throws IOException {
        int replica = Integer.parseInt(arguments[0]);
        List<InetSocketAddress> addresses = new ArrayList<>();
        for (int i = 2; i < arguments.length; i++) {
            addresses.add(new InetSocketAddress(InetAddress.getLoopbackAddress(), Integer.parseInt(arguments[i])));
        }
        MetadataReplica running = MetadataReplica.start(
                new ReplicaConfig(replica, addresses, Path.of(arguments[1]), 256),
                ReplicaGroup.keys(PrincipalId.replica(replica)),
                new RecordingApplication(),
                BftSmartEngines.standard());
        while (System.in.read() >= 0) {
            // Waits for the end of the test.
        }
        running.close();
    }
}
