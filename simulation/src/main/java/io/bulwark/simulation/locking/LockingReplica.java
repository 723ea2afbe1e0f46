package io.bulwark.simulation.locking;

import io.bulwark.protocol.effect.Effect;
import io.bulwark.protocol.effect.Mutation;
import io.bulwark.protocol.effect.ProtocolServer;
import io.bulwark.protocol.effect.Stored;
import io.bulwark.protocol.id.PrincipalId;
import io.bulwark.protocol.locking.LockView;
import io.bulwark.protocol.locking.LockingMessage;
import io.bulwark.protocol.locking.LogEffect;
import io.bulwark.protocol.locking.LogRefusal;
import io.bulwark.protocol.locking.LogServer;
import io.bulwark.protocol.metadata.ServerSubmissions;
import io.bulwark.protocol.ordering.OrderingMessage;
import io.bulwark.protocol.wire.Bytes;
import io.bulwark.protocol.wire.Message;
import io.bulwark.simulation.metadata.SimulatedReplica;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import java.util.Random;
import org.jspecify.annotations.Nullable;

/**
 * A replica and its log server, in one process. The log server begins as in production: once the state can be read (rule
 * 6) and it is known from which logs the store abstains (rule 11). Submissions come to the order late, or not at all.
 */
final class LockingReplica implements ProtocolServer {
    private static final long BEGINNING = -1;
    private static final int LOST_ONE_IN = 10;

    private final Place place;
    private final SimulatedReplica replica;
    private final LogDisk disk;
    private final Optional<LogLies> lies;
    private final Random random;

    /** The part of the order that was there when this life began. */
    private final int orderedBefore;

    private final List<Bytes> submissions = new ArrayList<>();
    private List<Effect> effects = new ArrayList<>();
    private @Nullable LogServer server;
    private boolean isBeginning;
    private boolean isBroken;

    /** Last token before the first one of this server, the last one handed over, and the last one that is durable. */
    private long base;

    private long handedOver;
    private long durable;

    /** Replicas of the configuration that the state is in. */
    private List<PrincipalId> members = List.of();

    private int seen = -1;
    private long lastDeletion = BEGINNING;

    /**
     * Where it belongs.
     *
     * @param first the replicas of the genesis
     */
    record Place(Bytes cluster, List<PrincipalId> first, PrincipalId self) {}

    /**
     * Begins a life.
     *
     * @param orderedBefore the length of the order now
     * @param lies empty if the log server is correct
     */
    LockingReplica(
            Place place, SimulatedReplica replica, LogDisk disk, int orderedBefore, Optional<LogLies> lies, long seed) {
        this.place = place;
        this.replica = replica;
        this.disk = disk;
        this.orderedBefore = orderedBefore;
        this.lies = lies;
        random = new Random(seed);
    }

    /** Returns whether its log server takes entries. */
    boolean isServing() {
        return server != null;
    }

    @Override
    public List<Effect> onMessage(long nowMillis, PrincipalId from, long requestId, Message message) {
        if (message instanceof LockingMessage.ToServer asked) {
            onLogMessage(from, requestId, asked);
        } else if (!(message instanceof OrderingMessage.Query) || replica.isReadable()) {
            effects.addAll(replica.onMessage(nowMillis, from, requestId, message));
        }
        return finish(nowMillis);
    }

    private void onLogMessage(PrincipalId from, long requestId, LockingMessage.ToServer asked) {
        lies.ifPresent(liar -> liar.onRequest(asked));
        LogServer current = begin();
        if (current == null) {
            long call = asked instanceof LockingMessage.LogRead read ? read.call() : LockingMessage.LogRefused.BATCH;
            carryOut(new LogEffect.Send(
                    from, requestId, new LockingMessage.LogRefused(asked.log(), call, LogRefusal.BEHIND, 0)));
        } else {
            current.onMessage(from, requestId, asked).forEach(this::carryOut);
        }
    }

    @Override
    public List<Effect> onTick(long nowMillis) {
        effects.addAll(replica.onTick(nowMillis));
        LogServer current = begin();
        if (current != null) {
            current.onTick(nowMillis).forEach(this::carryOut);
            current.onStable(replica.stableCommands()).forEach(this::carryOut);
            lies.ifPresent(
                    liar -> submissions.addAll(liar.attacks(replica.machine().locks(), place.self)));
        }
        submissions.forEach(replica::submit);
        submissions.clear();
        return finish(nowMillis);
    }

    @Override
    public List<Effect> onStored(long nowMillis, long token, Stored stored) {
        if (stored != Stored.DURABLE) {
            isBroken = true;
            server = null;
        } else if (token == BEGINNING) {
            isBeginning = false;
        } else if (token > 0) {
            durable = token;
            if (server != null && token > base) {
                server.onStored(nowMillis, token - base).forEach(this::carryOut);
            }
        }
        return finish(nowMillis);
    }

    private List<Effect> finish(long nowMillis) {
        LogServer current = begin();
        if (current != null) {
            current.onExecuted(nowMillis).forEach(this::carryOut);
        }
        List<Effect> finished = effects;
        effects = new ArrayList<>();
        return finished;
    }

    /** Ends the log server with the configuration, as in production. */
    private void follow() {
        if (replica.executed() != seen) {
            seen = replica.executed();
            List<PrincipalId> now = replica.machine().configuration().replicas();
            if (!now.equals(members)) {
                members = now;
                server = null;
            }
        }
    }

    private @Nullable LogServer begin() {
        follow();
        LockView view = replica.machine().locks();
        if (server != null
                || isBeginning
                || isBroken
                || durable < handedOver
                || !replica.isReadable()
                || !members.contains(place.self)) {
            return server;
        }
        if (disk.abstains().isPresent()) {
            base = handedOver;
            server = new LogServer(
                    new LogServer.Config(
                            place.cluster, members, place.self, disk.abstains().getAsLong()),
                    view,
                    new ServerSubmissions(),
                    disk.found());
        } else if (replica.executed() >= orderedBefore) {
            isBeginning = true;
            effects.add(new Effect.Store(BEGINNING, disk.begin(isNewMember() ? 0 : view.commands())));
        }
        return server;
    }

    private boolean isNewMember() {
        return disk.isNew() && !place.first.contains(place.self);
    }

    private void carryOut(LogEffect effect) {
        switch (effect) {
            case LogEffect.Send send ->
                lies.map(liar -> liar.answer(send.message()))
                        .orElseGet(() -> Optional.of(send.message()))
                        .ifPresent(answer -> effects.add(new Effect.Send(send.to(), send.requestId(), answer)));
            case LogEffect.Store store -> {
                handedOver = base + store.token();
                effects.add(new Effect.Store(handedOver, disk.append(store.record())));
            }
            case LogEffect.Delete delete -> {
                List<Mutation> mutations = disk.delete(delete.log());
                if (!mutations.isEmpty()) {
                    effects.add(new Effect.Store(--lastDeletion, mutations));
                }
            }
            case LogEffect.Submit submit ->
                lies.map(liar -> liar.submission(submit.submission()))
                        .orElseGet(() -> List.of(submit.submission()))
                        .forEach(this::submit);
        }
    }

    private void submit(Bytes submission) {
        if (random.nextInt(LOST_ONE_IN) == 0) {
            return;
        }
        if (random.nextBoolean()) {
            replica.submit(submission);
        } else {
            submissions.add(submission);
        }
    }
}
