package io.bulwark.client.object;

import io.bulwark.protocol.metadata.Command;
import io.bulwark.protocol.metadata.Query;
import io.bulwark.protocol.metadata.Reply;
import java.util.concurrent.CompletableFuture;

/** Access of objects to the metadata service: replies that 2f+1 replicas agree on. */
public interface Metadata {
    /** Completes with what the state machine answered, {@link Reply.Failed} included, or exceptionally. */
    CompletableFuture<Reply> query(Query query);

    /**
     * Opens a session.
     *
     * @param volume the id of an object volume, or 0 for commands without blocks
     */
    CompletableFuture<Session> open(int volume);

    /** An open session; each command is executed once. */
    interface Session {
        /** The number that block ids carry. */
        long number();

        /** It expires after so much served time without a command. */
        long ttlMillis();

        /**
         * Executes a command. If the future completes exceptionally, whether it was or will be executed is unknown.
         */
        CompletableFuture<Reply> submit(Command command);
    }
}
