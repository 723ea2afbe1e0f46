package io.bulwark.appliance.cluster;

import java.net.InetSocketAddress;
import java.nio.file.Path;
import java.util.List;

/**
 * How one metadata replica is set up.
 *
 * @param replicas where all replicas listen, by number
 * @param data its directory, its alone
 * @param keys its key ring
 * @param ordering {@code bft-smart} or {@code bft}
 * @param nodes where the storage nodes listen, by number; the same at every replica
 * @param clients how many clients there are; all may do everything until there are grants
 */
public record ReplicaSetup(
        int number,
        List<InetSocketAddress> replicas,
        Path data,
        Path keys,
        String ordering,
        List<InetSocketAddress> nodes,
        int clients) {
    public ReplicaSetup {
        replicas = List.copyOf(replicas);
        nodes = List.copyOf(nodes);
        if (number < 0 || number >= replicas.size()) {
            throw new IllegalArgumentException("replica " + number + " of " + replicas.size());
        }
        if (clients < 1 || clients > 1000) {
            throw new IllegalArgumentException(clients + " clients");
        }
    }
}
