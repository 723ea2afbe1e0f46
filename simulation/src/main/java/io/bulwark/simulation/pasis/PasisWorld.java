package io.bulwark.simulation.pasis;

import io.bulwark.protocol.cluster.Fact;
import io.bulwark.protocol.cluster.Protocol;
import io.bulwark.protocol.cluster.RevocationWatch;
import io.bulwark.protocol.effect.ClientOperation;
import io.bulwark.protocol.effect.ProtocolServer;
import io.bulwark.protocol.id.BlockId;
import io.bulwark.protocol.id.PrincipalId;
import io.bulwark.protocol.kernel.Timeouts;
import io.bulwark.protocol.pasis.PasisCodec;
import io.bulwark.protocol.pasis.PasisGroup;
import io.bulwark.protocol.pasis.PasisLimits;
import io.bulwark.protocol.pasis.PasisMessage;
import io.bulwark.protocol.pasis.PasisReadOutcome;
import io.bulwark.protocol.pasis.PasisWriteOutcome;
import io.bulwark.protocol.pasis.ValidatingTimestamp;
import io.bulwark.protocol.wire.Bytes;
import io.bulwark.simulation.byzantine.Collusion;
import io.bulwark.simulation.byzantine.Liar;
import io.bulwark.simulation.campaign.Setting;
import io.bulwark.simulation.campaign.SimulatedWorld;
import io.bulwark.simulation.engine.Simulation;
import io.bulwark.simulation.history.History;
import io.bulwark.simulation.register.FreshBlocks;
import io.bulwark.simulation.register.OperationsInFlight;
import io.bulwark.simulation.register.RegisterChanges;
import io.bulwark.simulation.register.RegisterParty;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Random;
import java.util.Set;
import java.util.concurrent.atomic.AtomicReference;
import java.util.function.Predicate;
import java.util.stream.Collectors;
import java.util.stream.IntStream;

/** A few registers, correct clients that read and write them, b nodes and some clients that attack them. */
public final class PasisWorld implements SimulatedWorld {
    private static final int WRITERS = 3;
    private static final int MORE_NODES = 2;
    private static final int LOWERINGS_MAX = 2;
    private static final int ATTACKERS_FROM = 20;
    private static final PrincipalId READER = PrincipalId.client(9);
    /** Time in which nodes retry to decide the undecided versions of a revoked client. */
    private static final long DECIDED_MILLIS = 45_000;

    private static final Timeouts TIMES = new Timeouts(120, 300, 2_000, 10_000_000);

    private final Random random;
    private final PasisParts parts;
    private final int blocks;
    private final PasisVolume volume;
    private final FreshBlocks values;
    private final PasisLimits limits;
    /** Smallest quota of a client, in versions. */
    private int perClient;

    private final Simulation simulation;
    private final List<PrincipalId> nodes = new ArrayList<>();
    private final Set<PrincipalId> faulty = new HashSet<>();
    /** Faulty nodes that are correct until the volume tolerates so many for good: one that has lied counts for ever. */
    private final Set<PrincipalId> sleepers;

    private final Set<PrincipalId> attackingParties;
    private final PasisInvariants invariants;
    private final PasisRecorder recorder = new PasisRecorder();
    private final OperationsInFlight<PasisGroup> pending;
    private final PasisOperations operations;
    private final List<PasisAttacker> attackers = new ArrayList<>();
    private final Map<ClientBlock, Integer> busy = new HashMap<>();
    /** Accounts of operations that failed at a change, and may have left versions at nodes. */
    private final Set<ClientBlock> orphanedPrepares = new HashSet<>();
    /** Randomness of sessions and epochs, apart from that of the workload. */
    private final Random changes;

    private final int changesEvery;
    /** Randomness of the number of clients that nodes are told of, apart from all else. */
    private final Random numbers;

    private final int clients;
    private int known;
    /**
     * True if the attackers are revoked once all nodes are correct, except for the faulty ones and some that come back
     * then.
     */
    private final boolean revokes;

    /** True once the faulty nodes run correct code, with their old disks. */
    private boolean reformed;

    /** Changes of the holders; empty if the holders stay the same. */
    private final Optional<RegisterChanges> holders;

    private final long[] sessions = new long[WRITERS + 1];
    private final List<Fact> facts = new ArrayList<>();
    private long lastSession = 1_000;

    private record ClientBlock(PrincipalId client, BlockId block) {}

    /** @param policies whether the operator gives the volume other policies, too */
    PasisWorld(Setting setting, PasisParts parts, Protocol protocol, boolean replacing, boolean policies) {
        this.parts = parts;
        this.random = new Random(setting.random("pasis").nextLong());
        this.changes = new Random(setting.random("changes").nextLong());
        this.changesEvery = changes.nextBoolean() ? 0 : 2 + changes.nextInt(20);
        this.revokes = setting.random("revocations").nextBoolean();
        this.blocks = 1 + random.nextInt(3);
        Random placing = new Random(setting.random("holders").nextLong());
        boolean changesFaults = replacing && !policies && setting.faults() > 1;
        this.volume = new PasisVolume(
                setting,
                protocol,
                blocks,
                replacing ? 1 + placing.nextInt(MORE_NODES) + (policies ? MORE_NODES : 0) : 0);
        int lowerings = changesFaults ? placing.nextInt(LOWERINGS_MAX + 1) : 0;
        if (changesFaults && (lowerings == 0 || placing.nextBoolean())) {
            volume.placed().beginWith(setting.faults() - 1);
        }
        this.values = new FreshBlocks(volume.policy().blockBytes());
        this.holders = replacing
                ? Optional.of(new RegisterChanges(
                        volume.placed(), faulty, volume.nodes(), setting.faults(), lowerings, placing))
                : Optional.empty();
        if (policies) {
            holders.orElseThrow().changePolicies(volume.otherPolicies());
        }
        this.numbers = new Random(setting.random("clients").nextLong());
        this.clients = WRITERS + setting.byzantineClients();
        this.limits = limits();
        this.simulation = new Simulation(
                setting.seed(), setting.network(), List.of(new PasisCodec()), (_, question) -> volume.answer(question));
        this.pending = new OperationsInFlight<>(simulation);
        this.operations = new PasisOperations(
                parts,
                volume,
                TIMES,
                replacing,
                new Random(setting.random("plans").nextLong()));
        // A slot whose holder has not confirmed counts among the b, so that fewer nodes may lie in some runs.
        int lyingMax = setting.faults() - (changesFaults ? 1 : 0);
        int lying = replacing ? placing.nextInt(lyingMax + 1) : setting.faults();
        this.sleepers = chooseFaulty(lying, changesFaults);
        this.attackingParties = new HashSet<>(faulty);
        List<PrincipalId> correct = IntStream.range(0, volume.nodes())
                .mapToObj(PrincipalId::node)
                .filter(node -> !faulty.contains(node))
                .toList();
        this.invariants = new PasisInvariants(
                simulation,
                volume,
                attackingParties,
                correct,
                limits,
                version -> attackers.stream().anyMatch(attacker -> attacker.isPoisoned(version)));
        invariants.asleep(
                node -> sleepers.contains(node) && !holders.orElseThrow().isRaisedForGood());
        simulation.observe((from, to, _, message) -> {
            if (message instanceof PasisMessage.Write write && !faulty.contains(to)) {
                sent(from, write);
            }
        });
        Random malice = new Random(setting.random("malice").nextLong());
        PasisPlot plot = new PasisPlot(new Collusion(simulation, attackingParties, malice), malice);
        int everyTicks = random.nextInt(4) == 0 ? 0 : 1 + random.nextInt(30);
        for (int node = 0; node < volume.nodes(); node++) {
            addNode(PrincipalId.node(node), everyTicks, plot);
        }
        addAttackers(setting.byzantineClients(), plot);
        openSessions();
    }

    private void addAttackers(int number, PasisPlot plot) {
        List<PrincipalId> liars = faulty().stream().sorted().toList();
        for (int i = 0; i < number; i++) {
            PrincipalId self = PrincipalId.client(ATTACKERS_FROM + i);
            attackingParties.add(self);
            volume.open(self, self.number());
            attackers.add(new PasisAttacker(self, self.number(), simulation, plot, TIMES, values::next, liars));
        }
    }

    private void openSessions() {
        for (int writer = 1; writer <= WRITERS; writer++) {
            sessions[writer] = writer;
            volume.open(PrincipalId.client(writer), writer);
        }
    }

    /** Chooses the faulty nodes, and returns the one that lies only later. */
    private Set<PrincipalId> chooseFaulty(int lying, boolean raises) {
        while (faulty.size() < lying) {
            faulty.add(PrincipalId.node(random.nextInt(volume.nodes())));
        }
        Set<PrincipalId> awake = Set.copyOf(faulty);
        while (raises && faulty.size() == lying) {
            faulty.add(PrincipalId.node(random.nextInt(volume.nodes())));
        }
        return faulty.stream().filter(node -> !awake.contains(node)).collect(Collectors.toUnmodifiableSet());
    }

    /**
     * The pool is the product of the clients and a share for each, so that a faulty one denies service only to itself. While nodes know of
     * fewer clients a client may take twice its share.
     */
    private PasisLimits limits() {
        int perBlock = 2 + random.nextInt(7);
        perClient = perBlock * (1 + random.nextInt(blocks));
        long charge =
                PasisLimits.charge(volume.policy().fragmentBytes(volume.policy().blockBytes()));
        long share = (long) Math.max(PasisLimits.CLIENT_VERSIONS_MIN, perClient) * charge;
        return new PasisLimits(
                perBlock,
                random.nextBoolean() ? perClient : 4_096,
                2 * share,
                clients * share,
                random.nextInt(3) != 0,
                50,
                1 + random.nextInt(4),
                random.nextBoolean() ? 1 : 4_096,
                256,
                2_000,
                200,
                4_000);
    }

    private void sent(PrincipalId from, PasisMessage.Write write) {
        BlockId block = write.target().block();
        invariants.sent(block, write.timestamp());
        if (from.number() >= ATTACKERS_FROM && volume.has(block)) {
            recorder.sent(from, block, write.timestamp(), simulation.nowMillis());
        }
    }

    private void addNode(PrincipalId node, int everyTicks, PasisPlot plot) {
        nodes.add(node);
        Random schedule = new Random(random.nextLong());
        if (faulty.contains(node)) {
            boolean sleeps = sleepers.contains(node);
            Liar liar = Liar.any(new PasisLies(volume, plot), plot.random())
                    .asleepWhile(() -> sleeps && !holders.orElseThrow().isRaisedForGood());
            boolean liesOfEpochs = !sleeps && malice(plot);
            simulation.addNode(node, () -> {
                ProtocolServer server = party(node, server(node, schedule, everyTicks), liesOfEpochs);
                return reformed ? server : liar.wrap(server);
            });
        } else {
            simulation.addNode(node, () -> party(node, server(node, schedule, everyTicks), false));
        }
    }

    private boolean malice(PasisPlot plot) {
        return holders.isPresent() && plot.random().nextBoolean();
    }

    private ProtocolServer party(PrincipalId node, ProtocolServer server, boolean liesOfEpochs) {
        return holders.isEmpty() ? server : new RegisterParty(node, server, volume.placed(), liesOfEpochs);
    }

    private ProtocolServer server(PrincipalId node, Random schedule, int everyTicks) {
        RevocationWatch revocations = faulty.contains(node)
                ? RevocationWatch.NONE
                : (revoked, undecided) -> invariants.refuses(node, revoked, undecided);
        return new ScheduledServer(
                node, schedule, everyTicks, watch -> parts.server(node, limits, () -> known, watch, revocations));
    }

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
        return faulty.stream().filter(node -> !sleepers.contains(node)).collect(Collectors.toUnmodifiableSet());
    }

    @Override
    public void step() {
        holders.ifPresent(all -> {
            simulation.runFor(all.pauseMillis());
            all.step();
        });
        if (numbers.nextInt(8) == 0) {
            known = numbers.nextInt(clients + 1);
        }
        if (changesEvery != 0 && changes.nextInt(changesEvery) == 0) {
            change();
        }
        PasisGroup group = volume.group(random.nextInt(blocks));
        PrincipalId client = PrincipalId.client(1 + random.nextInt(WRITERS));
        if (!attackers.isEmpty() && random.nextInt(3) == 0) {
            PasisAttacker attacker = attackers.get(random.nextInt(attackers.size()));
            attacker.move(volume.anyGroup(group.block().number(), changes));
            return;
        }
        switch (random.nextInt(6)) {
            case 0, 1, 2 -> write(client, group);
            case 3, 4 -> read(client, sessions[client.number()], group);
            default -> read(READER, 0, group);
        }
    }

    private void change() {
        PasisAttacker attacker = attackers.isEmpty() ? null : attackers.get(changes.nextInt(attackers.size()));
        PasisGroup group = volume.anyGroup(changes.nextInt(blocks), changes);
        switch (changes.nextInt(6)) {
            case 0 -> {
                int writer = 1 + changes.nextInt(WRITERS);
                PrincipalId client = PrincipalId.client(writer);
                outdate(work -> work.client().equals(client));
                sessions[writer] = closeAndReopen(client, sessions[writer]);
            }
            case 1 -> {
                if (holders.isPresent()) {
                    return;
                }
                // The holders stay and keep their data, but messages of the old epoch count no more.
                tell(volume.nextEpoch());
                outdate(_ -> true);
            }
            case 2 -> {
                if (attacker != null) {
                    attacker.reopened(closeAndReopen(attacker.self(), attacker.session()));
                }
            }
            case 3 -> {
                if (attacker != null) {
                    attacker.sendHeld(group);
                }
            }
            default -> {
                if (attacker != null) {
                    attacker.hold(group);
                }
            }
        }
    }

    private long closeAndReopen(PrincipalId client, long session) {
        tell(volume.close(client, session));
        volume.open(client, ++lastSession);
        return lastSession;
    }

    private void outdate(Predicate<OperationsInFlight.OwnedWork<PasisGroup>> which) {
        pending.outdate(which)
                .forEach(work -> orphanedPrepares.add(
                        new ClientBlock(work.client(), work.group().block())));
    }

    /** All nodes hear of it sooner or later. */
    private void tell(Fact fact) {
        facts.add(fact);
        nodes.stream().filter(_ -> changes.nextBoolean()).forEach(node -> simulation.tell(node, fact));
    }

    @Override
    public void healed() {
        known = clients;
        holders.ifPresent(all -> all.settle(simulation));
        facts.forEach(fact -> nodes.forEach(node -> simulation.tell(node, fact)));
        if (revokes) {
            putAttackersOut();
        }
    }

    /** They are revoked in the middle of their writes, and go on as before, with all that they have kept. */
    private void putAttackersOut() {
        for (PasisAttacker attacker : attackers) {
            for (int block = 0; block < blocks; block++) {
                attacker.hold(volume.group(block));
                attacker.move(volume.group(block));
            }
        }
        simulation.runFor(changes.nextInt(60));
        attackers.forEach(attacker -> volume.revoke(attacker.self()));
        invariants.revoked(attackers.stream().map(PasisAttacker::self).toList());
        List<PrincipalId> away = nodes.stream()
                .filter(node -> simulation.isUp(node) && numbers.nextInt(3) == 0)
                .toList();
        away.forEach(simulation::crash);
        nodes.stream().filter(simulation::isUp).forEach(this::tellOfRevoked);
        for (int round = 0; round < 3; round++) {
            simulation.runFor(2_000);
            if (round == 0) {
                away.forEach(this::rejoin);
            }
            for (int block = 0; block < blocks; block++) {
                PasisGroup group = volume.group(block);
                attackers.forEach(attacker -> attacker.sendHeld(group));
                attackers.forEach(attacker -> attacker.move(group));
                read(READER, 0, group);
            }
        }
    }

    private void tellOfRevoked(PrincipalId node) {
        attackers.forEach(attacker -> simulation.tell(node, new Fact.Revoked(attacker.self())));
    }

    /** It asks who is revoked when it starts. */
    private void rejoin(PrincipalId node) {
        simulation.restart(node);
        tellOfRevoked(node);
    }

    /** With more under way than a node may hold of a client's possible versions it would keep itself from a quorum. */
    private boolean enter(PrincipalId client, BlockId block) {
        int most = Math.min(limits.possiblePerBlock(), perClient / blocks);
        ClientBlock account = new ClientBlock(client, block);
        return busy.merge(account, 1, Integer::sum) + left(account) <= most;
    }

    /**
     * Returns the leftovers of operations that failed at a change. They count for the client until a later version is
     * verified (docs/protocols/pasis.md).
     */
    private int left(ClientBlock account) {
        if (!orphanedPrepares.contains(account)) {
            return 0;
        }
        int left = invariants.possible(account.client, account.block);
        if (left == 0 && !pending.hasOutdated()) {
            orphanedPrepares.remove(account);
        }
        return left;
    }

    private void leave(PrincipalId client, BlockId block) {
        busy.merge(new ClientBlock(client, block), -1, Integer::sum);
    }

    private void write(PrincipalId client, PasisGroup group) {
        BlockId block = group.block();
        if (!enter(client, block)) {
            leave(client, block);
            return;
        }
        Bytes value = values.next();
        ValidatingTimestamp floor = invariants.floor(block);
        AtomicReference<PasisGroup> last = new AtomicReference<>(group);
        ClientOperation<PasisWriteOutcome> write =
                operations.write(group, client, sessions[client.number()], value, of -> {
                    last.set(of);
                    Bytes crossChecksum =
                            of.timestamp(1, client, of.encode(of.padded(value))).crossChecksum();
                    invariants.writes(crossChecksum, value);
                    recorder.writes(crossChecksum, value);
                });
        pending.begin(client, group, recorder.write(client, last::get, value, write), (outcome, outdated) -> {
            leave(client, block);
            switch (outcome) {
                case PasisWriteOutcome.Written written -> {
                    boolean same = last.get().block().equals(block);
                    invariants.wrote(last.get().block(), same ? floor : ValidatingTimestamp.NONE, written.timestamp());
                }
                case PasisWriteOutcome.Failed failed -> refused(block, failed, outdated);
                case PasisWriteOutcome.EpochOver over -> refused(block, over, outdated);
            }
        });
    }

    private static void refused(BlockId block, Object failed, boolean outdated) {
        if (!outdated) {
            throw PasisInvariants.NEVER_REFUSED.violation(block.toString(), failed.toString());
        }
    }

    /** @param session 0 for a client that may only read */
    private void read(PrincipalId client, long session, PasisGroup group) {
        BlockId block = group.block();
        if (session != 0 && !enter(client, block)) {
            leave(client, block);
            return;
        }
        Map<BlockId, ValidatingTimestamp> floors = new HashMap<>();
        for (int generation = 0; generation <= block.generation(); generation++) {
            BlockId register = BlockId.register(PasisVolume.ID, generation, block.number());
            floors.put(register, invariants.floor(register));
        }
        boolean afterwards = invariants.putOut();
        AtomicReference<PasisGroup> last = new AtomicReference<>(group);
        ClientOperation<PasisReadOutcome> read = operations.read(group, client, session, last::set);
        pending.begin(client, group, recorder.read(client, block, read), (outcome, outdated) -> {
            if (session != 0) {
                leave(client, block);
            }
            BlockId found = last.get().block();
            ValidatingTimestamp floor = floors.getOrDefault(found, ValidatingTimestamp.NONE);
            switch (outcome) {
                case PasisReadOutcome.Value value -> {
                    invariants.read(last.get(), floor, value);
                    if (afterwards) {
                        invariants.readAfterwards(found, value.timestamp());
                    }
                }
                case PasisReadOutcome.NeverWritten _ -> invariants.readNothing(found, floor);
                case PasisReadOutcome.Failed failed -> refused(block, failed, outdated);
            }
        });
    }

    @Override
    public boolean isIdle() {
        return pending.isIdle();
    }

    @Override
    public void check() {
        isIdle();
        invariants.check();
    }

    @Override
    public void readEverything() {
        attackers.forEach(attacker -> attacker.sendHeld(volume.group(0)));
        for (int block = 0; block < blocks; block++) {
            busy.clear();
            read(READER, 0, volume.group(block));
            read(PrincipalId.client(1), sessions[1], volume.group(block));
        }
    }

    @Override
    public void checkAtEnd() {
        check();
        invariants.look();
        if (revokes) {
            reformed = holders.isEmpty();
            if (reformed) {
                faulty.forEach(node -> simulation.records(node).setFull(false));
                faulty.stream().sorted().forEach(this::rejoin);
                facts.forEach(fact -> faulty.stream().sorted().forEach(node -> simulation.tell(node, fact)));
            }
            for (int block = 0; block < blocks; block++) {
                busy.clear();
                write(PrincipalId.client(2), volume.group(block));
            }
            simulation.runFor(DECIDED_MILLIS);
            check();
            invariants.checkPutOut(reformed);
        }
    }

    @Override
    public History history() {
        return recorder.history();
    }

    /** Returns the number of faults that the volume tolerates now. */
    public int faultsTolerated() {
        return volume.policy().f();
    }

    /** Returns the number of times that the volume has come to tolerate fewer faults. */
    public int timesLowered() {
        return volume.placed().lowered();
    }

    /** Returns the number of policies that have come into use after the first. */
    public int generationsOpened() {
        return volume.placed().now().written();
    }

    /** Returns the number of epochs that have opened beyond the first one. */
    public long epochsOpened() {
        return holders.isEmpty() ? 0 : volume.placed().epochsOpened();
    }

    @Override
    public long completed() {
        return pending.completed();
    }
}
