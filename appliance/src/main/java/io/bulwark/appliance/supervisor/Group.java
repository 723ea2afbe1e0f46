package io.bulwark.appliance.supervisor;

import io.bulwark.protocol.ordering.recovery.RecoveryStatus;
import java.io.IOException;
import java.util.List;
import java.util.SortedMap;

/** The replicas of a cluster, as a supervisor asks them. */
public interface Group {
    /** Returns each replica's report on recoveries, by number. Replicas that do not answer are absent. */
    SortedMap<Integer, RecoveryStatus> recoveries() throws InterruptedException;

    /**
     * Returns the numbers of the replicas in their places, if these may differ from the first ones; empty if they stay.
     */
    default List<Integer> members() {
        return List.of();
    }

    /** Returns whether this replica was a member of the group and has been removed for good. */
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
