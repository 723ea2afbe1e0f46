package io.bulwark.protocol.ordering.normal;

import io.bulwark.protocol.ordering.driver.ReplicaConfig;
import io.bulwark.protocol.ordering.log.Clock;
import io.bulwark.protocol.ordering.log.Outbox;
import io.bulwark.protocol.ordering.log.ReplicaContext;
import io.bulwark.protocol.ordering.log.SlotLog;
import io.bulwark.protocol.ordering.log.View;
import io.bulwark.protocol.ordering.message.Batch;
import io.bulwark.protocol.ordering.message.ReplicaMessage.NewView;
import io.bulwark.protocol.ordering.message.ReplicaMessage.Numbered;
import io.bulwark.protocol.ordering.message.ReplicaMessage.PrePrepare;
import io.bulwark.protocol.ordering.message.Request;
import io.bulwark.protocol.ordering.message.RequestId;
import io.bulwark.protocol.ordering.request.PendingRequest;
import io.bulwark.protocol.ordering.request.RequestPool;
import java.util.ArrayList;
import java.util.HashSet;
import java.util.List;
import java.util.Set;

/**
 * Primary's part of 4.2: the assignment of numbers to requests. Requests are proposed in the order in which they became
 * ready. While few batches are in flight they are proposed at once, else in full batches, which fill while the disk is
 * busy. Of these there are no more than a backup keeps that has yet to enter the view.
 */
public final class Primary {
    /** Number of full batches in flight at most: a backup that has yet to enter the view keeps no more of them. */
    public static final int FULL_MAX = 64;

    /** Number of null batches in flight while a recovery is open. */
    private static final int NULLS_IN_FLIGHT = 8;

    private final ReplicaConfig config;
    private final View view;
    private final SlotLog log;
    private final RequestPool pool;
    private final BatchStore batches;
    private final Assignments assignments;
    private final Agreement agreement;
    private final Clock clock;
    private final Outbox outbox;
    private long last;
    private long lastMillis;
    private boolean abdicated;
    private long gate;

    public Primary(
            ReplicaContext context,
            RequestPool pool,
            BatchStore batches,
            Assignments assignments,
            Agreement agreement) {
        config = context.config();
        view = context.view();
        log = context.log();
        clock = context.clock();
        outbox = context.outbox();
        this.pool = pool;
        this.batches = batches;
        this.assignments = assignments;
        this.agreement = agreement;
    }

    /** A view begins, in which NEW-VIEW has assigned the first numbers, those beyond the high water mark, too. */
    public void enter(NewView newView) {
        last = newView.checkpoint().sequence() + newView.chosen().size();
        abdicated = false;
        Set<RequestId> assigned = new HashSet<>();
        for (Numbered choice : newView.chosen()) {
            Batch batch = batches.get(choice.digest());
            if (batch != null) {
                assigned.addAll(batch.requests());
            }
        }
        pool.onNewView(assigned);
    }

    /** A restarted primary does not know what it proposed in its old view, and proposes nothing more in it. */
    public void abdicate() {
        abdicated = true;
    }

    /**
     * Returns whether another replica leads: more is executed than NEW-VIEW has assigned, or there is nothing to
     * propose.
     */
    public boolean isLed(long executed) {
        return view.isActive()
                && !view.isPrimary()
                && (executed > last || pool.ready().isEmpty());
    }

    public boolean hasAbdicated() {
        return abdicated && view.isActive() && view.isPrimary();
    }

    /**
     * Proposals leave only once the log is durable up to here: it has the low water mark on which the high one rests.
     */
    public void gate(long index) {
        gate = index;
    }

    /**
     * Proposes batches of what is ready.
     *
     * @param executed the last number executed here
     * @param fillUpTo the numbers up to here get null batches when there is nothing else: a recovery waits for them
     */
    public void propose(long nowMillis, long executed, long fillUpTo) {
        if (!view.isActive() || !view.isPrimary() || abdicated) {
            return;
        }
        // After a state was fetched, the log may lie below what is executed.
        last = Math.max(last, Math.max(log.low(), executed));
        while (last < log.high()) {
            List<PendingRequest> next = next();
            boolean full = isFull(next);
            if (next.isEmpty() && last < fillUpTo && last - executed < NULLS_IN_FLIGHT) {
                outbox.multicastAfter(gate, new PrePrepare(view.number(), ++last, Batch.NULL));
                agreement.propose(nowMillis, last, Batch.NULL);
                continue;
            }
            int inFlight = config.batches().inFlight();
            if (next.isEmpty() || last - executed >= (full ? Math.max(inFlight, FULL_MAX) : inFlight)) {
                return;
            }
            List<RequestId> ids = new ArrayList<>(next.size());
            for (PendingRequest entry : next) {
                entry.proposed = true;
                ids.add(entry.id);
            }
            lastMillis = Math.max(lastMillis, clock.wallMillis(nowMillis));
            Batch batch = new Batch(lastMillis, ids);
            outbox.multicastAfter(gate, new PrePrepare(view.number(), ++last, batch));
            agreement.propose(nowMillis, last, batch);
        }
    }

    private List<PendingRequest> next() {
        List<PendingRequest> next = new ArrayList<>();
        long bytes = 0;
        for (PendingRequest entry : pool.ready()) {
            Request body = entry.body;
            if (entry.proposed || body == null || !entry.isVouchedHere() || assignments.hasNumber(entry.id)) {
                continue;
            }
            bytes += body.operation().length();
            if (!next.isEmpty() && bytes > config.batches().bytesMax()) {
                break;
            }
            next.add(entry);
            if (next.size() == config.batches().requestsMax()) {
                break;
            }
        }
        return next;
    }

    private boolean isFull(List<PendingRequest> next) {
        long bytes = 0;
        for (PendingRequest entry : next) {
            bytes += entry.body == null ? 0 : entry.body.operation().length();
        }
        return next.size() == config.batches().requestsMax()
                || bytes >= config.batches().bytesMax() / 2;
    }
}
