package io.bulwark.client.object;

import io.bulwark.protocol.metadata.Command;
import io.bulwark.protocol.metadata.Query;
import io.bulwark.protocol.metadata.Reply;
import io.bulwark.protocol.metadata.Submission;
import io.bulwark.protocol.wire.Bytes;
import java.security.SecureRandom;
import java.util.ArrayDeque;
import java.util.Deque;
import java.util.TreeSet;
import java.util.concurrent.CompletableFuture;
import java.util.function.Function;

/**
 * Numbers commands within sessions, keeps to the window of outstanding ones, and translates between records and the bytes
 * that the replicas agree on. Thread-safe.
 */
public final class ReplicatedMetadata implements Metadata {
    private final Function<Bytes, CompletableFuture<Bytes>> submitting;
    private final Function<Bytes, CompletableFuture<Bytes>> querying;
    private final SecureRandom random = new SecureRandom();

    /**
     * Works over any client of the ordering port.
     *
     * @param submitting has a command ordered and executed; repeating it is its business
     * @param querying asks a linearizable query
     */
    public ReplicatedMetadata(
            Function<Bytes, CompletableFuture<Bytes>> submitting, Function<Bytes, CompletableFuture<Bytes>> querying) {
        this.submitting = submitting;
        this.querying = querying;
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
            case Reply.Failed failed -> throw Refusals.of(failed, Refusals.aboutVolume(volume));
            default -> throw new IllegalStateException("the replicas agree on " + reply);
        });
    }

    private record Waiting(Command command, CompletableFuture<Reply> result) {}

    private final class NumberedSession implements Session {
        private final long session;
        private final long ttlMillis;
        private final TreeSet<Long> outstanding = new TreeSet<>();
        private final Deque<Waiting> waiting = new ArrayDeque<>();
        private long next = 1;

        NumberedSession(long session, long ttlMillis) {
            this.session = session;
            this.ttlMillis = ttlMillis;
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
        public CompletableFuture<Reply> submit(Command command) {
            CompletableFuture<Reply> result = new CompletableFuture<>();
            synchronized (this) {
                waiting.addLast(new Waiting(command, result));
            }
            sendWaiting();
            return result;
        }

        private void sendWaiting() {
            while (true) {
                Waiting each;
                long number;
                Submission.InSession submission;
                synchronized (this) {
                    long lowest = outstanding.isEmpty() ? next : outstanding.first();
                    if (waiting.isEmpty() || next - lowest >= Submission.WINDOW) {
                        return;
                    }
                    each = waiting.removeFirst();
                    number = next++;
                    outstanding.add(number);
                    submission = new Submission.InSession(session, number, lowest, each.command());
                }
                send(each, number, submission);
            }
        }

        private void send(Waiting each, long number, Submission submission) {
            CompletableFuture<Bytes> sent;
            try {
                sent = submitting.apply(submission.encoded());
            } catch (RuntimeException e) {
                sent = CompletableFuture.failedFuture(e);
            }
            var _ = sent.thenApply(Reply::decode).whenComplete((reply, failure) -> {
                synchronized (this) {
                    outstanding.remove(number);
                }
                if (failure != null) {
                    each.result().completeExceptionally(failure);
                } else {
                    each.result().complete(reply);
                }
                sendWaiting();
            });
        }
    }
}
