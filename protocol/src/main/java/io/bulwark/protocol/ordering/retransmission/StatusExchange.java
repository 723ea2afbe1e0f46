package io.bulwark.protocol.ordering.retransmission;

import io.bulwark.protocol.effect.DistantPast;
import io.bulwark.protocol.ordering.checkpoint.Checkpoints;
import io.bulwark.protocol.ordering.driver.ReplicaConfig;
import io.bulwark.protocol.ordering.log.Outbox;
import io.bulwark.protocol.ordering.log.ReplicaContext;
import io.bulwark.protocol.ordering.log.Slot;
import io.bulwark.protocol.ordering.log.SlotLog;
import io.bulwark.protocol.ordering.log.View;
import io.bulwark.protocol.ordering.message.Batch;
import io.bulwark.protocol.ordering.message.ReplicaMessage;
import io.bulwark.protocol.ordering.message.ReplicaMessage.RequestEcho;
import io.bulwark.protocol.ordering.message.ReplicaMessage.RequestReady;
import io.bulwark.protocol.ordering.message.ReplicaMessage.Status;
import io.bulwark.protocol.ordering.message.RequestId;
import io.bulwark.protocol.ordering.normal.Agreement;
import io.bulwark.protocol.ordering.normal.Execution;
import io.bulwark.protocol.ordering.normal.NormalCase;
import io.bulwark.protocol.ordering.request.RequestPool;
import io.bulwark.protocol.ordering.view.ViewChanges;
import io.bulwark.protocol.wire.Bytes;
import java.util.Arrays;
import java.util.List;
import java.util.function.Function;

/**
 * Message retransmission (4.6.1): replicas report their status, and those with more repeat the messages that the others
 * may lack. Vouches are sent and repeated here, too. {@link ViewChanges} repeats the messages of the view change.
 */
public final class StatusExchange {
    /** Numbers that one answer speaks of at most. */
    private static final int SLOTS_MAX = 64;

    /** Number of full proposals whose names one answer may hold; the next answer brings more. */
    private static final int FULL_MAX = 16;

    private final ReplicaConfig config;
    private final View view;
    private final SlotLog log;
    private final RequestPool pool;
    private final Execution execution;
    private final Agreement agreement;
    private final Checkpoints checkpoints;
    private final CommitLearner commitLearner;
    private final Outbox outbox;
    private final long[] answeredMillis;
    private final long[] executedThere;
    private long saidMillis = DistantPast.MILLIS;

    StatusExchange(ReplicaContext context, NormalCase normal, Checkpoints checkpoints, CommitLearner commitLearner) {
        config = context.config();
        view = context.view();
        log = context.log();
        outbox = context.outbox();
        pool = normal.pool();
        execution = normal.execution();
        agreement = normal.agreement();
        this.checkpoints = checkpoints;
        this.commitLearner = commitLearner;
        answeredMillis = new long[config.replicas()];
        Arrays.fill(answeredMillis, DistantPast.MILLIS);
        executedThere = new long[config.replicas()];
    }

    public void onTick(long nowMillis, ViewChanges changes) {
        boolean waiting = !view.isActive()
                || execution.isSuspended()
                || pool.hasOwnVouches()
                || !log.slotsAbove(execution.executed()).isEmpty();
        if (nowMillis - saidMillis >= config.timers().statusMillis() * (waiting ? 1 : 4)) {
            saidMillis = nowMillis;
            outbox.multicast(status(changes));
            repeatEchoes(nowMillis);
        }
    }

    private void repeatEchoes(long nowMillis) {
        say(pool.ownEchoes(nowMillis - config.timers().statusMillis()), RequestEcho::new);
    }

    /** Sends the vouches and READY messages that are new since the last call. */
    public void announceNew() {
        say(pool.takeUnsaid(), RequestEcho::new);
        say(pool.takeUnsaidReady(), RequestReady::new);
    }

    private void say(List<RequestId> ids, Function<List<RequestId>, ReplicaMessage> message) {
        for (int from = 0; from < ids.size(); from += Batch.REQUESTS_MAX) {
            outbox.multicast(message.apply(ids.subList(from, Math.min(ids.size(), from + Batch.REQUESTS_MAX))));
        }
    }

    private Status status(ViewChanges changes) {
        long executed = execution.executed();
        // A replica that still fetches the state at its low water mark may be far below it.
        int numbers = (int) Math.min(2L * config.logSize(), Math.max(0, log.high() - executed));
        byte[] prepared = new byte[(2 * numbers + 7) / 8];
        byte[] prePrepared = new byte[(numbers + 7) / 8];
        for (Slot slot : log.slotsAbove(executed)) {
            long place = slot.sequence - executed - 1;
            if (place >= numbers) {
                break;
            }
            int i = (int) place;
            set(prepared, 2 * i, slot.prepared);
            set(prepared, 2 * i + 1, slot.decided != null);
            set(prePrepared, i, slot.proposed != null);
        }
        return new Status(
                view.number(),
                view.isActive(),
                log.low(),
                executed,
                Bytes.of(prepared),
                Bytes.of(prePrepared),
                changes.viewChanges(),
                changes.hasNewView());
    }

    public void onStatus(long nowMillis, int from, Status status) {
        pool.onStatus(from, status.executed());
        if (nowMillis - answeredMillis[from] < config.timers().statusMillis() / 4) {
            return;
        }
        answeredMillis[from] = nowMillis;
        checkpoints.tell(from, status.stable());
        boolean stuck = status.executed() <= executedThere[from];
        executedThere[from] = status.executed();
        if (view.isActive() && status.inView() && status.view() == view.number()) {
            repeatPhases(nowMillis, from, status);
        }
        if (stuck && status.executed() < execution.executed()) {
            commitLearner.tell(from, status.executed());
        }
    }

    private void repeatPhases(long nowMillis, int to, Status status) {
        int repeated = 0;
        int names = 0;
        long settledMillis = nowMillis - config.timers().statusMillis() / 2;
        for (Slot slot : log.slotsAbove(status.executed())) {
            long i = slot.sequence - status.executed() - 1;
            if (!slot.accepted || slot.acceptedMillis > settledMillis || isSet(status.prepared(), 2 * i + 1)) {
                continue;
            }
            if (!isSet(status.prePrepared(), i)) {
                names += agreement.repeatProposal(to, slot);
            }
            agreement.repeat(to, slot, !isSet(status.prepared(), 2 * i));
            if (++repeated == SLOTS_MAX || names >= FULL_MAX * config.batches().requestsMax()) {
                return;
            }
        }
    }

    private static void set(byte[] bits, int i, boolean value) {
        if (value) {
            bits[i / 8] |= (byte) (1 << i % 8);
        }
    }

    /** Bits beyond the end are not set. */
    private static boolean isSet(Bytes bits, long i) {
        return i >= 0 && i / 8 < bits.length() && (bits.get((int) (i / 8)) >> i % 8 & 1) == 1;
    }
}
