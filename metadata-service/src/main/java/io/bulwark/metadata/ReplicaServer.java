package io.bulwark.metadata;

import java.io.IOException;
import java.net.InetSocketAddress;

/** One running replica, whatever engine orders in it: serves clients and peers at its address until it is closed. */
public interface ReplicaServer extends AutoCloseable {
    /** Where it listens. */
    InetSocketAddress address();

    /** As of a moment ago. */
    ReplicaStatus status();

    /**
     * Stops, the primary after it has handed over, and starts again in this process as the watchdog would have it (proactive
     * recovery paper, section 4.4). Returns when it listens again; how far it has come its status tells.
     *
     * @throws IOException if it does not start again
     * @throws UnsupportedOperationException if its engine has no recoveries
     */
    default void recover() throws IOException {
        throw new UnsupportedOperationException("this replica's engine has no recoveries");
    }

    /** Stops. What was acknowledged stays on disk. */
    @Override
    void close();
}
