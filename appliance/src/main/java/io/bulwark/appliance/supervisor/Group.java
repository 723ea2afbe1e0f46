package io.bulwark.appliance.supervisor;

import io.bulwark.protocol.ordering.recovery.RecoveryStatus;
import java.io.IOException;
import java.util.List;
import java.util.SortedMap;

/** The replicas of a cluster, as a supervisor asks them. */
public interface Group {
    /** What each says of recoveries, by number; who does not answer is not there. */
    SortedMap<Integer, RecoveryStatus> recoveries() throws InterruptedException;

    /** The numbers of the replicas in their places, where these may be others than at first; empty if they stay. */
    default List<Integer> members() {
        return List.of();
    }

    /** Whether this one was a replica of the group, and is none any more, for good. */
    default boolean hasRemoved(int replica) {
        return false;
    }

    /**
     * The SHA-256 in hexadecimal of the releases that operators have allowed, as the replicas agree; within some seconds.
     *
     * @throws IOException if they give no answer
     */
    List<String> allowedReleases() throws IOException, InterruptedException;
}
