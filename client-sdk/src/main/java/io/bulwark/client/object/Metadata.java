package io.bulwark.client.object;

import io.bulwark.protocol.id.PrincipalId;
import io.bulwark.protocol.metadata.Command;
import io.bulwark.protocol.metadata.Query;
import io.bulwark.protocol.metadata.Reply;
import java.util.Optional;
import java.util.concurrent.CompletableFuture;

/** Access of objects to the metadata service: replies that 2f+1 replicas agree on. */
public interface Metadata {
    /** Completes with what the state machine answered, {@link Reply.Failed} included, or exceptionally. */
    CompletableFuture<Reply> query(Query query);

    /** Returns the same, whose queries are on behalf of a person. Sessions stay those of the client. */
    default Metadata onBehalfOf(PrincipalId person) {
        Metadata own = this;
        return new Metadata() {
            @Override
            public CompletableFuture<Reply> query(Query query) {
                return own.query(new Query.OnBehalf(person, query));
            }

            @Override
            public CompletableFuture<Session> open(int volume) {
                return own.open(volume);
            }
        };
    }

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
         *
         * @param onBehalfOf the person whose rights count; empty for the client's own
         */
        CompletableFuture<Reply> submit(Command command, Optional<PrincipalId> onBehalfOf);

        /** Executes a command by the client's own rights. */
        default CompletableFuture<Reply> submit(Command command) {
            return submit(command, Optional.empty());
        }
    }
}
