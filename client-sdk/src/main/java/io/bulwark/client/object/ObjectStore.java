package io.bulwark.client.object;

import io.bulwark.protocol.id.PrincipalId;
import io.bulwark.protocol.metadata.Command;
import io.bulwark.protocol.metadata.Reply;
import java.util.Optional;
import java.util.concurrent.CompletableFuture;

/**
 * Dependencies of reading and writing objects.
 *
 * @param onBehalfOf the person whose rights count for commands; empty for the client's own
 */
public record ObjectStore(
        Metadata metadata,
        SessionPool sessions,
        Optional<PrincipalId> onBehalfOf,
        ExtentAccess extents,
        ByteBudget budget) {
    /** Creates the dependencies of a client that acts by its own rights. */
    public ObjectStore(Metadata metadata, SessionPool sessions, ExtentAccess extents, ByteBudget budget) {
        this(metadata, sessions, Optional.empty(), extents, budget);
    }

    /** Returns the same with another access to extents. */
    public ObjectStore withExtents(ExtentAccess access) {
        return new ObjectStore(metadata, sessions, onBehalfOf, access, budget);
    }

    /** Returns the same on behalf of a person. */
    public ObjectStore onBehalfOf(PrincipalId person) {
        return new ObjectStore(metadata.onBehalfOf(person), sessions, Optional.of(person), extents, budget);
    }

    CompletableFuture<Reply> submit(SessionPool.Lease lease, Command command) {
        return sessions.submit(lease, command, onBehalfOf);
    }
}
