package io.bulwark.simulation.ordering;

import io.bulwark.protocol.effect.Effect;
import io.bulwark.protocol.effect.Stored;
import io.bulwark.protocol.id.PrincipalId;
import io.bulwark.protocol.ordering.OrderingMessage;
import io.bulwark.protocol.ordering.OrderingMessage.OrderedQuery;
import io.bulwark.protocol.ordering.OrderingMessage.Query;
import io.bulwark.protocol.ordering.OrderingMessage.Submit;
import io.bulwark.protocol.ordering.OrderingMessage.ToReplica;
import io.bulwark.protocol.ordering.driver.LogRecord;
import io.bulwark.protocol.ordering.driver.ReplicaConfig;
import io.bulwark.protocol.ordering.driver.ReplicaEffect;
import io.bulwark.protocol.ordering.driver.StartReason;
import io.bulwark.protocol.ordering.membership.Configuration;
import io.bulwark.protocol.ordering.membership.Handover;
import io.bulwark.protocol.ordering.message.ReplicaMessage;
import io.bulwark.protocol.ordering.message.ReplicaMessage.Transfer;
import io.bulwark.protocol.ordering.message.Request;
import io.bulwark.protocol.ordering.replica.Replica;
import io.bulwark.protocol.state.DamagedPageException;
import io.bulwark.protocol.state.FetchEffect;
import io.bulwark.protocol.state.PageStore;
import io.bulwark.protocol.state.StateFetch;
import io.bulwark.protocol.state.StateTree;
import io.bulwark.protocol.wire.Bytes;
import io.bulwark.simulation.engine.SimulatedRecords;
import io.bulwark.simulation.ordering.ReplicaDisk.Kind;
import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.Deque;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.TreeMap;
import java.util.random.RandomGenerator;
import org.jspecify.annotations.Nullable;

/** One life of a production replica in one configuration, driven as part of a node of a simulation. */
final class OrderedReplica implements RegisterState.Host, StatePages.Host {
    /** Client of queries that no client sends. */
    private static final PrincipalId OBSERVER = PrincipalId.client(999);

    private record Call(PrincipalId client, long call) {}

    private record CompletedOperation(PrincipalId client, Bytes operation) {}

    private record ReceivedCall(long requestId, int replier) {}

    /** Services of the replica's member. */
    interface Host {
        void ended(long nowMillis, Handover handover);

        /** The replica in this place recovers. */
        void dropKeys(long nowMillis, int place);
    }

    private final OrderingWorld world;
    private final Host host;
    private final Configuration configuration;
    /** Its name; in its configuration, its place. */
    private final int self;

    private final ReplicaDisk disk;
    private final RegisterState state;
    private final Replica replica;
    private final Map<Call, ReceivedCall> waiting = new HashMap<>();
    private final Map<Long, StateTree.Checkpoint> taken = new TreeMap<>();
    private final StatePages pages;
    private final PageStore store;
    private final Deque<Long> rolls = new ArrayDeque<>();
    private List<Effect> out = new ArrayList<>();
    private boolean fetching;
    private FetchEffect.@Nullable Complete fetched;
    private StateFetch.@Nullable Progress checked;
    private boolean checkGone;
    private boolean ended;
    private long judged = -1;
    private final Map<CompletedOperation, Integer> executions = new HashMap<>();

    /** @param self its name */
    OrderedReplica(
            OrderingWorld world,
            Host host,
            int self,
            ReplicaConfig config,
            StartReason start,
            SimulatedRecords records,
            PageStore store) {
        this.world = world;
        this.host = host;
        this.self = self;
        this.store = store;
        configuration = config.term().configuration();
        disk = new ReplicaDisk(records, configuration.number());
        List<LogRecord> log = disk.read();
        state = new RegisterState(this, store, world.genesis());
        RandomGenerator random = world.randomOf();
        pages = new StatePages(this, store, config.self(), config.replicas(), random);
        replica = new Replica(config, state, log, start, new MemberSignatures(configuration, self), random);
    }

    private int nameOf(int place) {
        return configuration.members().get(place).replica().number();
    }

    Replica replica() {
        return replica;
    }

    /** The number of its configuration. */
    long configuration() {
        return configuration.number();
    }

    /** Handles a client's request. */
    List<Effect> onRequest(long nowMillis, PrincipalId from, long requestId, ToReplica message) {
        if (ended) {
            return List.of();
        }
        clock(nowMillis);
        waiting.put(new Call(from, message.call()), new ReceivedCall(requestId, message.replier()));
        switch (message) {
            case Submit submit ->
                replica.onRequest(nowMillis, new Request(from, submit.call(), false, submit.command()));
            case OrderedQuery query ->
                replica.onRequest(nowMillis, new Request(from, query.call(), true, query.query()));
            case Query query -> replica.onQuery(from, query.call(), query.query());
        }
        return drain(nowMillis);
    }

    /** Handles a message of the replica with this name in this configuration, under a key in force. */
    List<Effect> onReplica(long nowMillis, int from, ReplicaMessage said) {
        if (ended) {
            return List.of();
        }
        clock(nowMillis);
        int place = configuration.placeOf(PrincipalId.replica(from));
        if (place >= 0) {
            world.heard(self, from, said);
            if (said instanceof Transfer transfer) {
                pages.onMessage(nowMillis, place, transfer);
            } else {
                replica.onMessage(nowMillis, place, said);
            }
        }
        return drain(nowMillis);
    }

    List<Effect> onTick(long nowMillis) {
        if (ended) {
            return List.of();
        }
        clock(nowMillis);
        pages.onTick(nowMillis);
        replica.onTick(nowMillis);
        return drain(nowMillis);
    }

    private void clock(long nowMillis) {
        replica.onClock(nowMillis, world.wallMillis(self));
    }

    void handOver(long nowMillis) {
        replica.handOver(nowMillis);
        var _ = drain(nowMillis);
    }

    /** New session keys of the replica in this place. */
    void onKeyChange(int place) {
        if (!ended) {
            replica.onKeyChange(place);
        }
    }

    List<Effect> onStored(long nowMillis, long token, Stored stored) {
        if (stored != Stored.DURABLE || ended) {
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
                StateTree.Checkpoint checkpoint = taken.remove(number);
                if (checkpoint != null) {
                    state.onDurable(checkpoint);
                    replica.onCheckpointDurable(number);
                }
            }
            case FETCHED -> {
                FetchEffect.Complete complete = fetched;
                if (complete != null) {
                    fetched = null;
                    fetching = false;
                    taken.clear();
                    store.write(complete.batch());
                    state.reopen();
                    replica.onStateFetched(nowMillis, 0, 0);
                }
            }
            case PROOF, NOTHING -> {}
        }
        return drain(nowMillis);
    }

    private List<Effect> drain(long nowMillis) {
        StateFetch.Progress progress = checked;
        if (progress != null) {
            checked = null;
            replica.onStateChecked(nowMillis, progress.read(), progress.damaged());
        }
        if (checkGone) {
            checkGone = false;
            replica.onCheckGone(nowMillis);
        }
        List<ReplicaEffect> asked;
        try {
            asked = replica.drain(nowMillis);
        } catch (DamagedPageException rotten) {
            replica.onStateDamaged(nowMillis);
            asked = replica.drain(nowMillis);
        }
        asked.forEach(effect -> carryOut(nowMillis, effect));
        judge();
        List<Effect> effects = out;
        out = new ArrayList<>();
        return effects;
    }

    private void carryOut(long nowMillis, ReplicaEffect effect) {
        switch (effect) {
            case ReplicaEffect.Send send -> send(send.to(), send.message());
            case ReplicaEffect.Reply reply ->
                answer(
                        reply.client(),
                        reply.call(),
                        new OrderingMessage.Reply(
                                reply.call(), Configuration.incarnationOf(configuration.number()), reply.result()));
            case ReplicaEffect.Refuse refuse ->
                answer(refuse.client(), refuse.call(), new OrderingMessage.Refused(refuse.call(), refuse.reason()));
            case ReplicaEffect.Append append -> out.add(disk.append(append.index(), append.record()));
            case ReplicaEffect.Roll roll -> {
                rolls.add(roll.index());
                out.add(disk.roll(roll.index(), roll.summary()));
            }
            case ReplicaEffect.FetchState fetch -> {
                fetching = true;
                fetched = null;
                // Checkpoints that were taken and are not on disk yet belong to a state that is being replaced.
                taken.clear();
                pages.fetch(
                        nowMillis,
                        fetch.checkpoint(),
                        fetch.checking() || fetch.checkpoint().sequence() <= state.last());
            }
            case ReplicaEffect.CheckState check -> pages.check(nowMillis, check.checkpoint());
            case ReplicaEffect.DropKeys drop -> host.dropKeys(nowMillis, drop.replica());
            case ReplicaEffect.Forget _ -> {
                ended = true;
                world.processes().forgets(self);
            }
            case ReplicaEffect.Stop stop -> {
                if (!world.isFaulty(self)) {
                    throw OrderingInvariants.NEVER_STOPPED.violation("replica-" + self, stop.why());
                }
            }
            case ReplicaEffect.Ended over -> {
                if (!world.isFaulty(self)) {
                    world.replacements().ended(self, over.handover(), query -> state.query(OBSERVER, query));
                }
                host.ended(nowMillis, over.handover());
            }
            case ReplicaEffect.Misbehaved misbehaved ->
                world.onAccused(self, nameOf(misbehaved.replica()), misbehaved.what());
        }
    }

    @Override
    public void send(int to, ReplicaMessage message) {
        world.send(self, nameOf(to), configuration.number(), message);
    }

    @Override
    public void complete(FetchEffect.Complete complete) {
        fetched = complete;
        out.add(disk.pages(Kind.FETCHED, complete.number()));
    }

    @Override
    public void checked(StateFetch.Progress progress) {
        checked = progress;
    }

    @Override
    public void gone(boolean checking) {
        if (checking) {
            checkGone = true;
        } else {
            replica.onStateGone();
        }
    }

    @Override
    public void onAccused(int replicaNumber) {
        world.onAccused(self, nameOf(replicaNumber), "a wrong page");
    }

    private void answer(PrincipalId client, long call, OrderingMessage message) {
        ReceivedCall asked = waiting.get(new Call(client, call));
        if (asked != null) {
            OrderingMessage said = message instanceof OrderingMessage.Reply reply
                    ? world.answer(self, reply, asked.replier())
                    : message;
            out.add(new Effect.Send(client, asked.requestId(), said));
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
                world.invariants().decided(self, configuration.number(), number, digest);
            }
        }
        if (!fetching && replica.executed() != judged) {
            judged = replica.executed();
            world.invariants().executed(self, judged, state.digest());
        }
        world.invariants().bounded(self, disk.logRecords());
    }

    @Override
    public void taken(StateTree.Checkpoint checkpoint) {
        taken.put(checkpoint.number(), checkpoint);
        out.add(disk.pages(Kind.CHECKPOINT, checkpoint.number()));
        if (!world.isFaulty(self)) {
            world.invariants().checkpoint(self, checkpoint.number(), checkpoint.digest());
        }
    }

    @Override
    public void executed(PrincipalId client, Bytes operation, boolean again) {
        if (!world.isFaulty(self)) {
            world.executed(self, client, operation, again);
            int times = executions.merge(new CompletedOperation(client, operation), 1, Integer::sum);
            world.invariants().repeated(self, client, operation, times);
        }
    }
}
