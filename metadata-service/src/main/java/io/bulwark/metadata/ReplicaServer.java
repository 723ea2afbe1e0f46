package io.bulwark.metadata;

import java.net.InetSocketAddress;

/** One running replica, whatever engine orders in it: serves clients and peers at its address until it is closed. */
public interface ReplicaServer extends AutoCloseable {
    /** Returns the address on which it listens. */
    InetSocketAddress address();

    /** Returns the recent status. */
    ReplicaStatus status();

    /** Stops. Acknowledged commands stay on disk. */
    @Override
    void close();
}
