package io.bulwark.client.object;

import io.bulwark.protocol.bucket.SessionCommands;
import io.bulwark.protocol.id.PrincipalId;
import io.bulwark.protocol.metadata.Command;
import io.bulwark.protocol.metadata.Query;
import io.bulwark.protocol.metadata.Reply;
import io.bulwark.protocol.metadata.Submission;
import io.bulwark.protocol.wire.Bytes;
import java.security.SecureRandom;
import java.util.HashMap;
import java.util.Map;
import java.util.Optional;
import java.util.concurrent.CompletableFuture;
import java.util.function.Function;
import java.util.function.UnaryOperator;

/**
 * Numbers commands within sessions, keeps to the window of outstanding ones, and translates between records and the bytes
 * that the replicas agree on. Thread-safe.
 */
public final class ReplicatedMetadata implements Metadata {
    private final Function<Bytes, CompletableFuture<Bytes>> submitting;
    private final Function<Bytes, CompletableFuture<Bytes>> querying;
    private final UnaryOperator<Submission.InSession> signing;
    private final SecureRandom random = new SecureRandom();

    /**
     * Works over any client of the ordering port, for one who signs nothing.
     *
     * @param submitting has a command ordered and executed; repeating it is its business
     * @param querying asks a linearizable query
     */
    public ReplicatedMetadata(
            Function<Bytes, CompletableFuture<Bytes>> submitting, Function<Bytes, CompletableFuture<Bytes>> querying) {
        this(submitting, querying, UnaryOperator.identity());
    }

    /**
     * Works over any client of the ordering port.
     *
     * @param submitting has a command ordered and executed, and repeats it itself
     * @param querying asks a linearizable query
     * @param signing signs administrative commands and nodes' reports, and leaves others as they are
     */
    public ReplicatedMetadata(
            Function<Bytes, CompletableFuture<Bytes>> submitting,
            Function<Bytes, CompletableFuture<Bytes>> querying,
            UnaryOperator<Submission.InSession> signing) {
        this.submitting = submitting;
        this.querying = querying;
        this.signing = signing;
    }

    @Override
    public CompletableFuture<Reply> query(Query query) {
        return querying.apply(query.encoded()).thenApply(Reply::decode);
    }

    @Override
    public CompletableFuture<Session> open(int volume) {
        byte[] nonce = new byte[Submission.OpenSession.NONCE_BYTES];
        random.nextBytes(nonce);
        Submission open = new Submission.OpenSession(Bytes.of(nonce), volume);
        return submitting.apply(open.encoded()).thenApply(Reply::decode).thenApply(reply -> switch (reply) {
            case Reply.SessionOpened opened -> new NumberedSession(opened.session(), opened.ttlMillis());
            case Reply.Failed failed -> throw RefusalExceptions.of(failed, RefusalExceptions.aboutVolume(volume));
            default -> throw new IllegalStateException("the replicas agree on " + reply);
        });
    }

    private final class NumberedSession implements Session {
        private final long session;
        private final long ttlMillis;
        private final SessionCommands commands;
        private final Map<Long, CompletableFuture<Reply>> results = new HashMap<>();
        private long lastToken;

        NumberedSession(long session, long ttlMillis) {
            this.session = session;
            this.ttlMillis = ttlMillis;
            this.commands = new SessionCommands(session);
        }

        @Override
        public long number() {
            return session;
        }

        @Override
        public long ttlMillis() {
            return ttlMillis;
        }

        @Override
        public CompletableFuture<Reply> submit(Command command, Optional<PrincipalId> onBehalfOf) {
            CompletableFuture<Reply> result = new CompletableFuture<>();
            synchronized (this) {
                results.put(++lastToken, result);
                commands.add(lastToken, command, onBehalfOf);
            }
            sendWaiting();
            return result;
        }

        private void sendWaiting() {
            while (true) {
                Optional<SessionCommands.NumberedCommand> next;
                CompletableFuture<Reply> result;
                synchronized (this) {
                    next = commands.next();
                    result = next.map(numbered -> results.remove(numbered.token()))
                            .orElse(null);
                }
                if (next.isEmpty() || result == null) {
                    return;
                }
                send(next.get().submission(), result);
            }
        }

        private void send(Submission.InSession submission, CompletableFuture<Reply> result) {
            CompletableFuture<Bytes> sent;
            try {
                sent = submitting.apply(signing.apply(submission).encoded());
            } catch (RuntimeException e) {
                sent = CompletableFuture.failedFuture(e);
            }
            var unused = sent.thenApply(Reply::decode).whenComplete((reply, failure) -> {
                synchronized (this) {
                    commands.done(submission.number());
                }
                if (failure != null) {
                    result.completeExceptionally(failure);
                } else {
                    result.complete(reply);
                }
                sendWaiting();
            });
        }
    }
}
