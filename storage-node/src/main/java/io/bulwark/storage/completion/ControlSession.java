package io.bulwark.storage.completion;

import io.bulwark.client.object.Metadata;
import io.bulwark.protocol.metadata.Command;
import io.bulwark.protocol.metadata.MetadataError;
import io.bulwark.protocol.metadata.Reply;
import java.util.EnumSet;
import java.util.Set;
import java.util.concurrent.ExecutionException;
import org.jspecify.annotations.Nullable;

/**
 * The node's own session with the metadata. Agreed time advances only with commands. Without any, no grace period would
 * end, no session would expire, and the last deletions would never be freed. Each node therefore renews its session.
 * Thread-safe.
 */
final class ControlSession {
    /** Another session may do better. */
    private static final Set<MetadataError> OF_THE_SESSION = EnumSet.of(
            MetadataError.SESSION_UNKNOWN,
            MetadataError.SESSION_CLOSED,
            MetadataError.NUMBER_TOO_OLD,
            MetadataError.NUMBER_REUSED,
            MetadataError.WINDOW_EXCEEDED);

    private final Metadata metadata;
    private Metadata.@Nullable Session session;

    ControlSession(Metadata metadata) {
        this.metadata = metadata;
    }

    void renew() throws InterruptedException, ExecutionException {
        if (submit(new Command.RenewSession()) instanceof Reply.Failed failed) {
            throw new ExecutionException(new IllegalStateException("no renewal: " + failed.message()));
        }
    }

    /**
     * Executes a command, in a new session if there is none; what the state machine answers, refusals included.
     *
     * @throws ExecutionException if the metadata does not answer, or the session is no good: the next call opens another
     */
    synchronized Reply submit(Command command) throws InterruptedException, ExecutionException {
        Metadata.Session open = session;
        if (open == null) {
            open = metadata.open(0).get();
            session = open;
        }
        Reply reply = open.submit(command).get();
        if (reply instanceof Reply.Failed failed && OF_THE_SESSION.contains(failed.error())) {
            session = null;
            throw new ExecutionException(new IllegalStateException("the session was lost: " + failed.message()));
        }
        return reply;
    }

    /** Closes the session without waiting for it; lost, it expires. */
    synchronized void close() {
        Metadata.Session open = session;
        session = null;
        if (open != null) {
            var _ = open.submit(new Command.CloseSession());
        }
    }
}
