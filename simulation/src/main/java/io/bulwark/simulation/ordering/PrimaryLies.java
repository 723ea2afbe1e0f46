package io.bulwark.simulation.ordering;

import io.bulwark.protocol.id.PrincipalId;
import io.bulwark.protocol.ordering.message.Batch;
import io.bulwark.protocol.ordering.message.ReplicaMessage;
import io.bulwark.protocol.ordering.message.ReplicaMessage.PrePrepare;
import io.bulwark.protocol.ordering.message.ReplicaMessage.Prepare;
import io.bulwark.protocol.ordering.message.ReplicaMessage.RequestEcho;
import io.bulwark.protocol.ordering.message.RequestId;
import io.bulwark.protocol.wire.Bytes;
import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.Deque;
import java.util.EnumSet;
import java.util.List;
import java.util.Set;
import java.util.random.RandomGenerator;

/**
 * Lies without a contradiction. A primary leaves out one client, prefers one client's requests, or delays each batch as
 * long as the timers allow. Or it has one request executed again and again. A replica keeps the others busy with its
 * requests (the attacks of Prime, Aardvark and RBFT).
 */
final class PrimaryLies {
    private enum Lie {
        LEAVES_OUT,
        PREFERS,
        AS_LATE_AS_POSSIBLE,
        REPEATS,
        FETCHES
    }

    /** Less than the first timer of a request; others have longer ones. */
    private static final int LATE_MILLIS = 550;

    private static final int FETCHES = 10;

    /** Number of sequence numbers that are filled with the same request at a time. */
    private static final int AHEAD = 12;

    private record DelayedMessage(long untilMillis, int to, ReplicaMessage message) {}

    private final OrderingWorld world;
    private final int self;
    private final OrderingPlot plot;
    private final RandomGenerator random;
    private final Set<Lie> active = EnumSet.noneOf(Lie.class);
    private final Deque<DelayedMessage> held = new ArrayDeque<>();
    private PrincipalId client = PrincipalId.client(0);
    private int lateMillis;
    private Bytes digest = Batch.NULL_DIGEST;
    private List<RequestId> requests = List.of();
    private List<RequestId> repeated = List.of();

    PrimaryLies(OrderingWorld world, int self, OrderingPlot plot, RandomGenerator random) {
        this.world = world;
        this.self = self;
        this.plot = plot;
        this.random = random;
        change();
    }

    void change() {
        active.clear();
        repeated = List.of();
        client = PrincipalId.client(random.nextInt(OrderingClients.CLIENTS));
        lateMillis = 1 + random.nextInt(LATE_MILLIS);
        for (Lie lie : Lie.values()) {
            if (random.nextInt(6) == 0) {
                active.add(lie);
            }
        }
    }

    /** The batch that all are shown. */
    PrePrepare ordered(int to, PrePrepare pre) {
        if (active.contains(Lie.REPEATS) && !pre.batch().requests().isEmpty()) {
            return repeats(to, pre);
        }
        if (!active.contains(Lie.LEAVES_OUT) && !active.contains(Lie.PREFERS)) {
            return pre;
        }
        Batch batch = plot.inPlaceOf(pre.view(), pre.sequence(), to, selected(pre.batch()));
        return new PrePrepare(pre.view(), pre.sequence(), batch);
    }

    /** The first request is in each batch from now on, twice in some, and in numbers that the primary has yet to give. */
    private PrePrepare repeats(int to, PrePrepare pre) {
        Batch batch = pre.batch();
        if (repeated.isEmpty()) {
            repeated = batch.requests().subList(0, 1);
        }
        for (long number = pre.sequence() + 1; number <= pre.sequence() + AHEAD; number++) {
            Batch again = new Batch(batch.millis(), repeated);
            world.transmit(self, to, new PrePrepare(pre.view(), number, plot.inPlaceOf(pre.view(), number, to, again)));
        }
        List<RequestId> twice = new ArrayList<>(batch.requests());
        twice.set(twice.size() - 1, repeated.getFirst());
        return new PrePrepare(
                pre.view(),
                pre.sequence(),
                plot.inPlaceOf(pre.view(), pre.sequence(), to, new Batch(batch.millis(), twice)));
    }

    private Batch selected(Batch batch) {
        boolean prefers = active.contains(Lie.PREFERS) && hasClient(batch);
        List<RequestId> some = batch.requests().stream()
                .filter(id -> id.client().equals(client) == prefers)
                .toList();
        return some.isEmpty() ? Batch.NULL : new Batch(batch.millis(), some);
    }

    private boolean hasClient(Batch batch) {
        return batch.requests().stream().anyMatch(id -> id.client().equals(client));
    }

    /** Returns whether the message is kept for later. */
    boolean holds(int to, ReplicaMessage message) {
        boolean isLate = active.contains(Lie.AS_LATE_AS_POSSIBLE)
                && message instanceof PrePrepare pre
                && !(active.contains(Lie.PREFERS) && hasClient(pre.batch()));
        if (isLate) {
            held.add(new DelayedMessage(world.simulation().nowMillis() + lateMillis, to, message));
        }
        return isLate;
    }

    /** Sends the messages that were kept long enough. */
    void release() {
        while (!held.isEmpty()
                && held.getFirst().untilMillis() <= world.simulation().nowMillis()) {
            DelayedMessage first = held.removeFirst();
            world.transmit(self, first.to(), first.message());
        }
    }

    void heard(int from, ReplicaMessage message) {
        release();
        switch (message) {
            case Prepare prepare -> digest = prepare.digest();
            case RequestEcho vouch -> requests = vouch.requests();
            case ReplicaMessage.Status status
            when active.contains(Lie.FETCHES) -> {
                for (int i = 0; i < FETCHES; i++) {
                    world.transmit(self, from, question(status.view()));
                }
            }
            default -> {}
        }
    }

    private ReplicaMessage question(long view) {
        return switch (random.nextInt(5)) {
            case 0 -> new ReplicaMessage.FetchBatch(digest);
            case 1 -> new ReplicaMessage.FetchRequests(requests);
            case 2 ->
                new ReplicaMessage.FetchViewChange(
                        view, random.nextInt(world.nodes().size()), digest);
            case 3 -> new ReplicaMessage.QueryStable(random.nextLong());
            default -> new ReplicaMessage.Fetch(random.nextLong(), List.of(digest, Batch.NULL_DIGEST));
        };
    }

    @Override
    public String toString() {
        return active.toString();
    }
}
