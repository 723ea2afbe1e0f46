package io.bulwark.appliance.cluster;

import java.net.InetSocketAddress;
import java.nio.file.Path;
import java.util.List;

/**
 * How one storage node is set up.
 *
 * @param data its directory, its alone
 * @param keys its key ring
 * @param replicas where the metadata replicas listen, by number
 * @param durability {@code sync}, {@code interval} or {@code none}
 */
public record NodeSetup(
        int number,
        InetSocketAddress listen,
        Path data,
        Path keys,
        List<InetSocketAddress> replicas,
        String durability) {
    public NodeSetup {
        replicas = List.copyOf(replicas);
        if (number < 0) {
            throw new IllegalArgumentException("node " + number);
        }
    }
}
