package io.bulwark.client.object;

import io.bulwark.client.error.Subject;
import io.bulwark.protocol.id.PrincipalId;
import io.bulwark.protocol.metadata.Command;
import io.bulwark.protocol.metadata.Reply;
import java.util.Optional;
import java.util.concurrent.CompletableFuture;

/**
 * Dependencies of reading and writing objects.
 *
 * @param onBehalfOf the person whose rights count for commands; empty for the client's own
 * @param locks empty for a client that takes none
 */
public record ObjectStore(
        Metadata metadata,
        SessionPool sessions,
        Optional<PrincipalId> onBehalfOf,
        ExtentAccess extents,
        ByteBudget budget,
        Optional<LockedLeases> locks) {
    /** Creates the dependencies of a client that acts by its own rights and takes no locks. */
    public ObjectStore(Metadata metadata, SessionPool sessions, ExtentAccess extents, ByteBudget budget) {
        this(metadata, sessions, Optional.empty(), extents, budget, Optional.empty());
    }

    /** Returns the same for a client that takes locks. */
    public ObjectStore withLocks(LockedLeases others) {
        return new ObjectStore(metadata, sessions, onBehalfOf, extents, budget, Optional.of(others));
    }

    /** Returns the same with another access to extents. */
    public ObjectStore withExtents(ExtentAccess access) {
        return new ObjectStore(metadata, sessions, onBehalfOf, access, budget, locks);
    }

    /** Returns the same on behalf of a person. */
    public ObjectStore onBehalfOf(PrincipalId person) {
        return new ObjectStore(metadata.onBehalfOf(person), sessions, Optional.of(person), extents, budget, locks);
    }

    /**
     * Returns the session for a put: the one with the log if the object lies in a locked subtree.
     *
     * @param subject names the object
     * @param isObject false for a part of an upload, which no log takes
     */
    SessionPool.Lease lease(int volume, Subject subject, boolean isObject, Deadline deadline) {
        String bucket = subject.bucket();
        String key = subject.key();
        Optional<SessionPool.Lease> locked = isObject && bucket != null && key != null
                ? locks.flatMap(own -> deadline.await(own.lease(volume, bucket, key), subject))
                : Optional.empty();
        return locked.orElseGet(() -> sessions.lease(volume, deadline, subject));
    }

    /** Notes that a session was found closed. */
    void lost(SessionPool.Lease lease) {
        sessions.lost(lease);
        locks.ifPresent(own -> own.lost(lease));
    }

    CompletableFuture<Reply> submit(SessionPool.Lease lease, Command command) {
        return sessions.submit(lease, command, onBehalfOf);
    }
}
