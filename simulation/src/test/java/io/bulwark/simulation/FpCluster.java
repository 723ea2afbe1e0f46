package io.bulwark.simulation;

import io.bulwark.protocol.cluster.Fact;
import io.bulwark.protocol.cluster.PlacementGroup;
import io.bulwark.protocol.cluster.ProtectionPolicy;
import io.bulwark.protocol.cluster.Question;
import io.bulwark.protocol.cluster.RevocationWatch;
import io.bulwark.protocol.cluster.SessionState;
import io.bulwark.protocol.cluster.Volume;
import io.bulwark.protocol.cluster.VolumeKind;
import io.bulwark.protocol.effect.ClientOperation;
import io.bulwark.protocol.effect.ProtocolServer;
import io.bulwark.protocol.fp.FpCodec;
import io.bulwark.protocol.fp.FpGroup;
import io.bulwark.protocol.fp.FpLimits;
import io.bulwark.protocol.fp.FpRead;
import io.bulwark.protocol.fp.FpReadOutcome;
import io.bulwark.protocol.fp.FpServer;
import io.bulwark.protocol.fp.FpWrite;
import io.bulwark.protocol.fp.FpWriteOutcome;
import io.bulwark.protocol.id.BlockId;
import io.bulwark.protocol.id.PrincipalId;
import io.bulwark.protocol.kernel.Timeouts;
import io.bulwark.protocol.mac.PairwiseKeys;
import io.bulwark.protocol.wire.Bytes;
import io.bulwark.simulation.byzantine.StoppingOperation;
import io.bulwark.simulation.engine.NetworkFaults;
import io.bulwark.simulation.engine.RunningOperation;
import io.bulwark.simulation.engine.Simulation;
import io.bulwark.simulation.history.RegisterRecorder;
import java.util.HashMap;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Random;
import java.util.Set;
import java.util.function.UnaryOperator;
import java.util.stream.IntStream;
import org.jspecify.annotations.NullMarked;

/** One volume of registers on n simulated nodes. */
@NullMarked
final class FpCluster {
    static final int VOLUME = 5;
    static final Timeouts TIMES = new Timeouts(120, 300, 2_000, 60_000);

    final Simulation simulation;
    final ProtectionPolicy policy;
    final RegisterRecorder history = new RegisterRecorder();
    private final Volume volume;
    private final Set<SessionKey> open = new HashSet<>();
    private final Map<Integer, PairwiseKeys> keys = new HashMap<>();
    private final Map<Integer, Integer> undecided = new HashMap<>();
    private int lastValue;

    private record SessionKey(PrincipalId owner, long session) {}

    FpCluster(long seed, int f, int m, NetworkFaults faults, FpLimits limits) {
        this(seed, f, m, faults, limits, Map.of());
    }

    /** @param byzantine how the servers of some nodes are altered */
    FpCluster(
            long seed,
            int f,
            int m,
            NetworkFaults faults,
            FpLimits limits,
            Map<Integer, UnaryOperator<ProtocolServer>> byzantine) {
        this.policy = new ProtectionPolicy(f, m, m + 2 * f, ProtectionPolicy.BLOCK_BYTES_MIN);
        List<Integer> holders = IntStream.range(0, policy.n()).boxed().toList();
        this.volume =
                new Volume(VOLUME, "disk", VolumeKind.REGISTER, policy, 1_000, List.of(new PlacementGroup(1, holders)));
        this.simulation = new Simulation(seed, faults, List.of(new FpCodec()), this::answer);
        makeKeys(new Random(seed));
        for (int node : holders) {
            UnaryOperator<ProtocolServer> altered = byzantine.getOrDefault(node, server -> server);
            simulation.addNode(
                    PrincipalId.node(node),
                    () -> altered.apply(new FpServer(keysOf(node), limits, _ -> true, new Standing(node))));
        }
    }

    /** Reports of a node since it was last told of the revocation. */
    private final class Standing implements RevocationWatch {
        private final int node;

        Standing(int node) {
            this.node = node;
            undecided.remove(node);
        }

        @Override
        public void begins(PrincipalId revoked) {
            undecided.remove(node);
        }

        @Override
        public void refuses(PrincipalId revoked, int left) {
            undecided.put(node, left);
        }
    }

    /**
     * Revokes a client as the SDK does. The command returns after all correct nodes are done, and done again in two
     * further rounds, each with a new notice.
     */
    boolean revoke(PrincipalId client, Set<Integer> liars, long maxMillis) {
        List<Integer> correct = IntStream.range(0, policy.n())
                .filter(node -> !liars.contains(node))
                .boxed()
                .toList();
        boolean returned = true;
        for (int round = 0; round < 3 && returned; round++) {
            undecided.clear();
            correct.forEach(node -> simulation.tell(PrincipalId.node(node), new Fact.Revoked(client)));
            returned = simulation.runUntil(
                    () -> correct.stream().allMatch(node -> undecided.getOrDefault(node, 1) == 0), maxMillis);
        }
        return returned;
    }

    /** Returns the number of undecided versions of the revoked client in each node's last report. */
    Map<Integer, Integer> undecided() {
        return Map.copyOf(undecided);
    }

    private PairwiseKeys keysOf(int node) {
        PairwiseKeys of = keys.get(node);
        if (of == null) {
            throw new IllegalArgumentException("no node " + node);
        }
        return of;
    }

    private void makeKeys(Random random) {
        int n = policy.n();
        Bytes[][] pairwise = new Bytes[n][n];
        for (int i = 0; i < n; i++) {
            for (int j = 0; j <= i; j++) {
                byte[] key = new byte[PairwiseKeys.KEY_BYTES];
                random.nextBytes(key);
                pairwise[i][j] = Bytes.of(key);
                pairwise[j][i] = pairwise[i][j];
            }
        }
        for (int i = 0; i < n; i++) {
            Map<PrincipalId, Bytes> own = new HashMap<>();
            for (int j = 0; j < n; j++) {
                own.put(PrincipalId.node(j), pairwise[i][j]);
            }
            keys.put(i, new PairwiseKeys(PrincipalId.node(i), own));
        }
    }

    private Optional<Fact> answer(PrincipalId asker, Question question) {
        return Optional.of(
                switch (question) {
                    case Question.OfSession of ->
                        new Fact.OfSession(
                                of.volume(),
                                of.owner(),
                                of.session(),
                                open.contains(new SessionKey(of.owner(), of.session()))
                                        ? SessionState.OPEN
                                        : SessionState.UNKNOWN);
                    case Question.OfGrant of -> new Fact.OfGrant(of.volume(), of.principal(), true, false);
                    case Question.OfVolume of ->
                        new Fact.OfVolume(of.volume(), of.volume() == VOLUME ? Optional.of(volume) : Optional.empty());
                });
    }

    void open(PrincipalId client, long session) {
        open.add(new SessionKey(client, session));
    }

    FpGroup group(long number) {
        return FpGroup.of(volume, BlockId.register(VOLUME, number));
    }

    /** A block's worth of bytes that no other call gives. */
    Bytes value() {
        byte[] bytes = new byte[policy.blockBytes()];
        new Random(++lastValue).nextBytes(bytes);
        bytes[0] = (byte) (lastValue >> 8);
        bytes[1] = (byte) lastValue;
        return Bytes.of(bytes);
    }

    RunningOperation<FpWriteOutcome> write(PrincipalId client, long session, long number, Bytes value) {
        FpGroup group = group(number);
        return simulation.start(client, recordedWrite(client, session, group, value));
    }

    /**
     * Starts a write that does not send some of its messages. The others match a correct client's that loses messages
     * and crashes, and the history records it as such.
     */
    void stoppingWrite(PrincipalId client, long session, long number, StoppingOperation.SendFilter sends) {
        simulation.start(
                client, new StoppingOperation<>(recordedWrite(client, session, group(number), value()), sends));
    }

    private ClientOperation<FpWriteOutcome> recordedWrite(
            PrincipalId client, long session, FpGroup group, Bytes value) {
        return history.write(client, group, value, new FpWrite(group, session, value, TIMES));
    }

    RunningOperation<FpReadOutcome> read(PrincipalId client, long session, long number) {
        FpGroup group = group(number);
        FpRead read =
                session == 0 ? FpRead.withRepairRequests(group, TIMES) : FpRead.withWriteBack(group, session, TIMES);
        return simulation.start(client, history.read(client, group.block(), read));
    }

    /** A read of which some messages are not sent, or late. */
    void stoppingRead(PrincipalId client, long session, long number, StoppingOperation.SendFilter sends) {
        FpGroup group = group(number);
        FpRead read = FpRead.withWriteBack(group, session, TIMES);
        simulation.start(client, new StoppingOperation<>(history.read(client, group.block(), read), sends));
    }

    /** Runs until the operation has an outcome. */
    <R> R await(RunningOperation<R> running) {
        boolean done = simulation.runUntil(() -> running.outcome().isPresent(), 120_000);
        if (!done) {
            throw new AssertionError("no outcome after 120 s");
        }
        return running.outcome().orElseThrow();
    }
}
