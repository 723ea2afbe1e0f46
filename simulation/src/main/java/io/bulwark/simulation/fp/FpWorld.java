package io.bulwark.simulation.fp;

import io.bulwark.protocol.effect.ClientOperation;
import io.bulwark.protocol.fp.FpCodec;
import io.bulwark.protocol.fp.FpGroup;
import io.bulwark.protocol.fp.FpLimits;
import io.bulwark.protocol.fp.FpMessage;
import io.bulwark.protocol.fp.FpReadOutcome;
import io.bulwark.protocol.fp.FpTimes;
import io.bulwark.protocol.fp.FpWriteOutcome;
import io.bulwark.protocol.fp.Timestamp;
import io.bulwark.protocol.id.BlockId;
import io.bulwark.protocol.id.PrincipalId;
import io.bulwark.protocol.mac.PairwiseKeys;
import io.bulwark.protocol.wire.Bytes;
import io.bulwark.simulation.byzantine.Collusion;
import io.bulwark.simulation.byzantine.Liar;
import io.bulwark.simulation.campaign.Setting;
import io.bulwark.simulation.campaign.SimulatedWorld;
import io.bulwark.simulation.engine.Simulation;
import io.bulwark.simulation.history.History;
import io.bulwark.simulation.history.RegisterRecorder;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Random;
import java.util.Set;
import java.util.function.Consumer;
import java.util.stream.IntStream;

/** A few registers, correct clients that read and write them, f nodes and some clients that attack them. */
public final class FpWorld implements SimulatedWorld {
    private static final int WRITERS = 3;
    /** Of one client to one block: with more than a node may stage of them, they would keep each other from a quorum. */
    private static final int WRITES_AT_ONCE = 3;

    private static final int ATTACKERS_FROM = 20;
    private static final PrincipalId READER = PrincipalId.client(9);
    private static final FpTimes TIMES = new FpTimes(120, 300, 2_000, 10_000_000);

    private final Random random;
    private final FpParts parts;
    private final int blocks;
    private final FpVolume volume;
    private final Simulation simulation;
    private final List<PrincipalId> nodes = new ArrayList<>();
    private final Set<PrincipalId> faulty = new HashSet<>();
    private final FpInvariants invariants;
    private final RegisterRecorder recorder = new RegisterRecorder();
    private final List<Pending<?>> pending = new ArrayList<>();
    private final List<FpAttacker> attackers = new ArrayList<>();
    private final Map<Account, Integer> writing = new HashMap<>();
    private long completed;
    private long lastValue;

    private record Account(int client, BlockId block) {}

    /** An operation of a correct client, and what to do with its outcome. */
    private static final class Pending<R> {
        private final ClientOperation<R> operation;
        private final Consumer<R> judge;
        private boolean judged;

        Pending(ClientOperation<R> operation, Consumer<R> judge) {
            this.operation = operation;
            this.judge = judge;
        }

        /** True once it has an outcome. */
        boolean over() {
            R outcome = operation.outcome().orElse(null);
            if (outcome != null && !judged) {
                judged = true;
                judge.accept(outcome);
            }
            return outcome != null;
        }
    }

    FpWorld(Setting setting, FpParts parts) {
        this.parts = parts;
        this.random = new Random(setting.random("fp").nextLong());
        this.blocks = 1 + random.nextInt(3);
        this.volume = new FpVolume(setting, blocks);
        this.simulation = new Simulation(
                setting.seed(), setting.network(), List.of(new FpCodec()), (_, question) -> volume.answer(question));
        FpLimits limits = random.nextBoolean()
                ? FpLimits.standard()
                : new FpLimits(64, 4, random.nextInt(3), 400, 50, 1, 256, 2_000, 4_000);
        while (faulty.size() < setting.faults()) {
            faulty.add(PrincipalId.node(random.nextInt(setting.nodes())));
        }
        this.invariants = new FpInvariants(
                simulation,
                faulty,
                IntStream.range(0, setting.nodes())
                        .mapToObj(PrincipalId::node)
                        .filter(node -> !faulty.contains(node))
                        .toList(),
                limits);
        simulation.observe((from, to, _, message) -> {
            if (message instanceof FpMessage.Prepared prepared
                    && to.number() >= ATTACKERS_FROM
                    && !faulty.contains(from)) {
                recorder.prepared(to, prepared.target().block(), prepared.version(), simulation.nowMillis());
            }
        });
        Set<PrincipalId> attackingParties = new HashSet<>(faulty);
        Random malice = new Random(setting.random("malice").nextLong());
        FpPlot plot = new FpPlot(new Collusion(simulation, attackingParties, malice), malice);
        for (int node = 0; node < setting.nodes(); node++) {
            addNode(PrincipalId.node(node), volume.keysOf(node), limits, plot);
        }
        for (int i = 0; i < setting.byzantineClients(); i++) {
            PrincipalId self = PrincipalId.client(ATTACKERS_FROM + i);
            attackingParties.add(self);
            volume.open(self, self.number());
            attackers.add(new FpAttacker(self, self.number(), simulation, plot, TIMES, this::value));
        }
        for (int writer = 1; writer <= WRITERS; writer++) {
            volume.open(PrincipalId.client(writer), writer);
        }
    }

    private void addNode(PrincipalId node, PairwiseKeys keys, FpLimits limits, FpPlot plot) {
        nodes.add(node);
        if (faulty.contains(node)) {
            Liar liar = Liar.any(new FpLies(keys, volume, plot), plot.random());
            simulation.addNode(node, () -> liar.around(parts.server(keys, limits)));
        } else {
            simulation.addNode(node, () -> parts.server(keys, limits));
        }
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
        FpGroup group = volume.group(random.nextInt(blocks));
        int client = 1 + random.nextInt(WRITERS);
        if (!attackers.isEmpty() && random.nextInt(3) == 0) {
            attackers.get(random.nextInt(attackers.size())).move(group);
            return;
        }
        switch (random.nextInt(6)) {
            case 0, 1, 2 -> write(client, group);
            case 3, 4 -> read(PrincipalId.client(client), client, group);
            default -> read(READER, 0, group);
        }
    }

    private void write(int client, FpGroup group) {
        Account account = new Account(client, group.block());
        if (writing.getOrDefault(account, 0) == WRITES_AT_ONCE) {
            return;
        }
        writing.merge(account, 1, Integer::sum);
        Bytes value = value();
        Timestamp floor = invariants.floor(group.block());
        invariants.writes(group, value);
        PrincipalId writer = PrincipalId.client(client);
        begin(writer, recorder.write(writer, group, value, parts.write(group, client, value, TIMES)), outcome -> {
            writing.merge(account, -1, Integer::sum);
            switch (outcome) {
                case FpWriteOutcome.Written written -> invariants.wrote(group, floor, written.timestamp());
                case FpWriteOutcome.Failed failed ->
                    throw FpInvariants.NEVER_REFUSED.violated(group.block().toString(), failed.toString());
            }
        });
    }

    /** @param session 0 for a client that may only read */
    private void read(PrincipalId client, long session, FpGroup group) {
        Timestamp floor = invariants.floor(group.block());
        ClientOperation<FpReadOutcome> read =
                session == 0 ? parts.readAskingForRepair(group, TIMES) : parts.readWritingBack(group, session, TIMES);
        begin(client, recorder.read(client, group.block(), read), outcome -> {
            switch (outcome) {
                case FpReadOutcome.Value value -> invariants.read(group, floor, value);
                case FpReadOutcome.NeverWritten _ -> invariants.readNothing(group, floor);
                case FpReadOutcome.Failed failed ->
                    throw FpInvariants.NEVER_REFUSED.violated(group.block().toString(), failed.toString());
            }
        });
    }

    private <R> void begin(PrincipalId client, ClientOperation<R> operation, Consumer<R> judge) {
        pending.add(new Pending<>(operation, judge));
        simulation.start(client, operation);
    }

    /** A block's worth of bytes that no other call gives. */
    private Bytes value() {
        byte[] bytes = new byte[volume.policy().blockBytes()];
        new Random(++lastValue).nextBytes(bytes);
        for (int i = 0; i < Long.BYTES; i++) {
            bytes[i] = (byte) (lastValue >> (8 * i));
        }
        return Bytes.of(bytes);
    }

    @Override
    public boolean idle() {
        int before = pending.size();
        pending.removeIf(Pending::over);
        completed += before - pending.size();
        return pending.isEmpty();
    }

    @Override
    public void check() {
        idle();
        invariants.check();
    }

    @Override
    public void readEverything() {
        for (int block = 0; block < blocks; block++) {
            read(READER, 0, volume.group(block));
            read(PrincipalId.client(1), 1, volume.group(block));
        }
    }

    @Override
    public void checkAtEnd() {
        check();
    }

    @Override
    public History history() {
        return recorder.history();
    }

    @Override
    public long completed() {
        return completed;
    }
}
