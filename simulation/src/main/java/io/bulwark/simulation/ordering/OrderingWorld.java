package io.bulwark.simulation.ordering;

import io.bulwark.protocol.effect.ProtocolServer;
import io.bulwark.protocol.id.PrincipalId;
import io.bulwark.protocol.ordering.OrderingCodec;
import io.bulwark.protocol.ordering.OrderingMessage;
import io.bulwark.protocol.ordering.OrderingMessage.Submit;
import io.bulwark.protocol.ordering.ReplicatedCall;
import io.bulwark.protocol.ordering.message.ReplicaMessage;
import io.bulwark.protocol.ordering.message.ReplicaMessageCodec;
import io.bulwark.protocol.ordering.recovery.RecoveryReport;
import io.bulwark.protocol.ordering.replica.ReplicaConfig;
import io.bulwark.protocol.ordering.replica.Start;
import io.bulwark.protocol.state.MemoryPageStore;
import io.bulwark.protocol.wire.Bytes;
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
import java.util.Arrays;
import java.util.Collections;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Random;
import java.util.Set;
import java.util.TreeMap;
import java.util.TreeSet;
import java.util.random.RandomGenerator;
import java.util.stream.Collectors;
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

    private static final int QUIET_ONE_IN = 12;
    private static final int QUIET_MILLIS = 1_500;
    private static final long KEY_MILLIS = 1_000;
    private static final ReplicaConfig.Recoveries RECOVERIES = new ReplicaConfig.Recoveries(1_500, KEY_MILLIS, 10_000);

    private record Attack(PrincipalId client, Bytes operation) {}

    private final Setting setting;
    private final Simulation simulation;
    private final Random random;
    private final List<PrincipalId> nodes = new ArrayList<>();
    private final Set<PrincipalId> faulty = new TreeSet<>();
    private final Map<Integer, ReplicaLies> liars = new TreeMap<>();
    private final @Nullable ProtocolServer[] servers;
    private final SimulatedKeys keys;
    private final Start[] starts;
    private final List<MemoryPageStore> stores = new ArrayList<>();
    private final RecoveryPlan plan;
    private final OrderingPlot plot;
    private final boolean moves;
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
        keys = new SimulatedKeys(count, KEY_MILLIS);
        starts = new Start[count];
        Arrays.fill(starts, Start.NORMAL);
        skewMillis = random.ints(count, 0, 500).toArray();
        for (int replica = 0; replica < count; replica++) {
            nodes.add(PrincipalId.replica(replica));
            stores.add(new MemoryPageStore());
        }
        List<Integer> shuffled = new ArrayList<>();
        for (int replica = 0; replica < count; replica++) {
            shuffled.add(replica);
        }
        // As often as not, one of them is the first primary.
        Collections.shuffle(random.nextBoolean() ? shuffled : shuffled.subList(1, count), random);
        plot = new OrderingPlot(new Random(random.nextLong()));
        int forgetful = random.nextInt(4) == 0 ? shuffled.get(0) : -1;
        moves = forgetful < 0 && random.nextInt(3) == 0;
        for (int liar : shuffled.subList(forgetful < 0 ? 0 : 1, setting.faults())) {
            liars.put(liar, new ReplicaLies(this, liar, plot, new Random(random.nextLong())));
            if (!moves) {
                faulty.add(PrincipalId.replica(liar));
            }
        }
        plan = new RecoveryPlan(
                new Recoveries(),
                new Random(random.nextLong()),
                count,
                liars.keySet(),
                setting.faults(),
                forgetful,
                moves,
                // Clocks run a fifth too slow at most.
                5 * KEY_MILLIS / 2);
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
                    .withTimers(TIMERS)
                    .withRecoveries(RECOVERIES);
            simulation.addNode(PrincipalId.replica(replica), () -> start(config));
        }
    }

    private ProtocolServer start(ReplicaConfig config) {
        int self = config.self();
        renewKeys(self);
        Start why = reason(self);
        ProtocolServer server = isFaulty(self) ? new FaultyReplica(() -> startFaulty(config, why)) : life(config, why);
        servers[self] = server;
        return server;
    }

    /** That all is forgotten is kept beside the log until the log says so. */
    private Start reason(int replica) {
        Start why = isLost(replica) || starts[replica] != Start.FORGOTTEN ? starts[replica] : Start.NORMAL;
        starts[replica] = why == Start.FORGOTTEN ? why : Start.NORMAL;
        return why;
    }

    /** It has forgotten all, and its log does not say so yet. */
    private boolean isLost(int replica) {
        return starts[replica] == Start.FORGOTTEN
                && simulation.records(PrincipalId.replica(replica)).keys().isEmpty();
    }

    private OrderedReplica life(ReplicaConfig config, Start why) {
        PrincipalId id = PrincipalId.replica(config.self());
        return new OrderedReplica(this, config, why, simulation.records(id), stores.get(config.self()));
    }

    /** What the rot has left of its promises is not enough, or is. */
    private OrderedReplica startFaulty(ReplicaConfig config, Start why) {
        try {
            return life(config, why);
        } catch (RuntimeException rotten) {
            ReplicaDisk.forget(simulation.records(PrincipalId.replica(config.self())));
            return life(config, Start.FORGOTTEN);
        }
    }

    /** What recoveries come to in this world. */
    private final class Recoveries implements RecoveryPlan.Host {
        @Override
        public @Nullable RecoveryReport report(int number) {
            OrderedReplica life = simulation.isUp(PrincipalId.replica(number)) ? replica(number) : null;
            return life == null ? null : life.replica().recoveries(simulation.localMillis(PrincipalId.replica(number)));
        }

        @Override
        public void recover(int number, boolean handsOver) {
            PrincipalId id = PrincipalId.replica(number);
            if (simulation.isUp(id)) {
                OrderedReplica life = replica(number);
                if (handsOver && life != null) {
                    life.handOver(simulation.localMillis(id));
                }
                simulation.crash(id);
            }
            ReplicaLies lies = liars.get(number);
            if (moves && lies != null) {
                lies.end();
            }
            if (!isLost(number)) {
                starts[number] = Start.RECOVERING;
            }
            simulation.restart(id);
        }

        @Override
        public void forget(int number) {
            PrincipalId id = PrincipalId.replica(number);
            if (simulation.isUp(id)) {
                simulation.crash(id);
            }
            ReplicaDisk.forget(simulation.records(id));
            starts[number] = Start.FORGOTTEN;
            simulation.restart(id);
        }

        @Override
        public void move(int liar, int next) {
            liars.remove(liar);
            liars.put(next, new ReplicaLies(OrderingWorld.this, next, plot, new Random(random.nextLong())));
        }

        @Override
        public long nowMillis() {
            return simulation.nowMillis();
        }
    }

    /** Its log is forged: another life begins without it. */
    void forgets(int number) {
        if (!isFaulty(number)) {
            throw new IllegalStateException("replica " + number + " gives up a log that is right");
        }
    }

    /** Every start begins with NEW-KEY: nothing that is under way counts any more. */
    private void renewKeys(int replica) {
        for (int other = 0; other < servers.length; other++) {
            if (other != replica) {
                keys.change(replica, other);
                keys.change(other, replica);
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

    /** Those in which right code has not begun to run again. */
    Set<Integer> liars() {
        return liars.entrySet().stream()
                .filter(each -> !each.getValue().isOver())
                .map(Map.Entry::getKey)
                .collect(Collectors.toCollection(TreeSet::new));
    }

    int logSize() {
        return logSize;
    }

    /** Which keys are in force from one replica to another. */
    long keyOf(int from, int to) {
        return keys.of(from, to);
    }

    SimulatedKeys keys() {
        return keys;
    }

    RandomGenerator randomOf() {
        return new Random(random.nextLong());
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
            simulation.send(PrincipalId.replica(from), PrincipalId.replica(to), keys.of(from, to), message);
        }
    }

    /** What a replica tells a client. */
    OrderingMessage answer(int self, OrderingMessage.Reply reply, int replier) {
        ReplicaLies lies = liars.get(self);
        OrderingMessage.Reply said = lies == null ? reply : lies.alter(reply);
        return lies != null && lies.withholds() ? said.by(self, (self + 1) % nodes.size()) : said.by(self, replier);
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
        plan.step();
        if (random.nextInt(QUIET_ONE_IN) == 0) {
            simulation.runFor(random.nextInt(QUIET_MILLIS)); // time for a recovery
        }
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
        return reply.isEmpty() ? null : Long.toString(RegisterState.value(reply));
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
