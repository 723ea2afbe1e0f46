package io.bulwark.simulation.ordering;

import io.bulwark.protocol.effect.ProtocolServer;
import io.bulwark.protocol.id.PrincipalId;
import io.bulwark.protocol.ordering.OrderingCodec;
import io.bulwark.protocol.ordering.OrderingMessage.Submit;
import io.bulwark.protocol.ordering.ReplicatedCall;
import io.bulwark.protocol.ordering.message.ReplicaMessage;
import io.bulwark.protocol.ordering.message.ReplicaMessage.Numbered;
import io.bulwark.protocol.ordering.message.ReplicaMessageCodec;
import io.bulwark.protocol.ordering.replica.ReplicaConfig;
import io.bulwark.protocol.wire.Bytes;
import io.bulwark.protocol.wire.WireReader;
import io.bulwark.simulation.campaign.Invariant;
import io.bulwark.simulation.campaign.Setting;
import io.bulwark.simulation.campaign.SimulatedWorld;
import io.bulwark.simulation.engine.ReplicaAnswers;
import io.bulwark.simulation.engine.RunningOperation;
import io.bulwark.simulation.engine.Simulation;
import io.bulwark.simulation.history.Action;
import io.bulwark.simulation.history.History;
import io.bulwark.simulation.history.HistoryRecorder;
import io.bulwark.simulation.history.Outcome;
import io.bulwark.simulation.history.RecordedOperation;
import java.util.ArrayList;
import java.util.Collections;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.NavigableMap;
import java.util.Optional;
import java.util.Random;
import java.util.Set;
import java.util.TreeMap;
import java.util.TreeSet;
import org.jspecify.annotations.Nullable;

/** 3f+1 replicas, f of which may lie, correct clients of a few registers, and clients that attack. */
public final class OrderingWorld implements SimulatedWorld {
    private static final int CLIENTS = 3;
    private static final int KEYS = 3;
    private static final int RUNNING_MAX = 20;
    private static final int CHECKPOINT_INTERVAL = 4;

    /** Operations end by agreement, never by a deadline. */
    private static final long NO_TIMEOUT_MILLIS = 1_000_000_000_000L;

    private static final ReplicaConfig.Timers TIMERS = new ReplicaConfig.Timers(100, 60, 300, 600, 8_000, 10_000);

    private record Attack(PrincipalId client, Bytes operation) {}

    private final Setting setting;
    private final Simulation simulation;
    private final Random random;
    private final List<PrincipalId> nodes = new ArrayList<>();
    private final Set<PrincipalId> faulty = new TreeSet<>();
    private final Map<Integer, ReplicaLies> liars = new TreeMap<>();
    private final @Nullable ProtocolServer[] servers;
    private final long[][] keys;
    private final int[] skewMillis;
    private final int logSize;
    private final OrderingInvariants invariants = new OrderingInvariants();
    private final HistoryRecorder recorder = new HistoryRecorder();
    private final OrderingAttacker attacker;
    private final Set<Attack> attacks = new HashSet<>();
    private final List<RunningOperation<?>> running = new ArrayList<>();
    private long numbers;
    private long completed;

    public OrderingWorld(Setting setting) {
        this.setting = setting;
        this.random = new Random(setting.random("ordering").nextLong());
        this.simulation = new Simulation(
                setting.seed(),
                setting.network(),
                List.of(new OrderingCodec(), new ReplicaMessageCodec()),
                (ReplicaAnswers) (_, _) -> Optional.empty());
        int count = 3 * setting.faults() + 1;
        logSize = random.nextBoolean() ? 2 * CHECKPOINT_INTERVAL : 4 * CHECKPOINT_INTERVAL;
        servers = new ProtocolServer[count];
        keys = new long[count][count];
        skewMillis = random.ints(count, 0, 500).toArray();
        for (int replica = 0; replica < count; replica++) {
            nodes.add(PrincipalId.replica(replica));
        }
        List<Integer> shuffled = new ArrayList<>();
        for (int replica = 0; replica < count; replica++) {
            shuffled.add(replica);
        }
        // As often as not, one of them is the first primary.
        Collections.shuffle(random.nextBoolean() ? shuffled : shuffled.subList(1, count), random);
        OrderingPlot plot = new OrderingPlot(new Random(random.nextLong()));
        for (int liar : shuffled.subList(0, setting.faults())) {
            faulty.add(PrincipalId.replica(liar));
            liars.put(liar, new ReplicaLies(this, liar, plot, new Random(random.nextLong())));
        }
        attacker = new OrderingAttacker(simulation, nodes, CLIENTS, setting.byzantineClients(), random);
        simulation.observe((from, _, _, message) -> {
            if (message instanceof Submit submit) {
                invariants.asked(from, submit.command());
            }
        });
        ReplicaConfig.Batches batches =
                new ReplicaConfig.Batches(1 + random.nextInt(4), 1 << 20, 1 + random.nextInt(3));
        for (int replica = 0; replica < count; replica++) {
            ReplicaConfig config = ReplicaConfig.of(replica, setting.faults())
                    .withLog(CHECKPOINT_INTERVAL, logSize)
                    .withBatches(batches)
                    .withTimers(TIMERS);
            simulation.addNode(PrincipalId.replica(replica), () -> start(config));
        }
    }

    private ProtocolServer start(ReplicaConfig config) {
        int self = config.self();
        PrincipalId id = PrincipalId.replica(self);
        renewKeys(self);
        ProtocolServer server = isFaulty(self)
                ? new FaultyReplica(() -> new OrderedReplica(this, config, simulation.records(id)))
                : new OrderedReplica(this, config, simulation.records(id));
        servers[self] = server;
        return server;
    }

    /** Every start begins with NEW-KEY: nothing that is under way counts any more. */
    private void renewKeys(int replica) {
        for (int other = 0; other < servers.length; other++) {
            if (other != replica) {
                keys[replica][other]++;
                keys[other][replica]++;
                OrderedReplica peer = replica(other);
                if (peer != null) {
                    peer.onKeyChange(replica);
                }
                OrderedReplica own = replica(replica);
                if (own != null) {
                    own.onKeyChange(other);
                }
            }
        }
    }

    private @Nullable OrderedReplica replica(int number) {
        return switch (servers[number]) {
            case OrderedReplica correct -> correct;
            case FaultyReplica liar -> liar.replica();
            case null, default -> null;
        };
    }

    // What replicas ask of the world.

    OrderingInvariants invariants() {
        return invariants;
    }

    boolean isFaulty(int replica) {
        return liars.containsKey(replica);
    }

    Set<Integer> liars() {
        return liars.keySet();
    }

    int logSize() {
        return logSize;
    }

    /** Which keys are in force from one replica to another. */
    long keyOf(int from, int to) {
        return keys[from][to];
    }

    long wallMillis(int replica) {
        return 1_000_000 + simulation.nowMillis() + skewMillis[replica];
    }

    void send(int from, int to, ReplicaMessage message) {
        ReplicaLies lies = liars.get(from);
        if (lies == null) {
            transmit(from, to, message);
        } else {
            lies.alter(to, message).forEach(each -> transmit(from, to, each));
        }
    }

    void transmit(int from, int to, ReplicaMessage message) {
        if (from != to && simulation.isUp(PrincipalId.replica(from))) {
            simulation.send(PrincipalId.replica(from), PrincipalId.replica(to), keys[from][to], message);
        }
    }

    void heard(int self, int from, ReplicaMessage message) {
        ReplicaLies lies = liars.get(self);
        if (lies != null) {
            lies.heard(from, message);
        }
    }

    void accused(int by, int replica, String what) {
        if (!isFaulty(by) && !isFaulty(replica)) {
            throw OrderingInvariants.NEVER_ACCUSED.violated("replica-" + replica, "by replica " + by + ": " + what);
        }
    }

    void executed(int replica, PrincipalId client, Bytes operation, boolean again) {
        invariants.executed(replica, client, operation);
        if (client.number() >= CLIENTS && !again && attacks.add(new Attack(client, operation))) {
            RegisterOperation write = RegisterOperation.decode(operation).orElseThrow();
            recorder.faulty(
                    client.toString(),
                    Action.WRITE,
                    "key-" + write.key(),
                    Long.toString(write.value()),
                    0,
                    simulation.nowMillis());
        }
    }

    /** State transfer: the state with this digest from anybody, or a later one that f+1 have. */
    Optional<RegisterState.Snapshot> findState(int self, Numbered wanted) {
        Map<Numbered, Integer> later = new TreeMap<>((one, other) -> Long.compare(other.sequence(), one.sequence()) != 0
                ? Long.compare(other.sequence(), one.sequence())
                : one.digest().compareTo(other.digest()));
        RegisterState.@Nullable Snapshot best = null;
        for (int other = 0; other < servers.length; other++) {
            OrderedReplica peer = replica(other);
            if (other == self || peer == null || !simulation.isUp(PrincipalId.replica(other))) {
                continue;
            }
            NavigableMap<Long, RegisterState.Snapshot> kept = peer.state().kept();
            for (RegisterState.Snapshot snapshot :
                    kept.tailMap(wanted.sequence(), true).values()) {
                Numbered named = new Numbered(snapshot.sequence(), snapshot.digest());
                int holders = later.merge(named, 1, Integer::sum);
                boolean believed =
                        named.equals(wanted) || (holders > setting.faults() && snapshot.sequence() > wanted.sequence());
                if (believed && (best == null || best.sequence() < snapshot.sequence())) {
                    best = snapshot;
                }
            }
        }
        return Optional.ofNullable(best);
    }

    // What the campaign asks of the world.

    @Override
    public Simulation simulation() {
        return simulation;
    }

    @Override
    public List<PrincipalId> nodes() {
        return List.copyOf(nodes);
    }

    @Override
    public Set<PrincipalId> faulty() {
        return faulty;
    }

    @Override
    public void step() {
        settle();
        int choice = random.nextInt(100);
        if (choice < 3) {
            crashAll();
        } else if (choice < 8) {
            renewKeys(random.nextInt(servers.length));
        } else if (choice < 25 && setting.byzantineClients() > 0) {
            attacker.step(setting.steps());
        } else if (running.size() < RUNNING_MAX) {
            if (choice < 65) {
                write();
            } else {
                read(random.nextInt(KEYS));
            }
        }
    }

    /** A power cut. */
    private void crashAll() {
        nodes.stream().filter(simulation::isUp).forEach(simulation::crash);
        nodes.forEach(simulation::restart);
    }

    private void write() {
        PrincipalId client = PrincipalId.client(random.nextInt(CLIENTS));
        RegisterOperation write = new RegisterOperation(numbers++, random.nextInt(KEYS), numbers);
        ReplicatedCall call = ReplicatedCall.command(nodes, write.encode(), NO_TIMEOUT_MILLIS, simulation.random());
        running.add(simulation.start(
                client,
                new RecordedOperation<>(
                        call,
                        now -> recorder.invoke(
                                client.toString(),
                                Action.WRITE,
                                "key-" + write.key(),
                                Long.toString(write.value()),
                                simulation.nowMillis()),
                        (pending, _, outcome) -> {
                            if (outcome instanceof ReplicatedCall.Agreed agreed) {
                                if (!agreed.reply().equals(RegisterState.DONE)) {
                                    throw Invariant.LINEARIZABLE.violated(
                                            client.toString(), "a reply to something else");
                                }
                                pending.ok(simulation.nowMillis());
                            } else {
                                pending.ended(simulation.nowMillis(), Outcome.UNKNOWN);
                            }
                        })));
    }

    private void read(int key) {
        PrincipalId client = PrincipalId.client(random.nextInt(CLIENTS));
        ReplicatedCall call =
                ReplicatedCall.query(nodes, RegisterOperation.query(key), NO_TIMEOUT_MILLIS, simulation.random());
        running.add(simulation.start(
                client,
                new RecordedOperation<>(
                        call,
                        _ -> recorder.invoke(
                                client.toString(), Action.READ, "key-" + key, null, simulation.nowMillis()),
                        (pending, _, outcome) -> {
                            if (outcome instanceof ReplicatedCall.Agreed agreed) {
                                pending.ok(simulation.nowMillis(), value(agreed.reply()), 0);
                            } else {
                                pending.ended(simulation.nowMillis(), Outcome.FAILED);
                            }
                        })));
    }

    private static @Nullable String value(Bytes reply) {
        return reply.isEmpty() ? null : Long.toString(new WireReader(reply).i64());
    }

    private void settle() {
        int before = running.size();
        running.removeIf(RunningOperation::finished);
        completed += before - running.size();
    }

    @Override
    public boolean idle() {
        return running.stream().allMatch(RunningOperation::finished);
    }

    @Override
    public void check() {
        settle();
    }

    @Override
    public void readEverything() {
        for (int key = 0; key < KEYS; key++) {
            read(key);
        }
        write();
    }

    @Override
    public void checkAtEnd() {
        settle();
    }

    @Override
    public History history() {
        return recorder.history();
    }

    @Override
    public String toString() {
        StringBuilder text = new StringBuilder();
        for (int number = 0; number < servers.length; number++) {
            text.append("replica ").append(number).append(isFaulty(number) ? " (faulty): " : ": ");
            OrderedReplica replica = replica(number);
            text.append(replica == null ? "gone" : replica.replica()).append('\n');
        }
        return text.toString();
    }

    @Override
    public long completed() {
        return completed;
    }
}
