package io.bulwark.protocol.ordering.replica;

import io.bulwark.protocol.ordering.message.ReplicaMessage;
import io.bulwark.protocol.ordering.message.ReplicaMessage.NewView;
import io.bulwark.protocol.ordering.message.ReplicaMessage.Numbered;
import io.bulwark.protocol.ordering.message.ReplicaMessage.ViewChange;
import io.bulwark.protocol.ordering.view.Decision;
import io.bulwark.protocol.ordering.view.ViewChanges;
import io.bulwark.protocol.ordering.view.ViewGroup;
import io.bulwark.protocol.ordering.view.ViewHistory;
import io.bulwark.protocol.ordering.view.ViewStep;
import java.util.List;
import org.jspecify.annotations.Nullable;

/** Carries out what {@link ViewChanges} decides (4.5): the log, the water marks, and what must be on disk before. */
final class ViewChanging {
    /** What else a replica does then. */
    interface Host {
        /** The view that begins with this is active. */
        void onEntered(long nowMillis, NewView newView);
    }

    private final View view;
    private final SlotLog log;
    private final ViewHistory history;
    private final Checkpoints checkpoints;
    private final Outbox outbox;
    private final Host host;
    private final ViewChanges changes;
    private final BatchStore batches;
    private @Nullable ViewChange own;
    private @Nullable NewView installed;
    private long promiseIndex;
    private boolean promised = true;
    private List<Numbered> missing = List.of();

    ViewChanging(
            ReplicaConfig config,
            Memory memory,
            View view,
            SlotLog log,
            ViewHistory history,
            BatchStore batches,
            Execution execution,
            Checkpoints checkpoints,
            Outbox outbox,
            Host host) {
        this.view = view;
        this.log = log;
        this.history = history;
        this.batches = batches;
        this.checkpoints = checkpoints;
        this.outbox = outbox;
        this.host = host;
        own = memory.viewChange();
        installed = memory.newView();
        ViewGroup group = config.group();
        long timeoutMillis = config.timers().requestMillis();
        Decision.Bodies bodies = (n, digest) -> n <= execution.executed() || batches.isComplete(digest);
        changes = own == null
                ? new ViewChanges(group, config.self(), timeoutMillis, bodies)
                : ViewChanges.restarted(group, config.self(), timeoutMillis, bodies, own, installed);
    }

    ViewChanges changes() {
        return changes;
    }

    @Nullable
    ViewChange own() {
        return own;
    }

    @Nullable
    NewView installed() {
        return installed;
    }

    /** What this replica must have executed or fetched to go on: the low water mark, or where its view begins if that is later. */
    Numbered beginning(Numbered low) {
        NewView begun = installed;
        return begun != null
                        && view.isActiveIn(begun.view())
                        && begun.checkpoint().sequence() > low.sequence()
                ? begun.checkpoint()
                : low;
    }

    /** The batches that keep this replica, as the primary of the next view, from a decision. */
    List<Numbered> missing() {
        return missing;
    }

    /** Does nothing in any other view than the suspected. */
    void suspect(long nowMillis, long suspected) {
        carryOut(nowMillis, changes.suspect(suspected));
    }

    void onMessage(long nowMillis, int from, ReplicaMessage message) {
        carryOut(nowMillis, changes.onMessage(nowMillis, from, message));
    }

    void onTick(long nowMillis) {
        carryOut(nowMillis, changes.onTick(nowMillis));
    }

    /** What lies above a number is not known to be right. */
    void discardAbove(long sequence) {
        history.discardAbove(sequence);
    }

    /** The view of the disk is forged: back to that of the others. */
    void returnTo(long nowMillis, long others) {
        if (others == 0) {
            own = null;
            installed = null;
            promised = true;
            changes.restart();
            view.enter(0);
        } else {
            carryOut(nowMillis, changes.returnTo(others));
        }
    }

    /** Bodies or batches may have come. */
    void onBodies(long nowMillis) {
        for (Numbered each : missing) {
            if (batches.isComplete(each.digest())) {
                carryOut(nowMillis, changes.onBodies(nowMillis));
                return;
            }
        }
    }

    /** Something is durable: perhaps the VIEW-CHANGE or the NEW-VIEW that this replica waits for. */
    void onDurable(long nowMillis) {
        if (promised || !outbox.isDurable(promiseIndex)) {
            return;
        }
        promised = true;
        if (own != null && own.view() == view.number() && !view.isActive()) {
            if (installed == null || installed.view() != view.number()) {
                carryOut(nowMillis, changes.entered(nowMillis, own));
            } else {
                carryOut(nowMillis, changes.installed(installed));
                view.enter(installed.view());
                host.onEntered(nowMillis, installed);
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

    private void leave(long next) {
        missing = List.of();
        view.leaveFor(next);
        log.all().forEach(Slot::leaveView);
        own = history.tell(next, checkpoints.held(log.high()));
        batches.retain(Memory.live(log, history)); // what was proposed in vain goes
        promise(new LogRecord.ViewChange(own));
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
