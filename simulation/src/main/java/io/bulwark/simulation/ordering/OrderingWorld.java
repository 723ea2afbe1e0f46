package io.bulwark.simulation.ordering;

import io.bulwark.protocol.effect.ClientOperation;
import io.bulwark.protocol.id.PrincipalId;
import io.bulwark.protocol.ordering.OrderingCodec;
import io.bulwark.protocol.ordering.OrderingMessage;
import io.bulwark.protocol.ordering.OrderingMessage.Submit;
import io.bulwark.protocol.ordering.ReplicatedCall;
import io.bulwark.protocol.ordering.driver.ReplicaConfig;
import io.bulwark.protocol.ordering.key.KeyMessageCodec;
import io.bulwark.protocol.ordering.membership.Configuration;
import io.bulwark.protocol.ordering.membership.MembershipCodec;
import io.bulwark.protocol.ordering.message.ReplicaMessage;
import io.bulwark.protocol.ordering.recovery.RecoveryReport;
import io.bulwark.protocol.wire.Bytes;
import io.bulwark.simulation.campaign.Setting;
import io.bulwark.simulation.campaign.SimulatedWorld;
import io.bulwark.simulation.engine.ReplicaAnswers;
import io.bulwark.simulation.engine.Simulation;
import io.bulwark.simulation.history.History;
import java.util.ArrayList;
import java.util.Collections;
import java.util.List;
import java.util.Map;
import java.util.Objects;
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
    private static final int CHECKPOINT_INTERVAL = 4;

    private static final ReplicaConfig.Timers TIMERS = new ReplicaConfig.Timers(100, 60, 300, 600, 8_000, 10_000);

    private static final int QUIET_ONE_IN = 12;
    private static final int QUIET_MILLIS = 1_500;
    private static final int SLOW_MILLIS = 10_000;

    private final Setting setting;
    private final Simulation simulation;
    private final Random random;
    private final RandomGenerator primaryRandom;
    private final RandomGenerator intruderRandom;
    private final RandomGenerator loneRandom;
    private final TightQuotas rooms;
    private final List<PrincipalId> nodes = new ArrayList<>();
    private final Set<PrincipalId> faulty = new TreeSet<>();
    private final Map<Integer, ReplicaLies> liars = new TreeMap<>();
    private final Processes processes;
    private final OrderingKeys keys;
    private final RecoveryPlan plan;
    private final OrderingPlot plot;
    private final ForgedLogRecords forged;
    private final boolean moves;
    private final int[] skewMillis;
    private final int logSize;
    private final OrderingInvariants invariants = new OrderingInvariants();
    private final OrderingAttacker attacker;
    private final OrderingClients clients;
    private final @Nullable Replacements replacements;

    public OrderingWorld(Setting setting) {
        this(setting, 0);
    }

    /**
     * @param spares number of additional replicas, which take the places of others
     */
    OrderingWorld(Setting setting, int spares) {
        this.setting = setting;
        this.random = new Random(setting.random("ordering").nextLong());
        this.primaryRandom = setting.random("primaries");
        this.intruderRandom = setting.random("intruder");
        this.loneRandom = setting.random("lone backups");
        this.rooms = new TightQuotas(setting.random("rooms"));
        this.simulation = new Simulation(
                setting.seed(),
                setting.network(),
                List.of(new OrderingCodec(), new OpenedMessage.Codec(), new KeyMessageCodec(), new MembershipCodec()),
                (ReplicaAnswers) (_, _) -> Optional.empty());
        int members = 3 * setting.faults() + 1;
        int count = members + spares;
        logSize = random.nextBoolean() ? 2 * CHECKPOINT_INTERVAL : 4 * CHECKPOINT_INTERVAL;
        processes = new Processes(this, simulation, count);
        keys = new OrderingKeys(this, setting, count);
        long keyMillis = OrderingKeys.keyMillis(setting);
        skewMillis = random.ints(count, 0, 500).toArray();
        for (int replica = 0; replica < count; replica++) {
            nodes.add(PrincipalId.replica(replica));
        }
        List<Integer> shuffled = new ArrayList<>();
        for (int replica = 0; replica < members; replica++) {
            shuffled.add(replica);
        }
        // As often as not, one of them is the first primary.
        Collections.shuffle(random.nextBoolean() ? shuffled : shuffled.subList(1, members), random);
        plot = new OrderingPlot(new Random(random.nextLong()));
        forged = new ForgedLogRecords(
                plot, intruderRandom(), setting.random("short views"), quorum(), logSize, CHECKPOINT_INTERVAL);
        int forgetful = random.nextInt(4) == 0 ? shuffled.get(0) : -1;
        moves = forgetful < 0 && random.nextInt(3) == 0 && spares == 0;
        for (int liar : shuffled.subList(forgetful < 0 ? 0 : 1, setting.faults())) {
            liars.put(liar, new ReplicaLies(this, liar, plot, new Random(random.nextLong())));
            if (!moves) {
                faulty.add(PrincipalId.replica(liar));
            }
        }
        replacements = spares == 0 ? null : replacements(spares);
        clients = new OrderingClients(simulation, random, replacements == null ? new FixedDirectory() : replacements);
        plan = new RecoveryPlan(
                new Recoveries(),
                new Random(random.nextLong()),
                count,
                liars.keySet(),
                setting.faults(),
                forgetful,
                moves,
                // Clocks run a fifth too slow at most.
                5 * keyMillis / 2);
        attacker = new OrderingAttacker(simulation, nodes, OrderingClients.CLIENTS, setting.byzantineClients(), random);
        simulation.observe((from, _, _, message) -> {
            if (message instanceof Submit submit) {
                invariants.asked(from, submit.command());
            }
        });
        ReplicaConfig.Batches batches =
                new ReplicaConfig.Batches(1 + random.nextInt(4), 1 << 20, 1 + random.nextInt(3));
        for (int replica = 0; replica < count; replica++) {
            int self = replica;
            ReplicaConfig config = ReplicaConfig.of(0, setting.faults())
                    .withLog(CHECKPOINT_INTERVAL, logSize)
                    .withBatches(batches)
                    .withRoom(rooms.room())
                    .withTimers(TIMERS)
                    .withRecoveries(new ReplicaConfig.Recoveries(OrderingKeys.WATCHDOG_MILLIS, keyMillis, SLOW_MILLIS));
            simulation.addNode(PrincipalId.replica(replica), () -> processes.start(self, config));
        }
    }

    private Replacements replacements(int spares) {
        int liar = liars.isEmpty() ? -1 : liars.keySet().iterator().next();
        Replacements made = new Replacements(
                this,
                new ReplacedReplicas(this, plot),
                simulation,
                new Random(random.nextLong()),
                setting.faults(),
                spares,
                liar);
        if (made.falseSpare() >= 0) {
            corrupt(made.falseSpare());
            faulty.add(PrincipalId.replica(made.falseSpare()));
        }
        return made;
    }

    void corrupt(int name) {
        liars.put(name, new ReplicaLies(this, name, plot, new Random(random.nextLong())));
    }

    /** Clients of replicas that stay. */
    private final class FixedDirectory implements OrderingClients.Directory {
        @Override
        public List<PrincipalId> replicas(PrincipalId client) {
            return nodes;
        }

        @Override
        public ClientOperation<ReplicatedCall.Outcome> following(PrincipalId client, ReplicatedCall call) {
            return call;
        }
    }

    /** Effects of recoveries in this world. */
    private final class Recoveries implements RecoveryPlan.Host {
        @Override
        public @Nullable RecoveryReport report(int number) {
            OrderedMember up = simulation.isUp(PrincipalId.replica(number)) ? processes.memberOf(number) : null;
            return up == null ? null : up.report(simulation.localMillis(PrincipalId.replica(number)));
        }

        @Override
        public void recover(int number, boolean handsOver) {
            PrincipalId id = PrincipalId.replica(number);
            if (simulation.isUp(id)) {
                OrderedMember member = processes.memberOf(number);
                if (handsOver && member != null) {
                    member.handOver(simulation.localMillis(id));
                }
                simulation.crash(id);
            }
            ReplicaLies lies = liars.get(number);
            if (moves && lies != null && !lies.isOver()) {
                lies.end();
                keys.of(number).lose();
                forged.leave(simulation.records(id));
            }
            processes.recover(number);
            simulation.restart(id);
        }

        @Override
        public void forget(int number) {
            PrincipalId id = PrincipalId.replica(number);
            if (simulation.isUp(id)) {
                simulation.crash(id);
            }
            processes.forget(number);
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

    /** Returns how often the replicas have changed. */
    long configurations() {
        return processes.lastConfiguration();
    }

    /** Returns the changes of the replicas in a world that has them. */
    Replacements replacements() {
        return Objects.requireNonNull(replacements, "the replicas stay");
    }

    boolean isAway(int replica) {
        return replacements != null && replacements.isAway(replica);
    }

    /** Null if the replicas stay. */
    @Nullable
    Configuration genesis() {
        return replacements == null ? null : replacements.genesis();
    }

    // Methods that replicas call.

    OrderingInvariants invariants() {
        return invariants;
    }

    Processes processes() {
        return processes;
    }

    boolean isFaulty(int replica) {
        return liars.containsKey(replica);
    }

    /** All that lie, or have lied. */
    Set<Integer> faultyNames() {
        return liars.keySet();
    }

    OrderingClients clients() {
        return clients;
    }

    /** Returns the faulty replicas in which correct code does not run again yet. */
    Set<Integer> liars() {
        return liars.entrySet().stream()
                .filter(each -> !each.getValue().isOver())
                .map(Map.Entry::getKey)
                .collect(Collectors.toCollection(TreeSet::new));
    }

    int logSize() {
        return logSize;
    }

    int quorum() {
        return 2 * setting.faults() + 1;
    }

    boolean hasMoreThanOneFault() {
        return setting.faults() > 1;
    }

    /** Null if there is none with this number. */
    @Nullable
    Configuration configuration(long number) {
        return replacements == null ? Configuration.fixed(setting.faults()) : replacements.of(number);
    }

    /** Returns whether an intruder controls it. */
    boolean isLying(int replica) {
        ReplicaLies lies = liars.get(replica);
        return lies != null && !lies.isOver();
    }

    /** Returns whether faulty replicas behave correctly for now. */
    boolean mayLiarsHelp() {
        return replacements != null && replacements.mayLiarsHelp();
    }

    OrderingKeys keys() {
        return keys;
    }

    RandomGenerator primaryRandom() {
        return new Random(primaryRandom.nextLong());
    }

    RandomGenerator intruderRandom() {
        return new Random(intruderRandom.nextLong());
    }

    RandomGenerator loneRandom() {
        return new Random(loneRandom.nextLong());
    }

    RandomGenerator randomOf() {
        return new Random(random.nextLong());
    }

    long wallMillis(int replica) {
        return 1_000_000 + simulation.nowMillis() + skewMillis[replica];
    }

    /** Returns the replica's lies, or null if it behaves correctly now. */
    private @Nullable ReplicaLies lying(int replica) {
        return mayLiarsHelp() ? null : liars.get(replica);
    }

    void send(int from, int to, long configuration, ReplicaMessage message) {
        ReplicaLies lies = lying(from);
        if (lies == null) {
            transmit(from, to, configuration, message);
        } else {
            lies.alter(to, message).forEach(each -> transmit(from, to, each));
        }
    }

    /** Sends a faulty replica's message in the receiver's configuration. */
    void transmit(int from, int to, ReplicaMessage message) {
        OrderedMember receiver = processes.memberOf(to);
        transmit(from, to, receiver == null ? 0 : receiver.configuration(), message);
    }

    void transmit(int from, int to, long configuration, ReplicaMessage message) {
        if (from != to && simulation.isUp(PrincipalId.replica(from))) {
            keys.of(from).send(to, configuration, message);
        }
    }

    /** Returns a replica's answer to a client. */
    OrderingMessage answer(int self, OrderingMessage.Reply reply, int replier) {
        ReplicaLies lies = lying(self);
        OrderingMessage.Reply said = lies == null ? reply : lies.alter(reply);
        return lies != null && lies.isWithholding() ? said.by(self, (self + 1) % nodes.size()) : said.by(self, replier);
    }

    void heard(int self, int from, ReplicaMessage message) {
        ReplicaLies lies = liars.get(self);
        if (lies != null) {
            lies.heard(from, message);
        }
    }

    void onAccused(int by, int replica, String what) {
        if (!isFaulty(by) && !isFaulty(replica)) {
            throw OrderingInvariants.NEVER_ACCUSED.violation("replica-" + replica, "by replica " + by + ": " + what);
        }
    }

    void executed(int replica, PrincipalId client, Bytes operation, boolean again) {
        invariants.executed(replica, client, operation);
        clients.executed(client, operation, again);
    }

    // Methods that the campaign calls.

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
        clients.settle();
        plan.step();
        keys.lies().step();
        if (replacements != null) {
            replacements.step();
        }
        if (random.nextInt(QUIET_ONE_IN) == 0) {
            simulation.runFor(random.nextInt(QUIET_MILLIS)); // time for a recovery
        }
        int choice = random.nextInt(100);
        if (choice < 3) {
            crashAll();
        } else if (choice < 25 && setting.byzantineClients() > 0) {
            if (rooms.isFlooding()) {
                rooms.flood(simulation, nodes, OrderingClients.CLIENTS, setting.byzantineClients());
            } else {
                attacker.step(setting.steps());
            }
        } else if (!clients.areBusy()) {
            if (choice < 65) {
                clients.write();
            } else {
                clients.read();
            }
        }
    }

    @Override
    public void healed() {
        if (replacements != null) {
            replacements.healed();
        }
    }

    /** A power cut. */
    private void crashAll() {
        nodes.stream().filter(simulation::isUp).forEach(simulation::crash);
        nodes.forEach(simulation::restart);
    }

    @Override
    public boolean isIdle() {
        return clients.isIdle() && (replacements == null || (replacements.isIdle() && processes.areSettled()));
    }

    @Override
    public void check() {
        clients.settle();
    }

    @Override
    public void readEverything() {
        clients.readEverything();
    }

    @Override
    public void checkAtEnd() {
        clients.settle();
        keys.checkAtEnd();
    }

    @Override
    public History history() {
        return clients.history();
    }

    @Override
    public String toString() {
        StringBuilder text = new StringBuilder();
        for (int number = 0; number < nodes.size(); number++) {
            text.append("replica ").append(number).append(isFaulty(number) ? " (faulty): " : ": ");
            OrderedMember member = processes.memberOf(number);
            text.append(member == null ? "gone" : member).append('\n');
        }
        return text.toString();
    }

    @Override
    public long completed() {
        return clients.completed();
    }
}
