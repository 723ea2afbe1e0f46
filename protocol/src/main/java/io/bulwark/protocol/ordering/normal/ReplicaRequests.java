package io.bulwark.protocol.ordering.normal;

import io.bulwark.protocol.ordering.membership.Configuration;
import io.bulwark.protocol.ordering.message.Request;
import io.bulwark.protocol.wire.WireReader;
import io.bulwark.protocol.wire.WireWriter;

/**
 * Ordered requests of replicas, which the application does not see: they ask for their recovery (4.4). The record of
 * these is part of the engine's state.
 */
public interface ReplicaRequests {
    /** Executes the request of a replica. */
    void execute(long nowMillis, long sequence, long agreedMillis, Request request);

    /**
     * Returns up to which number recoveries need batches while this checkpoint is the last stable one; 0 if none does.
     */
    long openUpTo(long stable);

    /** Hands the record over to the next configuration, which begins with this number. */
    void handOver(Configuration now, Configuration next, long sequence, long agreedMillis);

    /** Writes the record into the engine's state. */
    void write(WireWriter out);

    /** Replaces the record by that of a state that is here now; nothing more to read means that nothing was executed. */
    void read(WireReader in);

    /**
     * The record that was read is that of another configuration. Its entries concern other replicas: a place may now
     * belong to another replica, or to none.
     */
    void disregard();

    /** Handles the end of a state transfer: reports the requests that the state reflects and that were unknown here. */
    void onResumed(long nowMillis);
}
