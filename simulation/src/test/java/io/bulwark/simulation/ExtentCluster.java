package io.bulwark.simulation;

import io.bulwark.protocol.cluster.Fact;
import io.bulwark.protocol.cluster.PlacementGroup;
import io.bulwark.protocol.cluster.ProtectionPolicy;
import io.bulwark.protocol.cluster.Question;
import io.bulwark.protocol.cluster.SessionState;
import io.bulwark.protocol.cluster.Volume;
import io.bulwark.protocol.cluster.VolumeKind;
import io.bulwark.protocol.effect.ProtocolServer;
import io.bulwark.protocol.extent.ExtentCodec;
import io.bulwark.protocol.extent.ExtentLimits;
import io.bulwark.protocol.extent.ExtentRead;
import io.bulwark.protocol.extent.ExtentServer;
import io.bulwark.protocol.extent.ExtentTiming;
import io.bulwark.protocol.extent.ExtentWrite;
import io.bulwark.protocol.extent.ReadOutcome;
import io.bulwark.protocol.extent.WriteOutcome;
import io.bulwark.protocol.id.BlockId;
import io.bulwark.protocol.id.PrincipalId;
import io.bulwark.protocol.wire.Bytes;
import io.bulwark.simulation.engine.NetworkFaults;
import io.bulwark.simulation.engine.RunningOperation;
import io.bulwark.simulation.engine.Simulation;
import java.util.ArrayList;
import java.util.Collections;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Random;
import java.util.Set;
import java.util.TreeMap;
import java.util.function.UnaryOperator;
import org.jspecify.annotations.NullMarked;

/** A group of nodes with one object volume; every session is open and every client may read, unless a test says otherwise. */
@NullMarked
final class ExtentCluster {
    static final int BLOCK_BYTES = 4096;
    static final ExtentTiming TIMING = new ExtentTiming(150, 400, 60_000, 5_000);
    static final PrincipalId WRITER = PrincipalId.client(1);
    static final PrincipalId READER = PrincipalId.client(2);

    final ProtectionPolicy policy;
    final Volume volume;
    final Simulation simulation;
    final Set<PrincipalId> noReaders = new HashSet<>();
    final Set<Long> closedSessions = new HashSet<>();
    private final Map<Integer, UnaryOperator<ProtocolServer>> liars = new TreeMap<>();
    private long nextCounter = 1;

    ExtentCluster(long seed, int f, int m, NetworkFaults faults) {
        this(seed, f, m, faults, ExtentLimits.standard(), Map.of());
    }

    /** @param liars what some nodes put around their correct server */
    ExtentCluster(
            long seed,
            int f,
            int m,
            NetworkFaults faults,
            ExtentLimits limits,
            Map<Integer, UnaryOperator<ProtocolServer>> liars) {
        policy = new ProtectionPolicy(f, m, m + 2 * f, BLOCK_BYTES);
        List<Integer> holders = new ArrayList<>();
        for (int node = 0; node < policy.n(); node++) {
            holders.add(node);
        }
        Collections.shuffle(holders, new Random(seed));
        volume = new Volume(1, "v", VolumeKind.OBJECT, policy, 0, List.of(new PlacementGroup(1, holders)));
        this.liars.putAll(liars);
        simulation = new Simulation(seed, faults, List.of(new ExtentCodec()), (_, question) -> answer(question));
        for (int node = 0; node < policy.n(); node++) {
            int number = node;
            simulation.addNode(
                    PrincipalId.node(node),
                    () -> this.liars.getOrDefault(number, correct -> correct).apply(new ExtentServer(number, limits)));
        }
    }

    private Optional<Fact> answer(Question question) {
        return switch (question) {
            case Question.OfVolume asked ->
                Optional.of(new Fact.OfVolume(
                        asked.volume(), asked.volume() == volume.id() ? Optional.of(volume) : Optional.empty()));
            case Question.OfGrant asked ->
                Optional.of(new Fact.OfGrant(
                        asked.volume(), asked.principal(), !noReaders.contains(asked.principal()), true));
            case Question.OfSession asked ->
                Optional.of(new Fact.OfSession(
                        asked.volume(),
                        asked.owner(),
                        asked.session(),
                        closedSessions.contains(asked.session()) ? SessionState.CLOSED : SessionState.OPEN));
        };
    }

    BlockId newBlock() {
        return block(nextCounter++);
    }

    BlockId block(long counter) {
        return new BlockId(volume.id(), WRITER, 1, counter);
    }

    Bytes content() {
        byte[] content = new byte[1 + simulation.random().nextInt(BLOCK_BYTES)];
        simulation.random().nextBytes(content);
        return Bytes.of(content);
    }

    RunningOperation<WriteOutcome> write(BlockId block, Bytes content) {
        return simulation.start(WRITER, new ExtentWrite(volume, block, content, TIMING));
    }

    RunningOperation<ReadOutcome> read(BlockId block, Bytes pin) {
        return simulation.start(READER, new ExtentRead(volume, block, pin, Set.of(), TIMING));
    }

    void finish(RunningOperation<?> operation) {
        if (!simulation.runUntil(() -> operation.outcome().isPresent(), 200_000)) {
            throw new AssertionError("an operation has no outcome after its deadline");
        }
    }

    WriteOutcome writeNow(BlockId block, Bytes content) {
        RunningOperation<WriteOutcome> operation = write(block, content);
        finish(operation);
        return operation.outcome().orElseThrow();
    }

    ReadOutcome readNow(BlockId block, Bytes pin) {
        RunningOperation<ReadOutcome> operation = read(block, pin);
        finish(operation);
        return operation.outcome().orElseThrow();
    }

    /** Writes, and fails the test unless it is complete. */
    Bytes pinOf(BlockId block, Bytes content) {
        return ((WriteOutcome.Complete) writeNow(block, content)).pin();
    }

    /** Tells the pin to every node and waits until repairs are over. */
    void reference(BlockId block, Bytes pin) {
        nodes().forEach(node -> simulation.tell(node, new Fact.OfPin(block, pin)));
        simulation.runFor(3_000);
    }

    List<PrincipalId> nodes() {
        List<PrincipalId> nodes = new ArrayList<>();
        for (int node = 0; node < policy.n(); node++) {
            nodes.add(PrincipalId.node(node));
        }
        return nodes;
    }

    PrincipalId holder(int slot) {
        return PrincipalId.node(volume.groups().getFirst().holders().get(slot));
    }

    /** Returns the result of a read of these bytes: padded to a multiple of m. */
    Bytes padded(Bytes content) {
        byte[] padded = new byte[policy.m() * policy.fragmentBytes(content.length())];
        content.copyTo(0, padded, 0, content.length());
        return Bytes.of(padded);
    }
}
