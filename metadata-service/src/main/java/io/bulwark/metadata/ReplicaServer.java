package io.bulwark.metadata;

import java.net.InetSocketAddress;

/** One running replica, whatever engine orders in it: serves clients and peers at its address until it is closed. */
public interface ReplicaServer extends AutoCloseable {
    /** Where it listens. */
    InetSocketAddress address();

    /** As of a moment ago. */
    ReplicaStatus status();

    /** Stops. What was acknowledged stays on disk. */
    @Override
    void close();
}
