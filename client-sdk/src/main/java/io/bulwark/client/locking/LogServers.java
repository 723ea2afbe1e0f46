package io.bulwark.client.locking;

import io.bulwark.protocol.id.PrincipalId;
import io.bulwark.protocol.wire.Bytes;
import java.util.List;

/** The servers that keep logs: one in each replica of the cluster. */
public interface LogServers {
    /** Returns the id of the cluster. */
    Bytes cluster();

    /** Returns the replicas of now, in their order. */
    List<PrincipalId> replicas();
}
