package io.bulwark.client.object;

import java.util.Optional;
import java.util.concurrent.CompletableFuture;

/** Sessions whose logs take the puts of objects in locked subtrees. */
public interface LockedLeases {
    /**
     * Finds the session with the log that takes a put of this object; empty if it is not locked. Waits for a lock that is
     * being asked for.
     */
    CompletableFuture<Optional<SessionPool.Lease>> lease(int volume, String bucket, String key);

    /** Notes that the session of a lease was found closed. */
    void lost(SessionPool.Lease lease);
}
