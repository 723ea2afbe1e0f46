package io.bulwark.protocol.ordering.view;

import io.bulwark.protocol.ordering.checkpoint.Checkpoints;
import io.bulwark.protocol.ordering.driver.LogRecord;
import io.bulwark.protocol.ordering.driver.ReplicaConfig;
import io.bulwark.protocol.ordering.driver.ReplicaEffect;
import io.bulwark.protocol.ordering.log.Outbox;
import io.bulwark.protocol.ordering.log.ReplicaContext;
import io.bulwark.protocol.ordering.log.Slot;
import io.bulwark.protocol.ordering.log.SlotLog;
import io.bulwark.protocol.ordering.log.View;
import io.bulwark.protocol.ordering.message.Batch;
import io.bulwark.protocol.ordering.message.ReplicaMessage;
import io.bulwark.protocol.ordering.message.ReplicaMessage.NewView;
import io.bulwark.protocol.ordering.message.ReplicaMessage.Numbered;
import io.bulwark.protocol.ordering.message.ReplicaMessage.PrePrepared;
import io.bulwark.protocol.ordering.message.ReplicaMessage.Prepared;
import io.bulwark.protocol.ordering.message.ReplicaMessage.Status;
import io.bulwark.protocol.ordering.message.ReplicaMessage.ViewChange;
import io.bulwark.protocol.ordering.message.Request;
import io.bulwark.protocol.ordering.normal.BatchStore;
import io.bulwark.protocol.ordering.normal.Execution;
import io.bulwark.protocol.ordering.normal.NormalCase;
import io.bulwark.protocol.wire.Bytes;
import java.util.HashSet;
import java.util.List;
import java.util.Set;
import org.jspecify.annotations.Nullable;

/** Carries out what {@link ViewChanges} decides (4.5): the log, the water marks, and what must be on disk before. */
public final class ViewChangeExecutor implements Execution.Listener {
    private final ReplicaConfig config;
    private final View view;
    private final SlotLog log;
    private final ViewHistory history;
    private final Checkpoints checkpoints;
    private final Outbox outbox;
    private final NormalCase normal;
    private final PrimarySuspicion suspicion;
    private final NextViewMessages early;
    private final ViewChanges changes;
    private final BatchStore batches;
    private @Nullable ViewChange own;
    private @Nullable NewView installed;
    /** The NEW-VIEW that the disk had when this life began. */
    private final @Nullable NewView found;

    private final StartedViewCheck begun;

    private long alone;
    private long promiseIndex;
    private boolean promised = true;
    private List<Numbered> missing = List.of();

    public ViewChangeExecutor(
            ReplicaContext context,
            ViewHistory history,
            NormalCase normal,
            Checkpoints checkpoints,
            RecoveredView recovered) {
        config = context.config();
        view = context.view();
        log = context.log();
        outbox = context.outbox();
        this.history = history;
        this.normal = normal;
        this.checkpoints = checkpoints;
        batches = normal.batches();
        Execution execution = normal.execution();
        suspicion = new PrimarySuspicion(view, log, normal.pool(), execution);
        early = new NextViewMessages(config);
        own = recovered.viewChange();
        found = recovered.newView();
        installed = found;
        alone = view.number();
        ViewGroup group = ViewGroup.of(config);
        begun = new StartedViewCheck(group, found == null ? 0 : found.view());
        long timeoutMillis = config.timers().requestMillis();
        Decision.Bodies bodies = (n, digest) -> n <= execution.executed() || batches.isComplete(digest);
        changes = own == null
                ? new ViewChanges(group, config.self(), timeoutMillis, bodies)
                : ViewChanges.restarted(group, config.self(), timeoutMillis, bodies, own, installed);
        execution.setListener(this);
    }

    public ViewChanges changes() {
        return changes;
    }

    /** P and Q of this replica. */
    public ViewHistory history() {
        return history;
    }

    public @Nullable ViewChange own() {
        return own;
    }

    public @Nullable NewView installed() {
        return installed;
    }

    /**
     * Returns the checkpoint that this replica must have executed or fetched before it continues. It is the low water
     * mark, or the beginning of its view if that is later.
     */
    public Numbered beginning(Numbered low) {
        NewView begun = installed;
        return begun != null
                        && view.isActiveIn(begun.view())
                        && begun.checkpoint().sequence() > low.sequence()
                ? begun.checkpoint()
                : low;
    }

    /** The batches that keep this replica, as the primary of the next view, from a decision. */
    public List<Numbered> missing() {
        return missing;
    }

    /** Does nothing in any other view than the suspected. */
    public void suspect(long nowMillis, long suspected) {
        if (suspected == alone && suspected < Long.MAX_VALUE && view.isActiveIn(suspected) && !hasBegun()) {
            alone++;
        }
        carryOut(nowMillis, changes.suspect(suspected));
    }

    /** A view change of the primary of the view, for a later one: it gives up its view. */
    public void onViewChange(long nowMillis, int from, ViewChange message) {
        long before = view.number();
        boolean resigns = view.isActive() && from == view.primary() && message.view() > before;
        onMessage(nowMillis, from, message);
        if (resigns) {
            suspect(nowMillis, before);
        }
    }

    public void onMessage(long nowMillis, int from, ReplicaMessage message) {
        if (message instanceof Status status) {
            begun.onStatus(from, status);
        }
        carryOut(nowMillis, changes.onMessage(nowMillis, from, message));
    }

    public void onTick(long nowMillis) {
        carryOut(nowMillis, changes.onTick(nowMillis));
    }

    /**
     * Handles the estimate of H_M at a recovering replica. It discards the facts on its disk that no correct replica
     * can have sent or heard: its status and start, the names, and the votes. The remaining ones may be promises, true
     * or not.
     */
    public void onEstimated(long nowMillis, long estimate) {
        history.discardAbove(estimate);
        ViewChange said = own;
        if (said != null && !isWithin(said, estimate)) {
            amend(said, List.of(), List.of());
        }
        if (found != null && !isWithin(found, estimate)) {
            giveUpFound(nowMillis);
        }
    }

    /** Correct replicas have no stable checkpoint above H_M - L, and nothing above H_M. */
    private boolean isWithin(ViewChange said, long estimate) {
        return said.stable() <= estimate - config.logSize()
                && said.checkpoints().stream().allMatch(each -> each.sequence() <= estimate)
                && said.prepared().stream().allMatch(entry -> entry.sequence() <= estimate)
                && said.prePrepared().stream().allMatch(entry -> entry.sequence() <= estimate);
    }

    /**
     * Returns whether a view could begin so: a correct replica has its checkpoint, and nothing that it chooses beyond
     * H_M has prepared.
     */
    private static boolean isWithin(NewView begun, long estimate) {
        return begun.checkpoint().sequence() <= estimate
                && begun.chosen().stream()
                        .allMatch(choice ->
                                choice.sequence() <= estimate || choice.digest().equals(Batch.NULL_DIGEST));
    }

    /**
     * Judges the NEW-VIEW of the disk. If its view has begun, the recovery request gets a number above all that it
     * begins with; else this NEW-VIEW is discarded. False while the others have not answered enough for either; the
     * request is not made before.
     */
    public boolean judgeFound(long nowMillis) {
        if (found == null || begun.isTrue()) {
            return true;
        }
        boolean forged = begun.isFalse();
        if (forged) {
            giveUpFound(nowMillis);
        }
        return forged;
    }

    /**
     * The recovery request was ordered. If the view of the disk had begun before, that was above all that its NEW-VIEW
     * chose.
     */
    public void onAnswered(long nowMillis, long sequence) {
        if (found != null
                && sequence <= found.checkpoint().sequence() + found.chosen().size()) {
            giveUpFound(nowMillis);
        }
    }

    /** Discards what this peer said under old keys. */
    public void onKeyChange(int peer) {
        early.onKeyChange(peer);
        changes.onKeyChange(peer);
        begun.forget(peer);
    }

    /** The NEW-VIEW of the disk is not believed, so its view is left, as one whose NEW-VIEW is wrong. */
    private void giveUpFound(long nowMillis) {
        if (installed != null && installed.equals(found)) {
            long left = installed.view();
            installed = null;
            if (view.isActiveIn(left)) {
                suspect(nowMillis, left);
            }
        }
    }

    /**
     * Corrects this replica's VIEW-CHANGE after its recovery. Its earlier claims may be false, and all false ones end
     * at the low water mark, whose certificate is of this life. So its VIEW-CHANGE drops claims up to there, and names
     * only the current checkpoints.
     *
     * <p>The primary of a view does not change its VIEW-CHANGE, since others would accuse it. It leaves a view that has
     * not begun, and a view that begins in this life rests on true claims.
     */
    public void onRecovered(long nowMillis) {
        ViewChange said = own;
        if (said != null && view.isPrimary()) {
            if (!view.isActive()) {
                carryOut(nowMillis, changes.giveUp(nowMillis));
            }
        } else if (said != null) {
            long low = log.low();
            amend(
                    said,
                    said.prepared().stream()
                            .filter(entry -> entry.sequence() > low)
                            .toList(),
                    said.prePrepared().stream()
                            .filter(entry -> entry.sequence() > low)
                            .toList());
        }
    }

    private void amend(ViewChange said, List<Prepared> prepared, List<PrePrepared> prePrepared) {
        List<Numbered> held = checkpoints.held(log.high()).stream()
                .filter(each -> each.sequence() >= log.low())
                .toList();
        own = new ViewChange(said.view(), log.low(), held, prepared, prePrepared);
        changes.amend(own);
    }

    /** The view of the disk is forged: back to that of the others. */
    public void returnTo(long nowMillis, long others) {
        installed = null;
        history.discardFrom(others + 1);
        if (others == 0) {
            leaveView();
            own = null;
            promised = true;
            changes.restart();
            view.enter(0);
        } else {
            carryOut(nowMillis, changes.returnTo(others));
        }
    }

    /**
     * Returns the view of the disk, or the next one if this replica has suspected its primary: the last view that it
     * can reach alone.
     */
    public long unilateralView() {
        return alone;
    }

    /** A view has begun here in this life. */
    public boolean hasBegun() {
        return installed != null && !installed.equals(found);
    }

    /** Bodies or batches may have come. */
    public void onBodies(long nowMillis) {
        for (Numbered each : missing) {
            if (batches.isComplete(each.digest())) {
                carryOut(nowMillis, changes.onBodies(nowMillis));
                return;
            }
        }
    }

    /** Something is durable: perhaps the VIEW-CHANGE or the NEW-VIEW that this replica waits for. */
    public void onDurable(long nowMillis) {
        if (promised || !outbox.isDurable(promiseIndex)) {
            return;
        }
        promised = true;
        if (own != null && own.view() == view.number() && !view.isActive()) {
            if (installed == null || installed.view() != view.number()) {
                carryOut(nowMillis, changes.onEntered(nowMillis, own));
            } else {
                carryOut(nowMillis, changes.installed(installed));
                view.enter(installed.view());
                enter(nowMillis, installed);
            }
        }
    }

    private void carryOut(long nowMillis, List<ViewStep> steps) {
        for (ViewStep step : steps) {
            switch (step) {
                case ViewStep.Send send -> outbox.send(send.to(), send.message());
                case ViewStep.Leave leave -> leave(leave.view());
                case ViewStep.Install install -> install(install.newView());
                case ViewStep.Missing choices -> missing = choices.choices();
                case ViewStep.Misbehaved misbehaved ->
                    outbox.add(new ReplicaEffect.Misbehaved(misbehaved.replica(), misbehaved.what()));
            }
        }
        onDurable(nowMillis);
    }

    /** PRE-PREPARE, PREPARE or COMMIT, which waits here if this replica has yet to enter its view. */
    public void onPhase(long nowMillis, int from, ReplicaMessage.Phase message) {
        if (message.view() > view.number() || (message.view() == view.number() && !view.isActive())) {
            early.add(from, message);
        } else {
            normal.onPhase(nowMillis, from, message);
        }
    }

    private void enter(long nowMillis, NewView newView) {
        suspicion.enter(nowMillis, newView);
        normal.enter(nowMillis, newView);
        for (NextViewMessages.EarlyMessage message : early.take(newView.view())) {
            onPhase(nowMillis, message.from(), message.message());
        }
    }

    @Override
    public void onExecuted(Request request) {
        suspicion.onExecuted(request);
        if (view.isActive()) {
            changes.onProgress();
        }
    }

    /** Returns whether this replica is to ask for the next view. */
    public boolean suspects(long nowMillis) {
        long timeoutMillis = Math.min(changes.timeoutMillis(), config.timers().requestMillisMax());
        // Both keep time, so both are asked each time.
        boolean suspects = suspicion.suspects(nowMillis, timeoutMillis);
        boolean mustYield = changes.mustYield(nowMillis);
        return suspects || mustYield || normal.primary().hasAbdicated();
    }

    /** The digests of all batches that the log may still need. */
    public Set<Bytes> live() {
        Set<Bytes> live = new HashSet<>();
        for (long sequence = log.low() + 1; sequence <= log.end(); sequence++) {
            live.addAll(history.digests(sequence));
        }
        for (Slot slot : log.all()) {
            if (slot.proposed != null) {
                live.add(slot.proposed);
            }
            if (slot.decided != null) {
                live.add(slot.decided);
            }
        }
        return live;
    }

    private void leave(long next) {
        missing = List.of();
        view.leaveFor(next);
        leaveView();
        own = history.tell(next, checkpoints.held(log.high()));
        batches.retain(live()); // what was proposed in vain goes
        promise(new LogRecord.ViewChange(own));
    }

    private void leaveView() {
        log.all().forEach(Slot::leaveView);
        normal.leave();
    }

    private void install(NewView newView) {
        missing = List.of();
        installed = newView;
        promise(new LogRecord.NewView(newView));
    }

    private void promise(LogRecord record) {
        promiseIndex = outbox.append(record);
        promised = false;
    }
}
