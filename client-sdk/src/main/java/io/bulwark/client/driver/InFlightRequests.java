package io.bulwark.client.driver;

import io.bulwark.protocol.effect.ClientOperation;
import io.bulwark.protocol.effect.Effect;
import io.bulwark.protocol.id.PrincipalId;
import io.bulwark.protocol.wire.Message;
import io.bulwark.transport.Delivery;
import java.util.ArrayDeque;
import java.util.Deque;
import java.util.HashMap;
import java.util.Map;
import java.util.concurrent.TimeUnit;

/**
 * Unanswered requests of one operation. A retransmission is held back while the previous copy is still queued here, or
 * its connection is up and makes progress. It would only fill a full link further. Nodes do drop requests, under load
 * and where the replicas do not answer them. Requests that stay unanswered for long are therefore sent again all the
 * same, at growing intervals. The operation learns which connections make progress.
 */
final class InFlightRequests {
    /** A connection over which nothing has moved for so long is not busy. */
    static final long STILL_MILLIS = 1_000;

    /** Delay before a message is first repeated over a busy connection; each repetition doubles it. */
    static final long BUSY_MILLIS = 8_000;

    /** Messages to one peer that are remembered; of more than these a copy too many may leave. */
    private static final int PER_PEER_MAX = 64;

    private static final int DOUBLED_MAX = 3;

    private final ClientOperation<?> operation;
    private final Outbox outbox;
    private final Map<PrincipalId, Deque<SentCopy>> copies = new HashMap<>();

    private record SentCopy(Message message, Delivery delivery, long sentMillis, int times) {
        boolean mayBeLost(long nowMillis) {
            boolean still = nowMillis - Math.max(sentMillis, movedMillis()) >= STILL_MILLIS;
            boolean overdue = nowMillis - sentMillis >= BUSY_MILLIS << Math.min(times - 1, DOUBLED_MAX);
            return delivery.lost() || (!delivery.waiting() && (still || overdue));
        }

        long movedMillis() {
            return TimeUnit.NANOSECONDS.toMillis(delivery.movedNanos());
        }
    }

    InFlightRequests(ClientOperation<?> operation, Outbox outbox) {
        this.operation = operation;
        this.outbox = outbox;
    }

    /** Sends what the operation wants sent, under its id, unless it is on its way already. */
    void send(long nowMillis, long id, Effect.Send send) {
        PrincipalId to = send.to();
        if (!operation.isResendOptional()) {
            var unused = outbox.send(to, id, send.message());
            return;
        }
        Deque<SentCopy> mine = copies.computeIfAbsent(to, ignored -> new ArrayDeque<>());
        int times = 1;
        for (SentCopy copy : mine) {
            if (copy.message().equals(send.message())) {
                if (!copy.mayBeLost(nowMillis)) {
                    return;
                }
                times += copy.times();
                mine.remove(copy);
                break;
            }
        }
        if (mine.size() == PER_PEER_MAX) {
            mine.removeFirst();
        }
        mine.addLast(new SentCopy(send.message(), outbox.send(to, id, send.message()), nowMillis, times));
    }

    /** Forgets the copies to a peer that has answered: later messages to it respond to that answer. */
    void answered(PrincipalId peer) {
        copies.remove(peer);
    }

    /** Tells the operation whose connections move; to be done before each of its ticks. */
    void tell() {
        copies.forEach((peer, mine) -> {
            long movedMillis = mine.stream()
                    .filter(copy -> !copy.delivery().lost())
                    .mapToLong(SentCopy::movedMillis)
                    .max()
                    .orElse(Long.MIN_VALUE);
            operation.onMoving(peer, movedMillis);
        });
    }
}
