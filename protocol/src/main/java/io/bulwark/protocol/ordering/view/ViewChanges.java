package io.bulwark.protocol.ordering.view;

import io.bulwark.protocol.ordering.message.ReplicaMessage;
import io.bulwark.protocol.ordering.message.ReplicaMessage.FetchViewChange;
import io.bulwark.protocol.ordering.message.ReplicaMessage.ForwardedViewChange;
import io.bulwark.protocol.ordering.message.ReplicaMessage.NewView;
import io.bulwark.protocol.ordering.message.ReplicaMessage.Status;
import io.bulwark.protocol.ordering.message.ReplicaMessage.Support;
import io.bulwark.protocol.ordering.message.ReplicaMessage.ViewChange;
import io.bulwark.protocol.ordering.message.ReplicaMessage.ViewChangeAck;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.Objects;
import java.util.stream.IntStream;
import org.jspecify.annotations.Nullable;

/**
 * One replica's side of the view change protocol (proactive recovery paper, section 4.5; docs/ordering). It tracks the
 * view that the replica is in or asks for. The replica provides the content of the VIEW-CHANGE ({@link ViewHistory}),
 * and makes its promise durable before it continues here.
 *
 * <p>A correct replica sends one VIEW-CHANGE for a view, so of each peer at most two are kept: that of this view, and
 * the first one of the latest view above it.
 *
 * <pre>
 * from        to          when
 * any         LEAVING     the primary is suspected, or f+1 others ask for later views
 * LEAVING     OPEN        the own VIEW-CHANGE is on disk: it is sent to all
 * OPEN        INSTALLING  the primary has decided; a backup has checked NEW-VIEW against its VIEW-CHANGEs
 * OPEN        LEAVING     for the next view: NEW-VIEW is wrong, or late after 2f+1 have asked for the view
 * INSTALLING  ACTIVE      NEW-VIEW is on disk: the primary sends it to all
 * </pre>
 */
public final class ViewChanges {
    /** Interval between requests for a message that a NEW-VIEW names and that is not here. */
    static final long FETCH_MILLIS = 100;

    /** A primary that has had its view for so many first timeouts gives it up to a single replica that waits ahead. */
    static final int YIELD_TIMEOUTS = 30;

    private static final int DOUBLINGS_MAX = 5;

    private enum Phase {
        /** The own VIEW-CHANGE is not durable yet. */
        LEAVING,
        OPEN,
        /** The NEW-VIEW is right, and not durable yet. */
        INSTALLING,
        ACTIVE
    }

    private final ViewGroup group;
    private final int self;
    private final long timeoutMillis;
    private final Decision.Bodies bodies;
    private final ViewChangeSet messages;
    private final ViewAnswers answers;
    private final @Nullable ViewChange[] later;
    private Phase phase;
    private long view;
    private @Nullable NewView newView;
    /** Views that were left without progress, but the first; -1 after progress. */
    private int failed = -1;

    /** Since when the view is active, as far as its primary has looked; negative if it has not. */
    private long activeMillis = -1;

    private long deadlineMillis = Long.MAX_VALUE;
    private long fetchAtMillis = Long.MAX_VALUE;
    private Decision.@Nullable Undecided told;
    /** Last view for which this replica's messages of an earlier life are lost, or are no longer valid. */
    private long lost = -1;

    private boolean hopeless;

    /**
     * A replica that has just begun, in view 0.
     *
     * @param timeoutMillis how long the first new view after some progress may take; each failed one doubles it
     */
    public ViewChanges(ViewGroup group, int self, long timeoutMillis, Decision.Bodies bodies) {
        this.group = group;
        this.self = self;
        this.timeoutMillis = timeoutMillis;
        this.bodies = bodies;
        messages = new ViewChangeSet(group, self);
        answers = new ViewAnswers(group, self, messages);
        later = new ViewChange[group.replicas()];
        phase = Phase.ACTIVE;
    }

    /**
     * A replica that has started again.
     *
     * @param own its last durable VIEW-CHANGE
     * @param installed the last NEW-VIEW that it made durable, if any
     */
    public static ViewChanges restarted(
            ViewGroup group,
            int self,
            long timeoutMillis,
            Decision.Bodies bodies,
            ViewChange own,
            @Nullable NewView installed) {
        ViewChanges changes = new ViewChanges(group, self, timeoutMillis, bodies);
        changes.view = own.view();
        changes.lost = own.view(); // an earlier life may have said more of it
        changes.messages.begin(own);
        long last = installed == null ? 0 : installed.view();
        if (last == own.view()) {
            changes.failed = 0;
            changes.newView = installed;
        } else {
            changes.phase = Phase.OPEN;
            changes.failed = (int) Math.min(own.view() - last - 1, DOUBLINGS_MAX);
        }
        return changes;
    }

    /** The view that the replica is in, or asks for. */
    public long view() {
        return view;
    }

    /** Returns whether the replica takes part in its view; otherwise a view change is open. */
    public boolean isActive() {
        return phase == Phase.ACTIVE;
    }

    public int primary() {
        return group.primary(view);
    }

    /** For STATUS: bit i, the VIEW-CHANGE of replica i for this view is here. */
    public long viewChanges() {
        return messages.presentReplicas();
    }

    /** For STATUS: the NEW-VIEW of this view is here. */
    public boolean hasNewView() {
        return newView != null;
    }

    /** Returns how long a view may now take without progress; for the timers of requests too. */
    public long timeoutMillis() {
        return timeoutMillis << Math.max(failed, 0);
    }

    /** A request was executed in the active view: later view changes start with the first timeout again. */
    public void onProgress() {
        failed = -1;
    }

    /** The replica suspects the primary of this view: ask for the next. Does nothing in any other view. */
    public List<ViewStep> suspect(long suspected) {
        return suspected == view ? leaveTo(view + 1) : List.of();
    }

    /**
     * Gives up this open view. The next is asked for once 2f+1 ask for it: f correct others are one view behind at
     * most.
     */
    public List<ViewStep> giveUp(long nowMillis) {
        hopeless = true;
        phase = phase == Phase.INSTALLING ? Phase.OPEN : phase;
        return onBodies(nowMillis);
    }

    /**
     * Returns whether this replica, as the primary, should give its view up: another replica waits ahead, since it was
     * starved when it suspected the primary. That replica promised not to vote in this view again. A liar can ask, too,
     * so a view lasts for a minimum time. Called at least every 100 ms.
     */
    public boolean mustYield(long nowMillis) {
        if (!isActive() || self != primary()) {
            return false;
        }
        activeMillis = activeMillis < 0 ? nowMillis : activeMillis;
        boolean awaited = Arrays.stream(later).anyMatch(Objects::nonNull);
        return awaited && nowMillis - activeMillis >= YIELD_TIMEOUTS * timeoutMillis;
    }

    /** The VIEW-CHANGE for the view that {@link ViewStep.Leave} named is durable. */
    public List<ViewStep> onEntered(long nowMillis, ViewChange own) {
        if (phase != Phase.LEAVING || own.view() != view) {
            return List.of();
        }
        if (!ViewChecks.isPlausible(group, own)) {
            throw new IllegalArgumentException("not a VIEW-CHANGE that others would take: view " + own.view());
        }
        phase = Phase.OPEN;
        messages.begin(own);
        List<ViewStep> steps = new ArrayList<>();
        sendToAll(own, steps);
        for (int replica = 0; replica < later.length; replica++) {
            ViewChange message = later[replica];
            if (message != null && message.view() <= view) {
                later[replica] = null;
                if (message.view() == view) {
                    take(replica, message, steps);
                }
            }
        }
        advance(nowMillis, steps);
        return steps;
    }

    /** The NEW-VIEW that {@link ViewStep.Install} brought is durable. */
    public List<ViewStep> installed(NewView durable) {
        if (phase != Phase.INSTALLING || !durable.equals(newView)) {
            return List.of();
        }
        phase = Phase.ACTIVE;
        deadlineMillis = Long.MAX_VALUE;
        List<ViewStep> steps = new ArrayList<>();
        if (self == primary()) {
            sendToAll(durable, steps);
        }
        return steps;
    }

    /** A batch has come that was missing. */
    public List<ViewStep> onBodies(long nowMillis) {
        List<ViewStep> steps = new ArrayList<>();
        advance(nowMillis, steps);
        return steps;
    }

    public List<ViewStep> onMessage(long nowMillis, int from, ReplicaMessage message) {
        List<ViewStep> steps = new ArrayList<>();
        if (from == self || from < 0 || from >= group.replicas()) {
            return steps;
        }
        switch (message) {
            case ViewChange change -> onViewChange(from, change, steps);
            case ViewChangeAck ack -> messages.acknowledge(from, ack);
            case NewView decided -> onNewView(nowMillis, from, decided, steps);
            case FetchViewChange fetch when fetch.view() == view -> answers.onFetch(nowMillis, from, fetch, steps);
            case ForwardedViewChange forwarded -> onForwarded(from, forwarded, steps);
            case Status status -> answers.onStatus(nowMillis, from, status, view, isActive() ? newView : null, steps);
            default -> {}
        }
        advance(nowMillis, steps);
        return steps;
    }

    /** Called at least every 100 ms. */
    public List<ViewStep> onTick(long nowMillis) {
        return phase == Phase.OPEN && nowMillis >= deadlineMillis ? leaveTo(view + 1) : onBodies(nowMillis);
    }

    /**
     * The keys shared with this replica are new: while a view change is open, what came from it under the old ones
     * counts no more. It sends it again when it learns from STATUS that it is missing.
     */
    public void onKeyChange(int peer) {
        later[peer] = null;
        messages.forgetAcks(peer);
        if (phase == Phase.OPEN || phase == Phase.LEAVING) {
            messages.forget(peer);
            if (peer == primary()) {
                newView = null;
            }
        }
    }

    /**
     * Marks this replica's messages of an earlier life as lost. A NEW-VIEW may name them, and need not name its present
     * ones.
     */
    public void forget() {
        lost = Long.MAX_VALUE;
    }

    /** From now on the VIEW-CHANGE for this view says less than before; a NEW-VIEW may name the one of before. */
    public void amend(ViewChange own) {
        lost = Math.max(lost, own.view());
        if (phase != Phase.LEAVING) {
            messages.amend(own);
        }
    }

    /** Restarts as a replica that has just begun. */
    public void restart() {
        leaveTo(0);
        phase = Phase.ACTIVE;
        failed = -1;
        lost = 0;
    }

    /**
     * Returns a recovering replica from a forged view to that of the others. A NEW-VIEW of a later view names none of
     * its earlier messages.
     */
    public List<ViewStep> returnTo(long earlier) {
        restart();
        List<ViewStep> steps = leaveTo(earlier);
        lost = earlier;
        failed = 0;
        return steps;
    }

    private List<ViewStep> leaveTo(long next) {
        if (next < 0) {
            return List.of(); // there is none after the last
        }
        failed = (int) Math.min(failed + next - view, DOUBLINGS_MAX);
        view = next;
        phase = Phase.LEAVING;
        hopeless = false;
        activeMillis = -1;
        newView = null;
        told = null;
        deadlineMillis = Long.MAX_VALUE;
        fetchAtMillis = Long.MAX_VALUE;
        messages.clear();
        return List.of(new ViewStep.Leave(next));
    }

    private void onViewChange(int from, ViewChange message, List<ViewStep> steps) {
        if (message.view() < view) {
            return;
        }
        if (!ViewChecks.isPlausible(group, message)) {
            steps.add(new ViewStep.Misbehaved(from, "a VIEW-CHANGE that no correct replica sends"));
            return;
        }
        if (message.view() == view && phase != Phase.LEAVING) {
            if (phase != Phase.ACTIVE) {
                take(from, message, steps);
            }
            return;
        }
        ViewChange before = later[from];
        if (before == null || before.view() < message.view()) {
            later[from] = message;
        }
    }

    /** Backups acknowledge each VIEW-CHANGE of the view to its primary. */
    private void take(int from, ViewChange message, List<ViewStep> steps) {
        if (messages.add(from, message) && self != primary()) {
            messages.ackOf(from).ifPresent(ack -> steps.add(new ViewStep.Send(primary(), ack)));
        }
    }

    private void onNewView(long nowMillis, int from, NewView message, List<ViewStep> steps) {
        if (message.view() != view || from != primary() || newView != null || isActive()) {
            return;
        }
        if (!ViewChecks.isPlausible(group, message)) {
            steps.add(new ViewStep.Misbehaved(from, "a NEW-VIEW that no correct replica sends"));
            return;
        }
        newView = message;
        fetchAtMillis = nowMillis;
    }

    private void onForwarded(int from, ForwardedViewChange forwarded, List<ViewStep> steps) {
        int replica = forwarded.replica();
        if (replica == from) {
            onViewChange(from, forwarded.viewChange(), steps);
        } else if (phase == Phase.OPEN
                && newView != null
                && replica >= 0
                && replica < group.replicas()
                && forwarded.viewChange().view() == view) {
            messages.offer(newView, replica, forwarded.viewChange());
        }
    }

    private void advance(long nowMillis, List<ViewStep> steps) {
        long joined = ViewChecks.joinable(group, later);
        if (joined > view) {
            steps.addAll(leaveTo(joined));
            return;
        }
        if (phase != Phase.OPEN) {
            return;
        }
        boolean asked = askingCount() >= group.quorum();
        if (deadlineMillis == Long.MAX_VALUE && asked) {
            deadlineMillis = nowMillis + timeoutMillis();
        }
        if (hopeless) {
            steps.addAll(asked ? leaveTo(view + 1) : List.of());
        } else if (self == primary()) {
            decide(steps);
        } else if (newView != null) {
            check(nowMillis, newView, steps);
        }
    }

    /** Returns the number of replicas, including this one, that have asked for this view or a later one. */
    private int askingCount() {
        return (int) IntStream.range(0, later.length)
                .filter(replica -> messages.has(replica) || later[replica] != null)
                .count();
    }

    private void decide(List<ViewStep> steps) {
        Decision decision = new Decision(group);
        List<Support> support = messages.support();
        if (support.size() < group.quorum()) {
            return;
        }
        support.forEach(entry -> messages.find(entry.replica(), entry.digest()).ifPresent(decision::add));
        // If a view made no progress, some replicas may accept no further fresh batch for the numbers left free
        // (ViewHistory).
        switch (decision.decide(bodies, failed > 0)) {
            case Decision.Decided decided -> {
                newView = new NewView(view, support, decided.checkpoint(), decided.chosen());
                install(newView, steps);
            }
            case Decision.Undecided undecided -> {
                if (!undecided.missing().isEmpty() && !undecided.equals(told)) {
                    told = undecided;
                    steps.add(new ViewStep.Missing(undecided.missing()));
                }
            }
        }
    }

    /** A backup checks a NEW-VIEW as soon as it has the VIEW-CHANGE for each pair in V. */
    private void check(long nowMillis, NewView message, List<ViewStep> steps) {
        Decision decision = new Decision(group);
        List<Support> absent = new ArrayList<>();
        for (Support named : message.support()) {
            boolean isLost = view <= lost && named.replica() == self;
            if (!isLost && messages.isContradictory(named, primary())) {
                reject(nowMillis, "a NEW-VIEW that names what this replica or the primary never sent", steps);
                return;
            }
            messages.proven(named, primary()).ifPresentOrElse(decision::add, () -> absent.add(named));
        }
        if (!absent.isEmpty()) {
            if (nowMillis >= fetchAtMillis) {
                fetchAtMillis = nowMillis + FETCH_MILLIS;
                absent.forEach(named -> sendToAll(new FetchViewChange(view, named.replica(), named.digest()), steps));
            }
        } else if (decision.supports(message.checkpoint(), message.chosen())) {
            install(message, steps);
        } else {
            reject(nowMillis, "a NEW-VIEW that its VIEW-CHANGEs do not support", steps);
        }
    }

    /**
     * Rejects the NEW-VIEW. In the paper "the replicas move immediately to view v + 2", but here never one of them
     * alone: a lone one relies on a liar only.
     */
    private void reject(long nowMillis, String why, List<ViewStep> steps) {
        steps.add(new ViewStep.Misbehaved(primary(), why));
        steps.addAll(giveUp(nowMillis));
    }

    private void install(NewView decided, List<ViewStep> steps) {
        phase = Phase.INSTALLING;
        steps.add(new ViewStep.Install(decided));
    }

    private void sendToAll(ReplicaMessage message, List<ViewStep> steps) {
        IntStream.range(0, group.replicas())
                .filter(replica -> replica != self)
                .forEach(replica -> steps.add(new ViewStep.Send(replica, message)));
    }
}
