package io.bulwark.metadata;

import io.bulwark.metadata.Execution.Result;
import io.bulwark.metadata.ordering.Submission;
import io.bulwark.protocol.ordering.CallRefusal;
import io.bulwark.protocol.ordering.OrderingMessage.Refused;
import io.bulwark.protocol.ordering.OrderingMessage.Reply;
import io.bulwark.protocol.ordering.OrderingMessage.ToClient;
import io.bulwark.transport.Peer;
import java.util.ArrayDeque;
import java.util.Collection;
import java.util.Deque;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import org.jspecify.annotations.Nullable;

/**
 * The calls that clients wait for, the answers that wait for a durable log, and the last answers. These serve calls
 * that arrive only after they were executed. One thread uses it.
 */
final class ClientCalls {
    static final int WAITING_MAX = 65_536;
    private static final int RECENT_MAX = 8_192;
    private static final long RECENT_BYTES_MAX = 32 << 20;
    private static final long WAITING_MILLIS_MAX = 60_000;

    /** A call and where its answer goes. */
    private record WaitingCall(Submission submission, Requester asker, long sinceMillis) {}

    /**
     * Client that waits for an answer.
     *
     * @param replier the number of the replica that must send the whole reply
     */
    record Requester(Peer peer, long requestId, int replier) {}

    private record RecentResult(long sequence, Result result) {}

    private record OutgoingReply(long sequence, Requester asker, ToClient message) {}

    private final int self;
    private final Map<Submission.Id, WaitingCall> waiting = new LinkedHashMap<>();
    private final LinkedHashMap<Submission.Id, RecentResult> recent = new LinkedHashMap<>();
    private final Deque<OutgoingReply> outgoing = new ArrayDeque<>();
    private long recentBytes;
    private long durableSequence;
    private long incarnation;

    /** @param self the number of this replica */
    ClientCalls(int self) {
        this.self = self;
    }

    /** The replica takes part in this incarnation from now on, and speaks for it. */
    void run(long number) {
        incarnation = number;
    }

    int waiting() {
        return waiting.size();
    }

    boolean full() {
        return waiting.size() >= WAITING_MAX;
    }

    Collection<Submission> submissions() {
        return waiting.values().stream().map(WaitingCall::submission).toList();
    }

    /** Returns the time at which the call that waits longest came, or {@link Long#MAX_VALUE}. */
    long oldestMillis() {
        return waiting.isEmpty()
                ? Long.MAX_VALUE
                : waiting.values().iterator().next().sinceMillis();
    }

    /** Returns whether the submission has to be ordered; otherwise it has been and its answer goes out. */
    boolean expect(Submission submission, Requester asker, long nowMillis) {
        Submission.Id id = submission.id();
        RecentResult answered = recent.get(id);
        if (answered != null) {
            send(answered.sequence(), asker, submission.call(), answered.result());
            return false;
        }
        WaitingCall before = waiting.get(id);
        long since = before == null ? nowMillis : before.sinceMillis();
        waiting.put(id, new WaitingCall(submission, asker, since));
        return true;
    }

    /** The batch of this sequence gave this answer. */
    void answer(long sequence, Submission submission, Result result) {
        Submission.Id id = submission.id();
        WaitingCall expected = waiting.remove(id);
        if (expected != null) {
            send(sequence, expected.asker(), submission.call(), result);
        }
        RecentResult before = recent.put(id, new RecentResult(sequence, result));
        recentBytes += bytes(result) - (before == null ? 0 : bytes(before.result()));
        while (recent.size() > RECENT_MAX || recentBytes > RECENT_BYTES_MAX) {
            recentBytes -= bytes(recent.pollFirstEntry().getValue().result());
        }
    }

    /** Sends once the log is durable up to this sequence. */
    void send(long sequence, Requester asker, long call, Result result) {
        ToClient message = switch (result) {
            case Execution.Done done -> new Reply(call, incarnation, done.reply()).by(self, asker.replier());
            case Execution.Failed _ -> new Refused(call, CallRefusal.FAILED);
        };
        if (sequence <= durableSequence) {
            var _ = asker.peer().send(asker.requestId(), message);
        } else {
            outgoing.add(new OutgoingReply(sequence, asker, message));
        }
    }

    void onDurable(long sequence) {
        durableSequence = Math.max(durableSequence, sequence);
        for (@Nullable OutgoingReply next = outgoing.peek();
                next != null && next.sequence() <= durableSequence;
                next = outgoing.peek()) {
            var _ = next.asker().peer().send(next.asker().requestId(), next.message());
            outgoing.remove();
        }
    }

    /** Handles a cut of the history: answers beyond it in this process never left it, or no longer count. */
    void onCut(long sequence) {
        durableSequence = sequence;
        outgoing.removeIf(next -> next.sequence() > sequence);
        recent.clear();
        recentBytes = 0;
    }

    void expire(long nowMillis) {
        List<WaitingCall> old = waiting.values().stream()
                .takeWhile(each -> nowMillis - each.sinceMillis() > WAITING_MILLIS_MAX)
                .toList();
        old.forEach(each -> waiting.remove(each.submission().id()));
    }

    private static long bytes(Result result) {
        return 64L + result.length();
    }
}
