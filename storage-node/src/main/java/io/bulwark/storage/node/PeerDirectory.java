package io.bulwark.storage.node;

import java.net.InetSocketAddress;
import java.util.Optional;
import java.util.Set;
import java.util.function.Consumer;

/** Addresses of the other nodes in the current cluster map. */
@FunctionalInterface
public interface PeerDirectory {
    /** The address of a node, or empty if the map, as far as it is known here, has no such node. Must not block. */
    Optional<InetSocketAddress> addressOf(int node);

    /**
     * Registers a hearer of the nodes in the map, called whenever the map is read anew, on any thread; it must not
     * block.
     */
    default void hear(Consumer<Set<Integer>> hearer) {}
}
