package io.bulwark.protocol.ordering.normal;

import io.bulwark.protocol.ordering.driver.LogRecord;
import io.bulwark.protocol.ordering.driver.ReplicaConfig;
import io.bulwark.protocol.ordering.driver.ReplicaEffect;
import io.bulwark.protocol.ordering.log.Clock;
import io.bulwark.protocol.ordering.log.HistoryGuard;
import io.bulwark.protocol.ordering.log.Outbox;
import io.bulwark.protocol.ordering.log.ReplicaContext;
import io.bulwark.protocol.ordering.log.Slot;
import io.bulwark.protocol.ordering.log.SlotLog;
import io.bulwark.protocol.ordering.log.View;
import io.bulwark.protocol.ordering.message.Batch;
import io.bulwark.protocol.ordering.message.ReplicaMessage.Commit;
import io.bulwark.protocol.ordering.message.ReplicaMessage.NewView;
import io.bulwark.protocol.ordering.message.ReplicaMessage.Numbered;
import io.bulwark.protocol.ordering.message.ReplicaMessage.PrePrepare;
import io.bulwark.protocol.ordering.message.ReplicaMessage.Prepare;
import io.bulwark.protocol.ordering.message.Request;
import io.bulwark.protocol.ordering.message.RequestId;
import io.bulwark.protocol.ordering.request.EvictedEchoes;
import io.bulwark.protocol.ordering.request.RequestPool;
import io.bulwark.protocol.wire.Bytes;
import java.util.ArrayList;
import java.util.HashSet;
import java.util.List;
import java.util.Map;

/**
 * PRE-PREPARE, PREPARE and COMMIT (4.2). Three things differ from the paper (docs/ordering). The primary sends
 * PREPARE, too, and "prepared" takes 2f+1 PREPAREs, so that a PRE-PREPARE needs no sync. A backup accepts requests that
 * it got from their clients or that f+1 others vouch for. PREPARE and COMMIT are sent once they are on disk.
 */
public final class Agreement {
    private final ReplicaConfig config;
    private final View view;
    private final SlotLog log;
    private final VoteHistory history;
    private final RequestPool pool;
    private final BatchStore batches;
    private final Assignments assignments;
    private final HistoryGuard guard;
    private final Clock clock;
    private final Outbox outbox;

    /** The last view that a NEW-VIEW began here, and the checkpoint that it began with. */
    private long begunView = -1;

    private long begins;

    /** Slots decided by the own COMMIT, which alone does not record the decision on disk. */
    private final List<Slot> unrecorded = new ArrayList<>();

    public Agreement(
            ReplicaContext context,
            VoteHistory history,
            RequestPool pool,
            BatchStore batches,
            Assignments assignments) {
        config = context.config();
        view = context.view();
        log = context.log();
        guard = context.guard();
        clock = context.clock();
        outbox = context.outbox();
        this.history = history;
        this.pool = pool;
        this.batches = batches;
        this.assignments = assignments;
    }

    public void onPrePrepare(long nowMillis, int from, PrePrepare message) {
        if (!view.isActiveIn(message.view()) || from != view.primary() || !log.covers(message.sequence())) {
            return;
        }
        if (message.view() == begunView && message.sequence() <= begins) {
            // The number was decided before, though this replica may lack it. Its earlier votes would not support the
            // decision in this view (4.5).
            outbox.add(new ReplicaEffect.Misbehaved(from, "a batch for a number before those of its view"));
            return;
        }
        Slot slot = log.slot(message.sequence());
        Bytes digest = message.batch().digest();
        if (slot.proposed != null) {
            if (!slot.proposed.equals(digest)) {
                outbox.add(new ReplicaEffect.Misbehaved(from, "two batches for one number of a view"));
            }
            return;
        }
        if (message.batch().requests().size() > config.batches().requestsMax()) {
            outbox.add(new ReplicaEffect.Misbehaved(from, "a batch of too many requests"));
            return;
        }
        if (message.batch().requests().isEmpty() && message.batch().millis() != 0) {
            outbox.add(new ReplicaEffect.Misbehaved(from, "a time without requests"));
            return;
        }
        if (new HashSet<>(message.batch().requests()).size()
                < message.batch().requests().size()) {
            outbox.add(new ReplicaEffect.Misbehaved(from, "a request twice in one batch"));
            return;
        }
        slot.proposed = digest;
        slot.proposal = message.batch();
        batches.put(digest, message.batch());
        tryAccept(nowMillis, slot);
    }

    /**
     * Accepts the choices of NEW-VIEW (4.5) between the water marks; must be called again when these have moved. The
     * choices count as proposals: another batch for one of these numbers is evidence. Requests and time are not
     * checked: a correct replica has checked them.
     */
    public void onChosen(long nowMillis, NewView newView) {
        begunView = newView.view();
        begins = newView.checkpoint().sequence();
        for (Numbered choice : newView.chosen()) {
            if (log.covers(choice.sequence())) {
                onChosen(nowMillis, choice);
            }
        }
    }

    private void onChosen(long nowMillis, Numbered choice) {
        Slot slot = log.slot(choice.sequence());
        if (slot.accepted) {
            slot.chosen = true;
            return;
        }
        slot.proposed = choice.digest();
        slot.lookedAt = 0;
        slot.chosen = true;
        tryAccept(nowMillis, slot);
    }

    /** As the primary: this replica's own proposal, which is complete. */
    void propose(long nowMillis, long sequence, Batch batch) {
        Slot slot = log.slot(sequence);
        Bytes digest = batch.digest();
        slot.proposed = digest;
        batches.put(digest, batch);
        accept(nowMillis, slot, digest);
    }

    /** Something has come that a proposal may have waited for. */
    public void retry(long nowMillis) {
        if (view.isActive()) {
            for (Slot slot : log.all()) {
                if (slot.proposed != null && !slot.accepted) {
                    tryAccept(nowMillis, slot);
                }
            }
        }
    }

    public void onPrepare(int from, Prepare message) {
        if (!view.isActiveIn(message.view()) || !log.covers(message.sequence())) {
            return;
        }
        Slot slot = log.slot(message.sequence());
        Bytes before = slot.prepares.putIfAbsent(from, message.digest());
        if (before != null && !before.equals(message.digest())) {
            outbox.add(new ReplicaEffect.Misbehaved(from, "two PREPAREs for one number of a view"));
        }
        checkPrepared(slot);
    }

    void onCommit(int from, Commit message) {
        if (!view.isActiveIn(message.view()) || !log.covers(message.sequence())) {
            return;
        }
        Slot slot = log.slot(message.sequence());
        Bytes before = slot.commits.putIfAbsent(from, message.digest());
        if (before != null && !before.equals(message.digest())) {
            outbox.add(new ReplicaEffect.Misbehaved(from, "two COMMITs for one number of a view"));
        }
        checkCommitted(slot);
        if (Slot.count(slot.commits, message.digest()) >= config.quorum()) {
            guard.onDecided(slot, message.digest(), "2f+1 others have committed");
        }
    }

    /**
     * Returns whether more than a primary supports the proposal: NEW-VIEW, or f+1 others that accepted it. Only then
     * its bodies are fetched for its sake; before, only those are fetched that f+1 others vouch for.
     */
    public boolean isBacked(Slot slot) {
        Bytes digest = slot.proposed;
        return digest != null && (slot.chosen || Slot.count(slot.prepares, digest) >= config.weakQuorum());
    }

    private void tryAccept(long nowMillis, Slot slot) {
        Bytes digest = slot.proposed;
        Batch batch = digest == null ? null : batches.get(digest);
        if (digest == null || batch == null || slot.accepted || slot.sequence <= log.floor()) {
            return;
        }
        if (slot.decided != null && !slot.decided.equals(digest)) {
            return; // a primary that told others something else; what they decided stays
        }
        if (!(slot.chosen
                ? history.mayAcceptChosen(slot.sequence, digest)
                : history.mayAcceptFresh(slot.sequence, digest))) {
            return;
        }
        // A correct replica has checked a backed proposal.
        boolean unchecked = !isBacked(slot);
        if (unchecked && (slot.tooLong || !isTimely(nowMillis, batch))) {
            return;
        }
        if (!isAllHere(slot, batch, unchecked)) {
            return;
        }
        if (unchecked && isTooLong(batch)) {
            slot.tooLong = true;
            return;
        }
        accept(nowMillis, slot, digest);
        if (!slot.chosen) {
            pool.onProposed(batch.requests(), isInOrder(slot));
        }
    }

    private boolean isTimely(long nowMillis, Batch batch) {
        return batch.requests().isEmpty()
                || Math.abs(batch.millis() - clock.wallMillis(nowMillis))
                        <= config.timers().clockMillis();
    }

    /**
     * Begins where the last look stopped: a primary that makes requests up does not have all of its names looked
     * through with each drain.
     */
    private boolean isAllHere(Slot slot, Batch batch, boolean unchecked) {
        List<RequestId> ids = batch.requests();
        for (int left = ids.size(); left > 0; left--) {
            RequestId id = ids.get(slot.lookedAt);
            if (batches.body(id) == null || (unchecked && !isAcceptable(id, slot.sequence))) {
                return false;
            }
            slot.lookedAt = (slot.lookedAt + 1) % ids.size();
        }
        return true;
    }

    /**
     * Returns whether the request can be accepted at this number. A request with another number waits until that is
     * executed. Then it needs a vouch that is good for one more execution ({@link EvictedEchoes}), or a new one.
     */
    private boolean isAcceptable(RequestId id, long sequence) {
        return pool.isAcceptable(id) && !assignments.hasOtherNumber(id, sequence);
    }

    private boolean isTooLong(Batch batch) {
        long bytes = 0;
        for (RequestId id : batch.requests()) {
            Request body = batches.body(id);
            bytes += body == null ? 0 : body.operation().length();
        }
        return batch.requests().size() > 1 && bytes > config.batches().bytesMax();
    }

    /** All proposals of lower numbers are accepted. */
    private boolean isInOrder(Slot slot) {
        for (Slot each : log.all()) {
            if (each.sequence >= slot.sequence) {
                return true;
            }
            if (each.proposed != null && !each.accepted) {
                return false;
            }
        }
        return true;
    }

    /**
     * Records decisions on disk, so that a restarted replica compares them with the others' reports ({@link
     * HistoryGuard}). Nothing waits for that.
     */
    public void recordDecided() {
        for (Slot slot : unrecorded) {
            if (slot.decided != null && slot.sequence > log.low()) {
                outbox.append(new LogRecord.Learned(slot.sequence, slot.decided));
            }
        }
        unrecorded.clear();
    }

    private void accept(long nowMillis, Slot slot, Bytes digest) {
        recordDecided();
        LogRecord bodies = batches.unlogged(digest);
        if (bodies != null) {
            outbox.append(bodies);
        }
        slot.accepted = true;
        slot.proposal = null;
        slot.acceptedMillis = nowMillis;
        Batch batch = batches.get(digest);
        if (batch != null) {
            assignments.onAccepted(slot, digest, batch);
        }
        history.prePrepared(slot.sequence, digest, view.number());
        slot.prepareIndex = outbox.append(new LogRecord.Prepare(view.number(), slot.sequence, digest));
        slot.prepares.put(config.self(), digest);
        outbox.multicastAfter(slot.prepareIndex, new Prepare(view.number(), slot.sequence, digest));
        checkPrepared(slot);
    }

    private void checkPrepared(Slot slot) {
        Bytes digest = slot.proposed;
        if (digest == null || !slot.accepted || slot.prepared || Slot.count(slot.prepares, digest) < config.quorum()) {
            return;
        }
        slot.prepared = true;
        history.prepared(slot.sequence, digest, view.number());
        slot.commitIndex = outbox.append(new LogRecord.Commit(view.number(), slot.sequence, digest));
        slot.commits.put(config.self(), digest);
        outbox.multicastAfter(slot.commitIndex, new Commit(view.number(), slot.sequence, digest));
        checkCommitted(slot);
    }

    private void checkCommitted(Slot slot) {
        if (slot.decided != null) {
            return;
        }
        for (Map.Entry<Integer, Bytes> commit : slot.commits.entrySet()) {
            Bytes digest = commit.getValue();
            if (Slot.count(slot.commits, digest) >= config.quorum()) {
                slot.decided = digest;
                if (slot.prepared && slot.isProposed(digest)) {
                    slot.decidedIndex = slot.commitIndex;
                    unrecorded.add(slot);
                } else { // what others have decided: learned
                    slot.decidedIndex = outbox.append(new LogRecord.Learned(slot.sequence, digest));
                }
                return;
            }
        }
    }

    /** Repeats COMMIT, and PREPARE if it is wanted, as far as they are durable. */
    public void repeat(int to, Slot slot, boolean prepare) {
        Bytes digest = slot.proposed;
        if (digest == null || !view.isActive()) {
            return;
        }
        if (prepare && slot.accepted && outbox.isDurable(slot.prepareIndex)) {
            outbox.send(to, new Prepare(view.number(), slot.sequence, digest));
        }
        if (slot.prepared && outbox.isDurable(slot.commitIndex)) {
            outbox.send(to, new Commit(view.number(), slot.sequence, digest));
        }
    }

    /**
     * Proposes a fresh number again, as the primary.
     *
     * @return the number of names sent
     */
    public int repeatProposal(int to, Slot slot) {
        Bytes digest = slot.proposed;
        Batch batch = digest == null ? null : batches.get(digest);
        if (view.isPrimary() && view.isActive() && slot.accepted && !slot.chosen && batch != null) {
            outbox.send(to, new PrePrepare(view.number(), slot.sequence, batch));
            return batch.requests().size();
        }
        return 0;
    }
}
