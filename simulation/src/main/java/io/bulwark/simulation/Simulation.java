package io.bulwark.simulation;

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
 * A cluster from a seed. Add nodes, start client operations, run; each message travels as its canonical bytes.
 *
 * <p>Servers see stores of one block in order, loads after them, scans after all of them. A crash keeps what was durable and
 * a random first part of the stores under way, and forgets the rest.
 */
public final class Simulation {
    private static final int OPERATION_TICK_MILLIS = 50;
    private static final int SERVER_TICK_MILLIS = 100;

    /** Something that a node or a client saw of another. */
    public record Sighting(long millis, PrincipalId by, Effect.Evidence evidence) {}

    private record Event(long millis, long number, String what, Runnable action) implements Comparable<Event> {
        @Override
        public int compareTo(Event other) {
            int byTime = Long.compare(millis, other.millis);
            return byTime != 0 ? byTime : Long.compare(number, other.number);
        }
    }

    private final Random random;
    private final NetworkFaults faults;
    private final List<MessageCodec> codecs;
    private final ReplicaAnswers replicas;
    private final Trace trace = new Trace();
    private final PriorityQueue<Event> events = new PriorityQueue<>();
    private final Map<PrincipalId, SimulatedNode> nodes = new TreeMap<>();
    private final Map<Long, RunningOperation<?>> operations = new TreeMap<>();
    private final List<Sighting> sightings = new ArrayList<>();
    private long nowMillis;
    private long eventNumber;
    private long operationNumber;

    public Simulation(long seed, NetworkFaults faults, List<MessageCodec> codecs, ReplicaAnswers replicas) {
        this.random = new Random(seed);
        this.faults = faults;
        this.codecs = List.copyOf(codecs);
        this.replicas = replicas;
    }

    public long nowMillis() {
        return nowMillis;
    }

    public RandomGenerator random() {
        return random;
    }

    /** What was seen so far, in order. */
    public List<Sighting> sightings() {
        return List.copyOf(sightings);
    }

    /** Of everything that happened so far; equal for two runs that were the same. */
    public String traceDigest() {
        return trace.digest();
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

    public void crash(PrincipalId id) {
        SimulatedNode node = node(id);
        trace.add(nowMillis, "crash", id.toString());
        node.crash(random.nextInt(node.pendingStores() + 1));
        operations.values().removeIf(operation -> operation.party().equals(id));
    }

    public void restart(PrincipalId id) {
        SimulatedNode node = node(id);
        trace.add(nowMillis, "start", id.toString());
        node.start();
        scheduleTick(id, node.life());
    }

    /** 2f+1 replicas tell a node. */
    public void tell(PrincipalId id, Fact fact) {
        onServer(id, delay(), "fact", server -> server.onFact(nowMillis, fact));
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
        performFor(running, operation.start(nowMillis));
        schedule(OPERATION_TICK_MILLIS, "tick " + id, () -> tickOperation(id));
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
            trace.add(nowMillis, "do", event.what());
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
            schedule(OPERATION_TICK_MILLIS, "tick " + id, () -> tickOperation(id));
            performFor(running, running.operation().onTick(nowMillis));
        }
    }

    private void scheduleTick(PrincipalId id, int life) {
        schedule(1 + random.nextInt(SERVER_TICK_MILLIS), "tick " + id, () -> {
            ProtocolServer server = node(id).server();
            if (server != null && node(id).life() == life) {
                perform(id, server.onTick(nowMillis));
                scheduleTick(id, life);
            }
        });
    }

    private void performFor(RunningOperation<?> running, List<Effect> effects) {
        for (Effect effect : effects) {
            switch (effect) {
                case Effect.Send send -> request(running.party(), send.to(), running.id(), send.message());
                case Effect.Evidence evidence -> saw(running.party(), evidence);
                default -> throw new IllegalStateException("an operation asked for " + effect);
            }
        }
        if (running.finished() && operations.remove(running.id()) != null) {
            running.tellFinished();
        }
    }

    private void perform(PrincipalId id, List<Effect> effects) {
        SimulatedNode node = node(id);
        for (Effect effect : effects) {
            switch (effect) {
                case Effect.Send send -> answer(id, send.to(), send.requestId(), send.message());
                case Effect.Evidence evidence -> saw(id, evidence);
                case Effect.Ask ask ->
                    replicas.answer(id, ask.question())
                            .ifPresent(fact -> onServer(id, delay(), "fact", server -> server.onFact(nowMillis, fact)));
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
                perform(id, server.onCompleted(nowMillis, token, outcome));
            }
        });
    }

    private void store(PrincipalId id, SimulatedNode node, Effect.Store store) {
        node.begin(store);
        long at = node.afterEarlier(store, nowMillis + diskDelay());
        onServer(id, at - nowMillis, "stored", server -> {
            Stored stored = node.complete(store) ? Stored.DURABLE : Stored.NO_SPACE;
            return server.onStored(nowMillis, store.token(), stored);
        });
    }

    private void loaded(PrincipalId id, long token, long atMillis, Supplier<Loaded> load) {
        onServer(id, atMillis - nowMillis, "loaded", server -> server.onLoaded(nowMillis, token, load.get()));
    }

    /** Calls the server after a while, unless it died in between. */
    private void onServer(PrincipalId id, long delayMillis, String what, Function<ProtocolServer, List<Effect>> call) {
        int life = node(id).life();
        schedule(delayMillis, what + " " + id, () -> {
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
                perform(to, server.onMessage(nowMillis, from, requestId, arrived));
            }
        });
    }

    private void answer(PrincipalId from, PrincipalId to, long requestId, Message message) {
        transmit(from, to, requestId, message, arrived -> {
            RunningOperation<?> running = operations.get(requestId);
            if (running != null && running.party().equals(to)) {
                performFor(running, running.operation().onMessage(nowMillis, from, arrived));
            }
        });
    }

    private void transmit(
            PrincipalId from, PrincipalId to, long requestId, Message message, Consumer<Message> arrival) {
        MessageCodec codec = codecs.stream()
                .filter(candidate -> candidate.handles(message))
                .findFirst()
                .orElseThrow(() -> new IllegalArgumentException("no codec for " + message));
        WireWriter out = new WireWriter();
        codec.write(message, out);
        Bytes body = out.toBytes();
        int type = codec.typeOf(message);
        trace.add(nowMillis, from + ">" + to + " " + requestId + " " + type, body);
        if (random.nextInt(1000) < faults.lossPermille()) {
            return;
        }
        int copies = random.nextInt(1000) < faults.repeatPermille() ? 2 : 1;
        for (int copy = 0; copy < copies; copy++) {
            schedule(
                    delay(),
                    "deliver " + to + " " + requestId,
                    () -> arrival.accept(codec.read(type, new WireReader(body))));
        }
    }

    private void saw(PrincipalId by, Effect.Evidence evidence) {
        trace.add(nowMillis, "evidence", by + " " + evidence);
        sightings.add(new Sighting(nowMillis, by, evidence));
    }

    private void schedule(long delayMillis, String what, Runnable action) {
        events.add(new Event(nowMillis + delayMillis, ++eventNumber, what, action));
    }

    private int delay() {
        return faults.delayMillisMin() + random.nextInt(faults.delayMillisMax() - faults.delayMillisMin() + 1);
    }

    private int diskDelay() {
        return random.nextInt(8) == 0 ? 1 + random.nextInt(50) : 1;
    }

    private SimulatedNode node(PrincipalId id) {
        return Objects.requireNonNull(nodes.get(id), () -> "no such node: " + id);
    }
}
