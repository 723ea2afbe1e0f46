package io.bulwark.simulation.ordering;

import io.bulwark.protocol.cluster.Fact;
import io.bulwark.protocol.effect.Effect;
import io.bulwark.protocol.effect.Loaded;
import io.bulwark.protocol.effect.ProtocolServer;
import io.bulwark.protocol.effect.Stored;
import io.bulwark.protocol.id.PrincipalId;
import io.bulwark.protocol.id.PrincipalKind;
import io.bulwark.protocol.ordering.OrderingMessage;
import io.bulwark.protocol.ordering.OrderingMessage.OrderedQuery;
import io.bulwark.protocol.ordering.OrderingMessage.Query;
import io.bulwark.protocol.ordering.OrderingMessage.Submit;
import io.bulwark.protocol.ordering.message.ReplicaMessage;
import io.bulwark.protocol.ordering.message.ReplicaMessage.Numbered;
import io.bulwark.protocol.ordering.message.Request;
import io.bulwark.protocol.ordering.replica.Replica;
import io.bulwark.protocol.ordering.replica.ReplicaConfig;
import io.bulwark.protocol.ordering.replica.ReplicaEffect;
import io.bulwark.protocol.wire.Bytes;
import io.bulwark.protocol.wire.Message;
import io.bulwark.simulation.engine.SimulatedRecords;
import io.bulwark.simulation.ordering.ReplicaDisk.Kind;
import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.Deque;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.TreeMap;
import org.jspecify.annotations.Nullable;

/** One life of a production replica, driven as a node of a simulation. */
final class OrderedReplica implements ProtocolServer, RegisterState.Host {
    private record Call(PrincipalId client, long call) {}

    private final OrderingWorld world;
    private final int self;
    private final ReplicaDisk disk;
    private final RegisterState state;
    private final Replica replica;
    private final Map<Call, Long> requestIds = new HashMap<>();
    private final Map<Long, RegisterState.Snapshot> taken = new TreeMap<>();
    private final Deque<Long> rolls = new ArrayDeque<>();
    private List<Effect> out = new ArrayList<>();
    private @Nullable Numbered target;
    private RegisterState.@Nullable Snapshot fetched;
    private long judged = -1;

    OrderedReplica(OrderingWorld world, ReplicaConfig config, SimulatedRecords records) {
        this.world = world;
        this.self = config.self();
        this.disk = new ReplicaDisk(records);
        ReplicaDisk.Kept kept = disk.read();
        state = new RegisterState(this, kept.checkpoints());
        replica = new Replica(config, state, kept.records());
    }

    Replica replica() {
        return replica;
    }

    RegisterState state() {
        return state;
    }

    @Override
    public List<Effect> onMessage(long nowMillis, PrincipalId from, long requestId, Message message) {
        clock(nowMillis);
        switch (message) {
            case Submit submit -> {
                requestIds.put(new Call(from, submit.call()), requestId);
                replica.onRequest(nowMillis, new Request(from, submit.call(), false, submit.command()));
            }
            case OrderedQuery query -> {
                requestIds.put(new Call(from, query.call()), requestId);
                replica.onRequest(nowMillis, new Request(from, query.call(), true, query.query()));
            }
            case Query query -> {
                requestIds.put(new Call(from, query.call()), requestId);
                replica.onQuery(from, query.call(), query.query());
            }
            case ReplicaMessage said
            when from.kind() == PrincipalKind.REPLICA -> {
                if (requestId == world.keyOf(from.number(), self)) {
                    world.heard(self, from.number(), said);
                    replica.onMessage(nowMillis, from.number(), said);
                }
            }
            default -> throw new IllegalStateException("nobody sends this: " + message);
        }
        return drain(nowMillis);
    }

    @Override
    public List<Effect> onTick(long nowMillis) {
        clock(nowMillis);
        Numbered wanted = target;
        if (wanted != null && fetched == null) {
            world.findState(self, wanted).ifPresent(found -> {
                fetched = found;
                out.add(disk.fetched(found));
            });
        }
        replica.onTick(nowMillis);
        return drain(nowMillis);
    }

    private void clock(long nowMillis) {
        replica.onClock(nowMillis, world.wallMillis(self));
    }

    /** New session keys with this peer. */
    void onKeyChange(int peer) {
        replica.onKeyChange(peer);
    }

    @Override
    public List<Effect> onStored(long nowMillis, long token, Stored stored) {
        if (stored != Stored.DURABLE) {
            return List.of();
        }
        long number = Kind.number(token);
        switch (Kind.of(token)) {
            case LOG -> {
                replica.onDurable(nowMillis, number);
                Long summary = null;
                while (!rolls.isEmpty() && rolls.getFirst() <= number) {
                    summary = rolls.removeFirst();
                }
                if (summary != null) {
                    out.add(disk.cutBefore(summary));
                }
            }
            case CHECKPOINT -> {
                RegisterState.Snapshot snapshot = taken.remove(number);
                if (snapshot != null) {
                    state.onDurable(snapshot);
                    replica.onCheckpointDurable(number);
                }
            }
            case FETCHED -> {
                RegisterState.Snapshot snapshot = fetched;
                if (snapshot != null) {
                    fetched = null;
                    target = null;
                    taken.clear();
                    state.become(snapshot);
                    replica.onStateFetched(nowMillis);
                }
            }
            case NOTHING -> {}
        }
        return drain(nowMillis);
    }

    private List<Effect> drain(long nowMillis) {
        for (ReplicaEffect effect : replica.drain(nowMillis)) {
            switch (effect) {
                case ReplicaEffect.Send send -> world.send(self, send.to(), send.message());
                case ReplicaEffect.Reply reply ->
                    answer(reply.client(), reply.call(), new OrderingMessage.Reply(reply.call(), 0, reply.result()));
                case ReplicaEffect.Refuse refuse ->
                    answer(refuse.client(), refuse.call(), new OrderingMessage.Refused(refuse.call(), refuse.reason()));
                case ReplicaEffect.Append append -> out.add(disk.append(append.index(), append.record()));
                case ReplicaEffect.Roll roll -> {
                    rolls.add(roll.index());
                    out.add(disk.roll(roll.index(), roll.summary()));
                }
                case ReplicaEffect.FetchState fetch -> target = fetch.checkpoint();
                case ReplicaEffect.Misbehaved misbehaved ->
                    world.accused(self, misbehaved.replica(), misbehaved.what());
            }
        }
        judge();
        List<Effect> effects = out;
        out = new ArrayList<>();
        return effects;
    }

    private void answer(PrincipalId client, long call, OrderingMessage message) {
        Long requestId = requestIds.get(new Call(client, call));
        if (requestId != null) {
            out.add(new Effect.Send(client, requestId, message));
        }
    }

    private void judge() {
        if (world.isFaulty(self)) {
            return;
        }
        long low = replica.lowWaterMark();
        for (long number = low + 1; number <= low + world.logSize(); number++) {
            Bytes digest = replica.decided(number);
            if (digest != null) {
                world.invariants().decided(self, number, digest);
            }
        }
        if (target == null && replica.executed() != judged) {
            judged = replica.executed();
            world.invariants().executed(self, judged, state.digest());
        }
        world.invariants().bounded(self, disk.logRecords());
    }

    @Override
    public void taken(RegisterState.Snapshot snapshot) {
        taken.put(snapshot.sequence(), snapshot);
        out.add(disk.checkpoint(snapshot));
        if (!world.isFaulty(self)) {
            world.invariants().checkpoint(self, snapshot.sequence(), snapshot.digest());
        }
    }

    @Override
    public void discarded(long below) {
        out.add(disk.discard(below));
    }

    @Override
    public void executed(PrincipalId client, Bytes operation, boolean again) {
        if (!world.isFaulty(self)) {
            world.executed(self, client, operation, again);
        }
    }

    @Override
    public List<Effect> onLoaded(long nowMillis, long token, Loaded loaded) {
        throw new IllegalStateException("nothing was to be loaded");
    }

    @Override
    public List<Effect> onFact(long nowMillis, Fact fact) {
        return List.of();
    }
}
