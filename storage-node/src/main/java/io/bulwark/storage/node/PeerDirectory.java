package io.bulwark.storage.node;

import java.net.InetSocketAddress;
import java.util.Optional;

/** Where the other nodes listen, as the cluster map has it now. */
@FunctionalInterface
public interface PeerDirectory {
    /** The address of a node, or empty if the map, as far as it is known here, has no such node. Must not block. */
    Optional<InetSocketAddress> addressOf(int node);
}
