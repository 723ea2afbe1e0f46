package io.bulwark.console;

import java.io.IOException;

/** Supervisors that start and recover replicas on this machine. */
public interface ReplicaSupervisors {
    /**
     * Requests a recovery of a replica now.
     *
     * @return the answer, for people
     * @throws IOException if no supervisor watches over it here, or the supervisor refuses; the message says why
     */
    String recover(int replica) throws IOException;
}
