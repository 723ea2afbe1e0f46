package io.bulwark.client.object;

import java.util.Optional;

/** Sessions whose logs take the puts of objects in locked subtrees. */
public interface LockedLeases {
    /** Returns the session with the log that takes a put of this object; empty if it is not locked now. */
    Optional<SessionPool.Lease> lease(int volume, String bucket, String key);

    /** Notes that the session of a lease was found closed. */
    void lost(SessionPool.Lease lease);
}
