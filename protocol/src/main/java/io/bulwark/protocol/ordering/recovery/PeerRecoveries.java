package io.bulwark.protocol.ordering.recovery;

import io.bulwark.protocol.ordering.checkpoint.Checkpoints;
import io.bulwark.protocol.ordering.driver.ReplicaConfig;
import io.bulwark.protocol.ordering.driver.ReplicaEffect;
import io.bulwark.protocol.ordering.key.Signing;
import io.bulwark.protocol.ordering.log.Outbox;
import io.bulwark.protocol.ordering.log.ReplicaContext;
import io.bulwark.protocol.ordering.log.Slot;
import io.bulwark.protocol.ordering.log.SlotLog;
import io.bulwark.protocol.ordering.log.View;
import io.bulwark.protocol.ordering.message.ReplicaMessage.QueryStable;
import io.bulwark.protocol.ordering.message.ReplicaMessage.Recover;
import io.bulwark.protocol.ordering.message.ReplicaMessage.RecoveryReply;
import io.bulwark.protocol.ordering.message.ReplicaMessage.ReplyStable;
import io.bulwark.protocol.ordering.message.Request;
import io.bulwark.protocol.ordering.normal.Execution;
import io.bulwark.protocol.ordering.recovery.RecoveryReport.KnownRecovery;
import io.bulwark.protocol.ordering.request.RequestPool;
import io.bulwark.protocol.ordering.view.ViewHistory;
import io.bulwark.protocol.wire.Bytes;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.TreeMap;
import java.util.random.RandomGenerator;
import org.jspecify.annotations.Nullable;

/**
 * Help for other replicas that recover (4.4). The replica reports where its log stands and admits a request that signs
 * its nonce. It replies after execution, and watches the duration of the recovery. A nonce is repeated until a request
 * that signs it is executed, or this life ends. So nobody who asks in another's name can use it up; none is valid in a
 * later life.
 */
final class PeerRecoveries {
    /** Signatures of one replica are checked this far apart at least: a check is dear. */
    private static final long CHECK_MILLIS = 20;

    private final ReplicaConfig config;
    private final View view;
    private final SlotLog log;
    private final ViewHistory history;
    private final Execution execution;
    private final ExecutedRecoveries executed;
    private final Checkpoints checkpoints;
    private final RequestPool pool;
    private final Signing signing;
    private final RandomGenerator random;
    private final Outbox outbox;
    private final @Nullable Bytes[] nonces;
    private final long[] checkedMillis;
    private final Map<Integer, AnsweredRecovery> answered = new TreeMap<>();
    private final Map<Integer, WatchedRecovery> watched = new TreeMap<>();

    private record AnsweredRecovery(long call, long sequence, boolean accepted) {}

    private record WatchedRecovery(long sequence, long sinceMillis, long endMillis) {}

    PeerRecoveries(ReplicaContext context, RecoveryParts parts, ExecutedRecoveries executed, RecoveryStart start) {
        config = context.config();
        view = context.view();
        log = context.log();
        outbox = context.outbox();
        this.executed = executed;
        history = parts.views().history();
        execution = parts.normal().execution();
        pool = parts.normal().pool();
        checkpoints = parts.transfer().checkpoints();
        signing = start.signing();
        random = start.random();
        nonces = new Bytes[config.replicas()];
        checkedMillis = new long[config.replicas()];
    }

    void onQuery(int from, QueryStable query) {
        if (log.floor() == Long.MAX_VALUE) {
            return; // what it has is not what it had
        }
        Bytes nonce = nonces[from];
        if (nonce == null) {
            byte[] drawn = new byte[RecoveryRequest.NONCE_BYTES];
            random.nextBytes(drawn);
            nonce = Bytes.of(drawn);
            nonces[from] = nonce;
        }
        outbox.send(from, new ReplyStable(query.round(), checkpoints.last(), prepared(), nonce));
    }

    /** The last number that prepared here. */
    long prepared() {
        // A number decided here without an own COMMIT has prepared elsewhere.
        long last = Math.max(history.lastPrepared(), execution.executed());
        for (Slot slot : log.slotsAbove(last)) {
            last = slot.decided == null ? last : slot.sequence;
        }
        return last;
    }

    /** A recovery request, from the replica itself. */
    void onRecover(long nowMillis, int from, Recover message) {
        Request request = message.request();
        RecoveryRequest asked = RecoveryRequest.of(request).orElse(null);
        if (asked == null || asked.replica() != from) {
            outbox.add(new ReplicaEffect.Misbehaved(from, "a recovery request that it did not send"));
            return;
        }
        AnsweredRecovery before = answered.get(from);
        RecoveryLedger.Entry entry = executed.ledger().of(from);
        if (before != null && before.call == asked.call()) {
            reply(from, before);
        } else if (entry != null && entry.call() == asked.call()) {
            reply(from, new AnsweredRecovery(entry.call(), entry.sequence(), true));
        } else if (isFresh(nowMillis, asked)) {
            pool.onRequest(nowMillis, request.id(), request);
        }
    }

    private boolean isFresh(long nowMillis, RecoveryRequest asked) {
        int from = asked.replica();
        Bytes nonce = nonces[from];
        if (nowMillis - checkedMillis[from] < CHECK_MILLIS
                || nonce == null
                || !asked.nonceOf(config.self()).equals(nonce)) {
            return false;
        }
        checkedMillis[from] = nowMillis;
        return signing.verify(from, asked.content(), asked.signature());
    }

    /** A request of another replica was executed, or a state is here that reflects it. */
    void onExecuted(long nowMillis, int replica, long call, long sequence, boolean accepted) {
        AnsweredRecovery answer = new AnsweredRecovery(call, sequence, accepted);
        answered.put(replica, answer);
        nonces[replica] = null;
        if (accepted) {
            watched.put(replica, new WatchedRecovery(sequence, nowMillis, -1));
        }
        reply(replica, answer);
    }

    private void reply(int replica, AnsweredRecovery answer) {
        outbox.send(replica, new RecoveryReply(answer.call, answer.accepted, answer.sequence, view.number()));
    }

    void onTick(long nowMillis) {
        executed.ledger().entries().forEach((replica, entry) -> {
            WatchedRecovery seen = watched.get(replica);
            if (seen == null || seen.sequence != entry.sequence()) {
                seen = new WatchedRecovery(entry.sequence(), nowMillis, -1);
            }
            if (seen.endMillis < 0 && entry.point() <= log.low()) {
                seen = new WatchedRecovery(seen.sequence, seen.sinceMillis, nowMillis);
            }
            watched.put(replica, seen);
        });
    }

    /** The last recovery of each replica that the state reflects. */
    List<KnownRecovery> report(long nowMillis) {
        List<KnownRecovery> report = new ArrayList<>();
        executed.ledger().entries().forEach((replica, entry) -> {
            WatchedRecovery seen = watched.get(replica);
            if (seen != null) {
                boolean open = seen.endMillis < 0;
                long millis = (open ? nowMillis : seen.endMillis) - seen.sinceMillis;
                boolean slow = open && millis > config.recoveries().slowMillis();
                report.add(new KnownRecovery(
                        replica, entry.sequence(), entry.point(), entry.agreedMillis(), millis, open, slow));
            }
        });
        return report;
    }
}
