package io.bulwark.simulation.fp;

import io.bulwark.protocol.agreement.AgreementCodec;
import io.bulwark.protocol.cluster.Fact;
import io.bulwark.protocol.cluster.ProtectionPolicy;
import io.bulwark.protocol.cluster.RevocationWatch;
import io.bulwark.protocol.effect.ClientOperation;
import io.bulwark.protocol.effect.ProtocolServer;
import io.bulwark.protocol.fp.FpCodec;
import io.bulwark.protocol.fp.FpGroup;
import io.bulwark.protocol.fp.FpLimits;
import io.bulwark.protocol.fp.FpMessage;
import io.bulwark.protocol.fp.FpReadOutcome;
import io.bulwark.protocol.fp.FpWrite;
import io.bulwark.protocol.fp.FpWriteOutcome;
import io.bulwark.protocol.fp.Timestamp;
import io.bulwark.protocol.id.BlockId;
import io.bulwark.protocol.id.PrincipalId;
import io.bulwark.protocol.kernel.Failure;
import io.bulwark.protocol.kernel.Timeouts;
import io.bulwark.protocol.wire.Bytes;
import io.bulwark.simulation.byzantine.Collusion;
import io.bulwark.simulation.byzantine.Liar;
import io.bulwark.simulation.campaign.Setting;
import io.bulwark.simulation.campaign.SimulatedWorld;
import io.bulwark.simulation.engine.Simulation;
import io.bulwark.simulation.history.History;
import io.bulwark.simulation.history.RegisterRecorder;
import io.bulwark.simulation.register.FollowedOperation;
import io.bulwark.simulation.register.FollowedOperation.Attempt;
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
import java.util.stream.IntStream;

/** A few registers, correct clients that read and write them, f nodes and some clients that attack them. */
public final class FpWorld implements SimulatedWorld {
    private static final int WRITERS = 3;
    /** Concurrent writes of one client to one block. More than a node may stage would keep each other from a quorum. */
    private static final int WRITES_AT_ONCE = 3;

    private static final int ATTACKERS_FROM = 20;
    private static final PrincipalId READER = PrincipalId.client(9);
    private static final Timeouts TIMES = new Timeouts(120, 300, 2_000, 10_000_000);

    private final Random random;
    private final FpParts parts;
    private final int blocks;
    private final FpVolume volume;
    private final FreshBlocks values;
    private final FpKeys keys;
    private final FpPlot plot;
    private final Simulation simulation;
    private final List<PrincipalId> nodes = new ArrayList<>();
    private final Set<PrincipalId> faulty = new HashSet<>();
    private final FpInvariants invariants;
    private final RegisterRecorder recorder = new RegisterRecorder();
    private final OperationsInFlight<FpGroup> pending;
    private final List<FpAttacker> attackers = new ArrayList<>();
    private final Map<ClientEpochBlock, Integer> writing = new HashMap<>();
    /** Randomness of sessions and epochs, apart from that of the workload. */
    private final Random changes;

    private final int changesEvery;
    /** Changes of the holders; empty if the holders stay the same. */
    private final Optional<RegisterChanges> holders;

    private final long[] sessions = new long[WRITERS + 1];
    private final List<Fact> facts = new ArrayList<>();
    private long lastSession = 1_000;
    /** True if a client has closed a session by itself. */
    private boolean closes;

    /**
     * True if the attackers are revoked early: among faulty nodes and nodes that come back, before the faulty ones are
     * gone.
     */
    private final boolean revokesEarly;

    private final FpRevocations revoking;

    private record ClientEpochBlock(int client, long epoch, BlockId block) {}

    /** @param policies that the operator gives the volume again and again; none if it keeps its own */
    FpWorld(Setting setting, FpParts parts, boolean replacing, List<ProtectionPolicy> policies) {
        this.parts = parts;
        this.random = new Random(setting.random("fp").nextLong());
        this.changes = new Random(setting.random("changes").nextLong());
        this.changesEvery = changes.nextBoolean() ? 0 : 2 + changes.nextInt(20);
        this.revokesEarly = changesEvery != 0 && setting.random("revocations").nextBoolean();
        this.blocks = 1 + random.nextInt(3);
        this.volume = new FpVolume(setting, blocks);
        this.values = new FreshBlocks(volume.policy().blockBytes());
        this.holders = replacing
                ? Optional.of(new RegisterChanges(
                        volume.placed(),
                        faulty,
                        setting.nodes(),
                        setting.faults(),
                        0,
                        new Random(setting.random("holders").nextLong())))
                : Optional.empty();
        holders.ifPresent(all -> all.changePolicies(policies));
        this.keys = new FpKeys(setting, volume::keysOf);
        this.simulation = new Simulation(
                setting.seed(),
                setting.network(),
                List.of(new FpCodec(), new AgreementCodec()),
                (_, question) -> volume.answer(question));
        this.pending = new OperationsInFlight<>(simulation);
        FpLimits limits = random.nextBoolean()
                ? FpLimits.standard()
                : new FpLimits(64, 4, random.nextInt(3), 400, 50, 1, 256, 2_000, 4_000);
        // A slot whose holder has not confirmed counts among the f, so that fewer nodes may lie in some runs.
        int lying = replacing ? changes.nextInt(setting.faults() + 1) : setting.faults();
        while (faulty.size() < lying) {
            faulty.add(PrincipalId.node(random.nextInt(setting.nodes())));
        }
        this.invariants = new FpInvariants(
                simulation,
                faulty,
                IntStream.range(0, setting.nodes())
                        .mapToObj(PrincipalId::node)
                        .filter(node -> !faulty.contains(node))
                        .toList(),
                setting.fragments(),
                limits);
        this.revoking = new FpRevocations(this, volume, nodes, attackers, invariants, changes);
        simulation.observe((from, to, _, message) -> {
            if (message instanceof FpMessage.Prepared prepared
                    && to.number() >= ATTACKERS_FROM
                    && !faulty.contains(from)) {
                recorder.prepared(to, prepared.target().block(), prepared.version(), simulation.nowMillis());
            }
        });
        Set<PrincipalId> attackingParties = new HashSet<>(faulty);
        Random malice = new Random(setting.random("malice").nextLong());
        this.plot = new FpPlot(new Collusion(simulation, attackingParties, malice), malice);
        for (int node = 0; node < setting.nodes(); node++) {
            addNode(PrincipalId.node(node), limits);
        }
        for (int i = 0; i < setting.byzantineClients(); i++) {
            PrincipalId self = PrincipalId.client(ATTACKERS_FROM + i);
            attackingParties.add(self);
            volume.open(self, self.number());
            attackers.add(new FpAttacker(self, self.number(), simulation, plot, TIMES, values::next));
        }
        for (int writer = 1; writer <= WRITERS; writer++) {
            sessions[writer] = writer;
            volume.open(PrincipalId.client(writer), writer);
        }
    }

    private void addNode(PrincipalId node, FpLimits limits) {
        nodes.add(node);
        if (faulty.contains(node)) {
            Liar liar = Liar.any(new FpLies(keys.of(node), volume, plot), plot.random());
            simulation.addNode(node, () -> {
                ProtocolServer server =
                        keys.start(node, own -> party(node, parts.server(own, limits, RevocationWatch.NONE)));
                return revoking.hasReformed() ? server : liar.wrap(server);
            });
        } else {
            RevocationWatch watch = invariants.watch(node);
            simulation.addNode(node, () -> keys.start(node, own -> party(node, parts.server(own, limits, watch))));
        }
    }

    private ProtocolServer party(PrincipalId node, ProtocolServer server) {
        return holders.isEmpty()
                ? server
                : new RegisterParty(node, server, volume.placed(), faulty.contains(node) && changes.nextBoolean());
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
        return Set.copyOf(faulty);
    }

    @Override
    public void step() {
        holders.ifPresent(all -> {
            simulation.runFor(all.pauseMillis());
            all.step();
        });
        if (changesEvery != 0 && changes.nextInt(changesEvery) == 0) {
            change();
        }
        keys.step(simulation, faulty, plot.collusion());
        FpGroup group = volume.group(random.nextInt(blocks));
        int client = 1 + random.nextInt(WRITERS);
        if (!attackers.isEmpty() && random.nextInt(3) == 0) {
            FpAttacker attacker = attackers.get(random.nextInt(attackers.size()));
            attacker.move(volume.anyGroup(group.block().number(), changes));
            return;
        }
        switch (random.nextInt(6)) {
            case 0, 1, 2 -> write(client, group);
            case 3, 4 -> read(PrincipalId.client(client), sessions[client], group);
            default -> read(READER, 0, group);
        }
    }

    private void change() {
        FpAttacker attacker = attackers.isEmpty() ? null : attackers.get(changes.nextInt(attackers.size()));
        switch (changes.nextInt(6)) {
            case 0 -> {
                int writer = 1 + changes.nextInt(WRITERS);
                PrincipalId client = PrincipalId.client(writer);
                pending.outdate(work -> work.client().equals(client));
                sessions[writer] = closeAndReopen(client, sessions[writer]);
            }
            case 1 -> {
                if (holders.isPresent()) {
                    return;
                }
                // The holders stay and keep their data, but messages of the old epoch count no more.
                tell(volume.nextEpoch(volume.group(changes.nextInt(blocks)).block()));
                pending.outdate(work -> !volume.group(work.group().block())
                        .placement()
                        .equals(work.group().placement()));
            }
            case 2 -> {
                if (attacker != null) {
                    attacker.reopened(closeAndReopen(attacker.self(), attacker.session()));
                }
            }
            case 3 -> {
                if (attacker != null) {
                    attacker.commitHeld(changes);
                }
            }
            default -> {
                if (attacker != null) {
                    attacker.hold(volume.anyGroup(changes.nextInt(blocks), changes));
                }
            }
        }
    }

    private long closeAndReopen(PrincipalId client, long session) {
        tell(volume.close(client, session));
        volume.open(client, ++lastSession);
        return lastSession;
    }

    /** All nodes hear of it sooner or later. */
    private void tell(Fact fact) {
        facts.add(fact);
        nodes.stream().filter(_ -> changes.nextBoolean()).forEach(node -> simulation.tell(node, fact));
    }

    @Override
    public void healed() {
        holders.ifPresent(all -> all.settle(simulation));
        facts.forEach(fact -> nodes.forEach(node -> simulation.tell(node, fact)));
        if (revokesEarly) {
            revoking.putOut(true);
        }
    }

    /** Each block once more. */
    void writeBlocks() {
        for (int block = 0; block < blocks; block++) {
            write(2, volume.group(block));
        }
    }

    private void write(int client, FpGroup group) {
        ClientEpochBlock account =
                new ClientEpochBlock(client, group.placement().epoch(), group.block());
        if (writing.getOrDefault(account, 0) == WRITES_AT_ONCE) {
            return;
        }
        writing.merge(account, 1, Integer::sum);
        Bytes value = values.next();
        Timestamp floor = invariants.floor(group.block());
        AtomicReference<FpGroup> last = new AtomicReference<>(group);
        PrincipalId writer = PrincipalId.client(client);
        pending.begin(
                writer,
                group,
                recorder.write(
                        writer,
                        last::get,
                        value,
                        new SessionRetry(
                                sessions[client],
                                session -> writing(last, session, value),
                                full -> another(client, full))),
                (outcome, outdated) -> {
                    writing.merge(account, -1, Integer::sum);
                    switch (outcome) {
                        case FpWriteOutcome.Written written -> {
                            boolean same = last.get().block().equals(group.block());
                            invariants.wrote(last.get(), same ? floor : Timestamp.NONE, written.timestamp());
                        }
                        case FpWriteOutcome.Failed failed ->
                            refused(group, failed, outdated || (closes && failed.reason() == Failure.SESSION_CLOSED));
                        case FpWriteOutcome.EpochOver over -> refused(group, over, outdated);
                    }
                });
    }

    /**
     * Opens another session in place of this full one. A write that has sent a COMMIT in the old session may end with
     * it.
     */
    private long another(int client, long full) {
        if (sessions[client] == full) {
            closes = true;
            sessions[client] = closeAndReopen(PrincipalId.client(client), full);
        }
        return sessions[client];
    }

    /** @param last the group of the last attempt */
    private ClientOperation<FpWriteOutcome> writing(AtomicReference<FpGroup> last, long session, Bytes value) {
        Attempt<FpGroup, FpWriteOutcome> first = writing(last, last.get(), session, value);
        return holders.isEmpty()
                ? first.operation()
                : new FollowedOperation<>(first, (group, outcome) -> switch (outcome) {
                    case FpWriteOutcome.EpochOver(Timestamp at) ->
                        later(group)
                                .map(now ->
                                        new Attempt<>(now, FpWrite.continueInEpoch(now, session, value, at, TIMES)));
                    case FpWriteOutcome.Failed(Failure reason, boolean mayBeWritten)
                    when reason == Failure.OTHER_EPOCH && !mayBeWritten ->
                        later(group)
                                .map(_ ->
                                        writing(last, volume.group(group.block().number()), session, value));
                    default -> Optional.empty();
                });
    }

    private Attempt<FpGroup, FpWriteOutcome> writing(
            AtomicReference<FpGroup> last, FpGroup group, long session, Bytes value) {
        last.set(group);
        invariants.writes(group, value);
        recorder.writes(group, value);
        return new Attempt<>(group, parts.write(group, session, value, TIMES));
    }

    /** Returns a group as it is now, if its epoch is over. */
    private Optional<FpGroup> later(FpGroup group) {
        return Optional.of(volume.group(group.block()))
                .filter(now -> now.placement().epoch() > group.placement().epoch());
    }

    private Attempt<FpGroup, FpReadOutcome> reading(AtomicReference<FpGroup> last, FpGroup group, long session) {
        last.set(group);
        return new Attempt<>(
                group,
                session == 0 ? parts.readAskingForRepair(group, TIMES) : parts.readWritingBack(group, session, TIMES));
    }

    /** @param session 0 for a client that may only read */
    private void read(PrincipalId client, long session, FpGroup group) {
        Map<BlockId, FpInvariants.ReadStart> since = new HashMap<>();
        long number = group.block().number();
        for (int generation = 0; generation <= group.block().generation(); generation++) {
            BlockId register = BlockId.register(FpVolume.ID, generation, number);
            since.put(register, invariants.reads(register));
        }
        AtomicReference<FpGroup> last = new AtomicReference<>(group);
        Attempt<FpGroup, FpReadOutcome> first = reading(last, group, session);
        ClientOperation<FpReadOutcome> read = holders.isEmpty()
                ? first.operation()
                : new FollowedOperation<>(first, (of, outcome) -> switch (outcome) {
                    case FpReadOutcome.Failed(Failure reason)
                    when reason == Failure.OTHER_EPOCH ->
                        later(of).map(_ -> reading(last, volume.group(number), session));
                    case FpReadOutcome.NeverWritten _
                    when of.block().generation() > 0 -> {
                        invariants.readNothing(of, since(since, of));
                        BlockId below = BlockId.register(FpVolume.ID, of.block().generation() - 1, number);
                        yield Optional.of(reading(last, volume.group(below), session));
                    }
                    default -> Optional.empty();
                });
        pending.begin(client, group, recorder.read(client, group.block(), read), (outcome, outdated) -> {
            FpGroup of = last.get();
            switch (outcome) {
                case FpReadOutcome.Value value -> invariants.read(of, since(since, of), value);
                case FpReadOutcome.NeverWritten _ -> invariants.readNothing(of, since(since, of));
                case FpReadOutcome.Failed failed -> refused(of, failed, outdated);
            }
        });
    }

    /** Returns what was known of a register when the read began; nothing of those that have come since. */
    private static FpInvariants.ReadStart since(Map<BlockId, FpInvariants.ReadStart> since, FpGroup group) {
        return since.getOrDefault(group.block(), new FpInvariants.ReadStart(Timestamp.NONE, false));
    }

    private static void refused(FpGroup group, Object failed, boolean outdated) {
        if (!outdated) {
            throw FpInvariants.NEVER_REFUSED.violation(group.block().toString(), failed.toString());
        }
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
        if (changesEvery != 0) {
            // Leftovers of closed sessions are decided by then, and the decisions must stand.
            simulation.runFor(5_000);
            attackers.forEach(attacker -> attacker.commitHeld(changes));
        }
        readBlocks();
    }

    void readBlocks() {
        for (int block = 0; block < blocks; block++) {
            read(READER, 0, volume.group(block));
            read(PrincipalId.client(1), sessions[1], volume.group(block));
        }
    }

    @Override
    public void checkAtEnd() {
        check();
        keys.checkAtEnd(simulation, faulty);
        if (changesEvery != 0) {
            if (!revokesEarly) {
                revoking.putOut(false);
            }
            if (holders.isEmpty()) {
                revoking.waitForTheEnd(faulty, facts);
            }
            invariants.checkAtEnd();
        }
    }

    @Override
    public History history() {
        return recorder.history();
    }

    /**
     * Returns whether attackers were revoked among faulty nodes, and the command returned before these nodes were gone.
     */
    public boolean hasRevokedAmongLiars() {
        return revokesEarly && revoking.hasReturned() && !attackers.isEmpty();
    }

    /** Returns the number of policies that have come into use after the first. */
    public int generationsOpened() {
        return volume.placed().now().written();
    }

    /** Returns the number of epochs that have opened beyond the first ones. */
    public long epochsOpened() {
        return holders.isEmpty() ? 0 : volume.placed().epochsOpened();
    }

    @Override
    public long completed() {
        return pending.completed();
    }
}
