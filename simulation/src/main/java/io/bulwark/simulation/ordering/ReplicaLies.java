package io.bulwark.simulation.ordering;

import io.bulwark.protocol.ordering.OrderingMessage;
import io.bulwark.protocol.ordering.message.Batch;
import io.bulwark.protocol.ordering.message.ReplicaMessage;
import io.bulwark.protocol.ordering.message.ReplicaMessage.BatchBody;
import io.bulwark.protocol.ordering.message.ReplicaMessage.Checkpoint;
import io.bulwark.protocol.ordering.message.ReplicaMessage.Commit;
import io.bulwark.protocol.ordering.message.ReplicaMessage.Executed;
import io.bulwark.protocol.ordering.message.ReplicaMessage.FetchBatch;
import io.bulwark.protocol.ordering.message.ReplicaMessage.FetchRequests;
import io.bulwark.protocol.ordering.message.ReplicaMessage.NewView;
import io.bulwark.protocol.ordering.message.ReplicaMessage.Pages;
import io.bulwark.protocol.ordering.message.ReplicaMessage.PrePrepare;
import io.bulwark.protocol.ordering.message.ReplicaMessage.Prepare;
import io.bulwark.protocol.ordering.message.ReplicaMessage.RecoveryReply;
import io.bulwark.protocol.ordering.message.ReplicaMessage.ReplyStable;
import io.bulwark.protocol.ordering.message.ReplicaMessage.RequestBodies;
import io.bulwark.protocol.ordering.message.ReplicaMessage.RequestEcho;
import io.bulwark.protocol.ordering.message.ReplicaMessage.RequestReady;
import io.bulwark.protocol.ordering.message.ReplicaMessage.Status;
import io.bulwark.protocol.ordering.message.ReplicaMessage.ViewChange;
import io.bulwark.protocol.ordering.message.ReplicaMessage.ViewChangeAck;
import io.bulwark.protocol.ordering.message.Request;
import io.bulwark.protocol.ordering.message.RequestId;
import io.bulwark.protocol.wire.Bytes;
import java.util.ArrayList;
import java.util.EnumSet;
import java.util.List;
import java.util.Set;
import java.util.random.RandomGenerator;

/**
 * Behaviour of a faulty replica: a few kinds of lies at a time, which change. The production replica runs behind it.
 */
final class ReplicaLies {
    private enum Lie {
        SILENT,
        SILENT_TO_SOME,
        EQUIVOCATION,
        FORGERY,
        VOTES,
        CHECKPOINTS,
        EXECUTED,
        VIEW_CHANGES,
        NEW_VIEWS,
        VIEWS_TOO_EARLY,
        STATUS,
        BODIES,
        VOUCHES,
        RECOVERIES,
        PAGES,
        REPLIES,
        WITHHELD_REPLIES,
        REPLAY
    }

    private static final int CHANGE_ONE_IN = 300;
    private static final int REMEMBERED = 100;

    /** Value that nobody has written. */
    private static final long FALSE_VALUE = -13;

    private final OrderingWorld world;
    private final int self;
    private final OrderingPlot plot;
    private final ViewChangeLies falseViews;
    private final PrimaryLies primaryLies;
    private final OldNumberLies earlierNumbers;
    private final SingleBackupLies loneBackups;
    private final RandomGenerator random;
    private final Set<Lie> active = EnumSet.noneOf(Lie.class);
    private final List<ReplicaMessage> remembered = new ArrayList<>();
    private final int changeOneIn;
    private int salt;
    private boolean ended;

    ReplicaLies(OrderingWorld world, int self, OrderingPlot plot, RandomGenerator random) {
        this.world = world;
        this.self = self;
        this.plot = plot;
        this.random = random;
        this.falseViews = new ViewChangeLies(plot, random);
        this.primaryLies = new PrimaryLies(world, self, plot, world.primaryRandom());
        this.earlierNumbers = new OldNumberLies(world, world.intruderRandom());
        this.loneBackups = new SingleBackupLies(world, self, plot, world.loneRandom());
        this.changeOneIn = random.nextBoolean() ? CHANGE_ONE_IN : Integer.MAX_VALUE;
        change();
    }

    private void change() {
        active.clear();
        salt = random.nextInt(2);
        for (Lie lie : Lie.values()) {
            boolean rarely = lie == Lie.SILENT || lie == Lie.SILENT_TO_SOME;
            if (random.nextInt(rarely ? 12 : 3) == 0) {
                active.add(lie);
            }
        }
    }

    /** Switches to correct code from now on; earlier messages remain valid. */
    void end() {
        ended = true;
    }

    boolean isOver() {
        return ended;
    }

    /** Returns the messages that are sent instead of a message. */
    List<ReplicaMessage> alter(int to, ReplicaMessage message) {
        if (ended) {
            return List.of(message);
        }
        primaryLies.release();
        if (random.nextInt(changeOneIn) == 0) {
            change();
            primaryLies.change();
        }
        if (active.contains(Lie.SILENT) || (active.contains(Lie.SILENT_TO_SOME) && (to + salt) % 2 == 0)) {
            return List.of();
        }
        List<ReplicaMessage> sent = new ArrayList<>();
        sent.addAll(loneBackups.shown(to, changed(to, message)));
        if (message instanceof RequestEcho vouch && world.hasMoreThanOneFault() && lies(Lie.VOUCHES)) {
            sent.add(new RequestReady(withForgery(vouch.requests())));
        }
        if (remembered.size() < REMEMBERED) {
            remembered.add(message);
        } else {
            remembered.set(random.nextInt(REMEMBERED), message);
        }
        if (lies(Lie.REPLAY)) {
            sent.add(remembered.get(random.nextInt(remembered.size())));
        }
        earlierNumbers.after(self, to, message);
        sent.removeIf(each -> primaryLies.holds(to, each));
        return sent;
    }

    /** Returns the reply sent to a client. All faulty replicas send the same one. */
    OrderingMessage.Reply alter(OrderingMessage.Reply reply) {
        return ended || !lies(Lie.REPLIES)
                ? reply
                : new OrderingMessage.Reply(
                        reply.call(), reply.incarnation(), RegisterState.falseReply(reply.reply(), FALSE_VALUE));
    }

    /** It sends its digest, although it is to send the whole reply. */
    boolean isWithholding() {
        return !ended && lies(Lie.WITHHELD_REPLIES);
    }

    private ReplicaMessage changed(int to, ReplicaMessage message) {
        return switch (message) {
            case PrePrepare pre
            when active.contains(Lie.FORGERY) && pre.sequence() % 2 == 0 ->
                instead(to, pre, plot.withForgery(pre.view(), pre.sequence(), to, pre.batch()));
            case PrePrepare pre
            when lies(Lie.EQUIVOCATION) -> instead(to, pre, plot.variant(pre.view(), pre.sequence(), to, pre.batch()));
            case PrePrepare pre -> primaryLies.ordered(to, pre);
            case Prepare prepare ->
                new Prepare(
                        prepare.view(),
                        prepare.sequence(),
                        vote(to, prepare.view(), prepare.sequence(), prepare.digest()));
            case Commit commit ->
                new Commit(
                        commit.view(), commit.sequence(), vote(to, commit.view(), commit.sequence(), commit.digest()));
            case Executed executed when lies(Lie.EXECUTED) -> falseClaim(executed.first());
            case Checkpoint checkpoint
            when lies(Lie.CHECKPOINTS) ->
                new Checkpoint(checkpoint.sequence(), plot.falseDigest(checkpoint.sequence()));
            case ViewChange change when lies(Lie.VIEW_CHANGES) -> falseViews.of(change, world.logSize());
            case ViewChangeAck ack
            when lies(Lie.VIEW_CHANGES) -> new ViewChangeAck(ack.view(), ack.replica(), plot.falseDigest(ack.view()));
            case NewView newView when lies(Lie.NEW_VIEWS) -> falseViews.of(newView);
            case Status status when lies(Lie.STATUS) -> status(status);
            case BatchBody body when lies(Lie.BODIES) -> new BatchBody(plot.variant(body.batch()));
            case RequestBodies bodies when lies(Lie.BODIES) -> bodies(bodies);
            case RequestEcho vouch when lies(Lie.VOUCHES) -> new RequestEcho(withForgery(vouch.requests()));
            case RequestReady ready when lies(Lie.VOUCHES) -> new RequestReady(withForgery(ready.requests()));
            case ReplyStable reply when lies(Lie.RECOVERIES) -> stable(reply);
            case RecoveryReply reply
            when lies(Lie.RECOVERIES) ->
                new RecoveryReply(
                        reply.call(),
                        random.nextBoolean(),
                        reply.sequence() + random.nextInt(3),
                        random.nextInt(3) == 0 ? Integer.MAX_VALUE : reply.view());
            case Pages pages when lies(Lie.PAGES) -> new Pages(pages.token(), falsePages(pages.pages()));
            default -> message;
        };
    }

    private List<RequestId> withForgery(List<RequestId> ids) {
        List<RequestId> more = new ArrayList<>(ids);
        more.add(plot.forge());
        return more;
    }

    /** Wrong ones, none that it would have, or fewer. */
    private List<Bytes> falsePages(List<Bytes> pages) {
        return switch (random.nextInt(4)) {
            case 0 -> pages.stream().map(_ -> plot.falseDigest(0)).toList();
            case 1 -> pages.stream().map(_ -> Bytes.EMPTY).toList();
            case 2 -> List.of();
            default -> pages.subList(0, pages.size() / 2);
        };
    }

    private ReplyStable stable(ReplyStable reply) {
        long other = world.logSize() * (long) random.nextInt(4);
        return switch (random.nextInt(3)) {
            case 0 -> new ReplyStable(reply.round(), 0, 0, reply.nonce());
            case 1 -> new ReplyStable(reply.round(), reply.checkpoint() + other, Long.MAX_VALUE, reply.nonce());
            default ->
                new ReplyStable(
                        reply.round(),
                        other,
                        reply.prepared(),
                        plot.falseDigest(0).slice(0, 16));
        };
    }

    private boolean lies(Lie lie) {
        return active.contains(lie) && random.nextInt(3) != 0;
    }

    /** Another batch for this one, and the votes of all faulty replicas for it. */
    private PrePrepare instead(int to, PrePrepare pre, Batch batch) {
        PrePrepare other = new PrePrepare(pre.view(), pre.sequence(), batch);
        Bytes digest = other.batch().digest();
        for (int liar : world.liars()) {
            world.transmit(liar, to, new Prepare(pre.view(), pre.sequence(), digest));
            world.transmit(liar, to, new Commit(pre.view(), pre.sequence(), digest));
        }
        return other;
    }

    private Bytes vote(int to, long view, long number, Bytes digest) {
        Bytes shown = plot.shown(view, number, to);
        if (shown != null) {
            return shown;
        }
        return lies(Lie.VOTES) ? plot.falseDigest(number) : digest;
    }

    private Executed falseClaim(long number) {
        return new Executed(number, List.of(plot.falseDigest(number), plot.falseDigest(number + 1)));
    }

    private Status status(Status status) {
        return switch (random.nextInt(4)) {
            case 0 ->
                new Status(
                        status.view() + random.nextInt(3),
                        random.nextBoolean(),
                        0,
                        0,
                        Bytes.EMPTY,
                        Bytes.EMPTY,
                        0,
                        false);
            case 1 ->
                new Status(
                        Math.max(0, status.view() - 1),
                        false,
                        status.stable(),
                        status.executed(),
                        Bytes.EMPTY,
                        Bytes.EMPTY,
                        0,
                        false);
            case 2 ->
                new Status(
                        status.view(),
                        true,
                        Long.MAX_VALUE,
                        Long.MAX_VALUE,
                        status.prepared(),
                        status.prePrepared(),
                        -1,
                        true);
            default ->
                new Status(
                        status.view(),
                        status.inView(),
                        status.stable(),
                        status.executed() + 3,
                        status.prePrepared(),
                        status.prepared(),
                        status.viewChanges(),
                        status.newView());
        };
    }

    private static RequestBodies bodies(RequestBodies bodies) {
        List<Request> others = new ArrayList<>();
        for (Request request : bodies.requests()) {
            Bytes operation = new RegisterOperation(request.call(), 0, 13).encode();
            others.add(new Request(request.client(), request.call(), request.query(), operation));
        }
        return new RequestBodies(others);
    }

    /** Adds lies to the messages of others. */
    void heard(int from, ReplicaMessage message) {
        if (ended) {
            return;
        }
        primaryLies.heard(from, message);
        loneBackups.heard(from, message);
        switch (message) {
            case FetchBatch fetch -> {
                Batch batch = plot.batch(fetch.digest());
                if (batch != null) {
                    world.transmit(self, from, new BatchBody(batch));
                }
            }
            case FetchRequests fetch -> {
                List<Request> bodies = plot.forged(fetch.requests());
                if (!bodies.isEmpty()) {
                    world.transmit(self, from, new RequestBodies(bodies));
                }
            }
            case Status status
            when active.contains(Lie.VIEWS_TOO_EARLY) && random.nextInt(10) == 0 ->
                world.transmit(self, from, falseViews.early(status, world.logSize()));
            case Executed executed
            when lies(Lie.EXECUTED) ->
                world.transmit(
                        self,
                        from,
                        falseClaim(executed.first() + executed.digests().size()));
            default -> {}
        }
    }

    @Override
    public String toString() {
        return "replica " + self + " lies: " + active + ", " + primaryLies;
    }
}
