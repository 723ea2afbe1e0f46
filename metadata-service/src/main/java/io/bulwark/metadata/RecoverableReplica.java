package io.bulwark.metadata;

import java.io.IOException;

/** A running replica whose engine has recoveries (proactive recovery paper, section 4.4). */
public interface RecoverableReplica extends ReplicaServer {
    /**
     * Stops, the primary after it has handed over, and starts again in this process as the watchdog would have it. Returns when it
     * listens again; how far it has come its status tells.
     *
     * @throws IOException if it does not start again
     */
    void recover() throws IOException;
}
