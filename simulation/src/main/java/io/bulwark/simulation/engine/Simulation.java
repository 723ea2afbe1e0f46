package io.bulwark.simulation.engine;

import io.bulwark.protocol.cluster.Fact;
import io.bulwark.protocol.effect.ClientOperation;
import io.bulwark.protocol.effect.Effect;
import io.bulwark.protocol.effect.Loaded;
import io.bulwark.protocol.effect.ProtocolServer;
import io.bulwark.protocol.effect.Stored;
import io.bulwark.protocol.id.PrincipalId;
import io.bulwark.protocol.wire.Bytes;
import io.bulwark.protocol.wire.Message;
import io.bulwark.protocol.wire.MessageCodec;
import io.bulwark.protocol.wire.WireReader;
import io.bulwark.protocol.wire.WireWriter;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.PriorityQueue;
import java.util.Random;
import java.util.TreeMap;
import java.util.function.BooleanSupplier;
import java.util.function.Consumer;
import java.util.function.Function;
import java.util.function.Supplier;
import java.util.random.RandomGenerator;

/**
 * A cluster generated from a seed. Add nodes, start client operations, run; each message travels as its canonical
 * bytes.
 *
 * <p>Servers see stores of one block in order, loads after them, scans after all of them. A crash keeps the durable
 * stores and a random prefix of the pending ones, and loses the rest.
 */
public final class Simulation {
    private static final int OPERATION_TICK_MILLIS = 50;
    private static final int SERVER_TICK_MILLIS = 100;

    /** Observation of a node or a client about another. */
    public record Sighting(long millis, PrincipalId by, Effect.Evidence evidence) {}

    private record Event(long millis, long number, Runnable action) implements Comparable<Event> {
        @Override
        public int compareTo(Event other) {
            int byTime = Long.compare(millis, other.millis);
            return byTime != 0 ? byTime : Long.compare(number, other.number);
        }
    }

    private final Random random;
    private final Network network;
    private final List<MessageCodec> codecs;
    private final ReplicaAnswers replicas;
    private final Trace trace = new Trace();
    private final PriorityQueue<Event> events = new PriorityQueue<>();
    private final Map<PrincipalId, SimulatedNode> nodes = new TreeMap<>();
    private final Map<Long, RunningOperation<?>> operations = new TreeMap<>();
    private final List<Sighting> sightings = new ArrayList<>();
    private final List<Observer> observers = new ArrayList<>();
    private final Map<PrincipalId, Clock> clocks = new HashMap<>();
    private final Map<PrincipalId, List<Runnable>> paused = new TreeMap<>();
    private long nowMillis;
    private long eventNumber;
    private long operationNumber;

    public Simulation(long seed, NetworkFaults faults, List<MessageCodec> codecs, ReplicaAnswers replicas) {
        this.random = new Random(seed);
        this.network = new Network(random, faults);
        this.codecs = List.copyOf(codecs);
        this.replicas = replicas;
    }

    public long nowMillis() {
        return nowMillis;
    }

    public RandomGenerator random() {
        return random;
    }

    /** Returns the sightings so far, in order. */
    public List<Sighting> sightings() {
        return List.copyOf(sightings);
    }

    /** Returns the sightings after the first {@code seen} ones. */
    public List<Sighting> sightingsSince(int seen) {
        return List.copyOf(sightings.subList(seen, sightings.size()));
    }

    /** Returns the digest of all events so far; equal for two runs that were the same. */
    public String traceDigest() {
        return trace.digest();
    }

    public Trace trace() {
        return trace;
    }

    public void observe(Observer observer) {
        observers.add(observer);
    }

    /** Returns the reading of the party's own clock; the true time unless another clock was set. */
    public long localMillis(PrincipalId party) {
        return clocks.getOrDefault(party, Clock.TRUE).at(nowMillis);
    }

    /** Must be set before the party begins anything. */
    public void setClock(PrincipalId party, Clock clock) {
        clocks.put(party, clock);
    }

    /** Sets the network faults from now on. */
    public void setNetwork(NetworkFaults faults) {
        network.setFaults(faults);
    }

    /** Drops all messages from one party to the other, including those in flight, until {@link #healNetwork}. */
    public void cut(PrincipalId from, PrincipalId to) {
        network.cut(from, to);
    }

    /** All links are whole again. */
    public void healNetwork() {
        network.heal();
    }

    /** Adds a node and starts it; the factory makes a new server for each start. */
    public void addNode(PrincipalId id, Supplier<ProtocolServer> factory) {
        nodes.put(id, new SimulatedNode(factory));
        restart(id);
    }

    public SimulatedRecords records(PrincipalId node) {
        return node(node).records();
    }

    public boolean isUp(PrincipalId node) {
        return node(node).server() != null;
    }

    /** Loses what was not synced, or a last part of it. */
    public void crash(PrincipalId id) {
        crash(id, false);
    }

    /** As a crash, but what was just being written is torn. */
    public void crashTearing(PrincipalId id) {
        crash(id, true);
    }

    private void crash(PrincipalId id, boolean torn) {
        SimulatedNode node = node(id);
        trace.add(nowMillis, torn ? "tears" : "crash", id, "", node.pendingStores());
        node.crash(random.nextInt(node.pendingStores() + 1), torn);
        paused.remove(id);
        operations.values().removeIf(operation -> operation.party().equals(id));
    }

    public void restart(PrincipalId id) {
        SimulatedNode node = node(id);
        trace.add(nowMillis, "start", id, "", node.life());
        node.start();
        scheduleTick(id, node.life());
    }

    /** Pauses the party: its messages wait until {@link #resume}. */
    public void pause(PrincipalId id) {
        trace.add(nowMillis, "pause", id, "", 0);
        paused.putIfAbsent(id, new ArrayList<>());
    }

    public void resume(PrincipalId id) {
        List<Runnable> backlog = paused.remove(id);
        if (backlog != null) {
            trace.add(nowMillis, "resume", id, "", backlog.size());
            backlog.forEach(action -> schedule(0, id, action));
        }
    }

    /** 2f+1 replicas tell a node. */
    public void tell(PrincipalId id, Fact fact) {
        onServer(id, network.delayMillis(), server -> server.onFact(localMillis(id), fact));
    }

    /** A message that no operation stands behind: an attack, or a hint. */
    public void send(PrincipalId from, PrincipalId to, long requestId, Message message) {
        request(from, to, requestId, message);
    }

    public <R> RunningOperation<R> start(PrincipalId client, ClientOperation<R> operation) {
        return start(client, operation, () -> {});
    }

    private <R> RunningOperation<R> start(PrincipalId party, ClientOperation<R> operation, Runnable whenFinished) {
        long id = ++operationNumber;
        RunningOperation<R> running = new RunningOperation<>(id, party, operation, whenFinished);
        operations.put(id, running);
        trace.add(nowMillis, "begins", party, id, id);
        performFor(running, operation.start(localMillis(party)));
        schedule(OPERATION_TICK_MILLIS, party, () -> tickOperation(id));
        return running;
    }

    /** Runs until the condition holds, at most for so long. True if it holds. */
    public boolean runUntil(BooleanSupplier condition, long maxMillis) {
        long end = nowMillis + maxMillis;
        while (!condition.getAsBoolean()) {
            Event event = events.peek();
            if (event == null || event.millis() > end) {
                nowMillis = end;
                return false;
            }
            events.remove();
            nowMillis = event.millis();
            trace.recordEvent(nowMillis, event.number());
            event.action().run();
        }
        return true;
    }

    public void runFor(long millis) {
        runUntil(() -> false, millis);
    }

    private void tickOperation(long id) {
        RunningOperation<?> running = operations.get(id);
        if (running != null) {
            schedule(OPERATION_TICK_MILLIS, running.party(), () -> tickOperation(id));
            performFor(running, running.operation().onTick(localMillis(running.party())));
        }
    }

    private void scheduleTick(PrincipalId id, int life) {
        schedule(1 + random.nextInt(SERVER_TICK_MILLIS), id, () -> {
            ProtocolServer server = node(id).server();
            if (server != null && node(id).life() == life) {
                perform(id, server.onTick(localMillis(id)));
                scheduleTick(id, life);
            }
        });
    }

    private void performFor(RunningOperation<?> running, List<Effect> effects) {
        for (Effect effect : effects) {
            switch (effect) {
                case Effect.Send send -> request(running.party(), send.to(), running.requestId(), send.message());
                case Effect.Evidence evidence -> saw(running.party(), evidence);
                default -> throw new IllegalStateException("an operation asked for " + effect);
            }
        }
        if (running.isFinished() && operations.remove(running.id()) != null) {
            trace.add(nowMillis, "ends", running.party(), running.outcome().orElseThrow(), running.id());
            running.tellFinished();
        }
    }

    private void perform(PrincipalId id, List<Effect> effects) {
        SimulatedNode node = node(id);
        for (Effect effect : effects) {
            switch (effect) {
                case Effect.Send send -> answer(id, send.to(), send.requestId(), send.message());
                case Effect.Evidence evidence -> saw(id, evidence);
                // A world that changes holders takes it from the party around the server.
                case Effect.Refuses _ -> {}
                case Effect.Ask ask ->
                    replicas.answer(id, ask.question())
                            .ifPresent(fact -> onServer(
                                    id, network.delayMillis(), server -> server.onFact(localMillis(id), fact)));
                case Effect.Run run -> run(id, run.token(), run.operation());
                case Effect.Store store -> store(id, node, store);
                case Effect.Load load -> {
                    long at = node.afterEarlier(load.key().block(), nowMillis + diskDelay());
                    loaded(id, load.token(), at, () -> node.records().load(load.key()));
                }
                case Effect.LoadMetas metas -> {
                    long at = node.afterEarlier(metas.block(), nowMillis + diskDelay());
                    loaded(
                            id,
                            metas.token(),
                            at,
                            () -> node.records().scan(metas.kind(), metas.block(), metas.block(), Integer.MAX_VALUE));
                }
                case Effect.Scan scan ->
                    loaded(
                            id,
                            scan.token(),
                            node.afterAll(nowMillis + diskDelay()),
                            () -> node.records().scan(scan.kind(), scan.from(), scan.to(), scan.max()));
            }
        }
    }

    private <R> void run(PrincipalId id, long token, ClientOperation<R> operation) {
        int life = node(id).life();
        start(id, operation, () -> {
            ProtocolServer server = node(id).server();
            if (server != null && node(id).life() == life) {
                Object outcome = operation.outcome().orElseThrow();
                perform(id, server.onCompleted(localMillis(id), token, outcome));
            }
        });
    }

    private void store(PrincipalId id, SimulatedNode node, Effect.Store store) {
        node.begin(store);
        long at = node.afterEarlier(store, nowMillis + diskDelay());
        onServer(id, at - nowMillis, server -> {
            Stored stored = node.complete(store) ? Stored.DURABLE : Stored.NO_SPACE;
            trace.add(nowMillis, "stored", id, store.mutations(), store.token());
            return server.onStored(localMillis(id), store.token(), stored);
        });
    }

    private void loaded(PrincipalId id, long token, long atMillis, Supplier<Loaded> load) {
        onServer(id, atMillis - nowMillis, server -> server.onLoaded(localMillis(id), token, load.get()));
    }

    /** Calls the server after a while, unless it died in between. */
    private void onServer(PrincipalId id, long delayMillis, Function<ProtocolServer, List<Effect>> call) {
        int life = node(id).life();
        schedule(delayMillis, id, () -> {
            ProtocolServer server = node(id).server();
            if (server != null && node(id).life() == life) {
                perform(id, call.apply(server));
            }
        });
    }

    private void request(PrincipalId from, PrincipalId to, long requestId, Message message) {
        transmit(from, to, requestId, message, arrived -> {
            SimulatedNode node = nodes.get(to);
            ProtocolServer server = node == null ? null : node.server();
            if (server != null) {
                perform(to, server.onMessage(localMillis(to), from, requestId, arrived));
            }
        });
    }

    private void answer(PrincipalId from, PrincipalId to, long requestId, Message message) {
        transmit(from, to, requestId, message, arrived -> {
            RunningOperation<?> running = operations.get(RunningOperation.idOf(requestId));
            if (running != null
                    && running.requestId() == requestId
                    && running.party().equals(to)) {
                performFor(running, running.operation().onMessage(localMillis(to), from, arrived));
            }
        });
    }

    private void transmit(
            PrincipalId from, PrincipalId to, long requestId, Message message, Consumer<Message> arrival) {
        MessageCodec codec = codecOf(message);
        WireWriter out = new WireWriter();
        codec.write(message, out);
        Bytes body = out.toBytes();
        int type = codec.typeOf(message);
        trace.add(nowMillis, "sends", from, new Trace.SentMessage(to, requestId, message), trace.checksum(body) + type);
        observers.forEach(observer -> observer.onSent(from, to, requestId, message));
        int copies = network.copies(from, to);
        for (int copy = 0; copy < copies; copy++) {
            schedule(network.delayMillis(), to, () -> {
                if (!network.isCut(from, to)) {
                    arrival.accept(codec.read(type, new WireReader(body)));
                }
            });
        }
    }

    private MessageCodec codecOf(Message message) {
        for (MessageCodec codec : codecs) {
            if (codec.handles(message)) {
                return codec;
            }
        }
        throw new IllegalArgumentException("no codec for " + message);
    }

    private void saw(PrincipalId by, Effect.Evidence evidence) {
        trace.add(nowMillis, "evidence", by, evidence, evidence.verdict().ordinal());
        sightings.add(new Sighting(nowMillis, by, evidence));
    }

    /** Runs an action at a party after a delay; if the party is paused then, once it resumes. */
    private void schedule(long delayMillis, PrincipalId at, Runnable action) {
        events.add(new Event(nowMillis + delayMillis, ++eventNumber, () -> {
            List<Runnable> backlog = paused.get(at);
            if (backlog == null) {
                action.run();
            } else {
                backlog.add(action);
            }
        }));
    }

    private int diskDelay() {
        return random.nextInt(8) == 0 ? 1 + random.nextInt(50) : 1;
    }

    private SimulatedNode node(PrincipalId id) {
        return Objects.requireNonNull(nodes.get(id), () -> "no such node: " + id);
    }
}
