package io.bulwark.simulation.exhaustive;

import io.bulwark.protocol.cluster.Fact;
import io.bulwark.protocol.cluster.PlacementGroup;
import io.bulwark.protocol.cluster.ProtectionPolicy;
import io.bulwark.protocol.cluster.Question;
import io.bulwark.protocol.cluster.RevocationWatch;
import io.bulwark.protocol.cluster.SessionState;
import io.bulwark.protocol.cluster.Volume;
import io.bulwark.protocol.cluster.VolumeKind;
import io.bulwark.protocol.effect.ClientOperation;
import io.bulwark.protocol.fp.FpCodec;
import io.bulwark.protocol.fp.FpGroup;
import io.bulwark.protocol.fp.FpLimits;
import io.bulwark.protocol.fp.FpMessage;
import io.bulwark.protocol.fp.FpReadOutcome;
import io.bulwark.protocol.fp.FpWriteOutcome;
import io.bulwark.protocol.fp.Timestamp;
import io.bulwark.protocol.id.BlockId;
import io.bulwark.protocol.id.PrincipalId;
import io.bulwark.protocol.kernel.Failure;
import io.bulwark.protocol.kernel.Timeouts;
import io.bulwark.protocol.mac.PairwiseKeys;
import io.bulwark.protocol.wire.Bytes;
import io.bulwark.simulation.fp.FpParts;
import io.bulwark.simulation.history.Action;
import io.bulwark.simulation.history.History;
import io.bulwark.simulation.history.HistoryCheck;
import io.bulwark.simulation.history.Operation;
import io.bulwark.simulation.history.Outcome;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import java.util.function.Supplier;
import java.util.stream.Collectors;
import java.util.stream.IntStream;

/** One register on m + 2f nodes, with f = 1, and a few operations on it. */
public final class FpTinyWorld {
    private static final int VOLUME = 5;
    private static final Timeouts TIMES = new Timeouts(100, 300, 0, 1_000_000);
    /** After a tick everything that waits is overdue. */
    private static final long TICK_MILLIS = 400;

    private final String name;
    private final FpParts parts;
    private final ProtectionPolicy policy;
    private final Volume volume;
    private final List<TinyWorld.Node> nodes = new ArrayList<>();
    private final List<TinyWorld.Operation> operations = new ArrayList<>();
    private int repetitions;
    private final Map<Integer, String> written = new HashMap<>();
    private final Map<Bytes, String> values = new HashMap<>();

    /**
     * A world of correct nodes without operations, with m = 2.
     *
     * @param parts what correct parties run
     */
    public FpTinyWorld(String name, FpParts parts) {
        this(name, parts, 2);
    }

    /** @param m fragments that make a block */
    public FpTinyWorld(String name, FpParts parts, int m) {
        this.name = name;
        this.parts = parts;
        this.policy = new ProtectionPolicy(1, m, m + 2, ProtectionPolicy.BLOCK_BYTES_MIN / 2 * m);
        List<Integer> holders = IntStream.range(0, policy.n()).boxed().toList();
        this.volume = new Volume(VOLUME, "v", VolumeKind.REGISTER, policy, 1, List.of(new PlacementGroup(1, holders)));
        for (int holder : holders) {
            PairwiseKeys keys = keys(holder, holders);
            nodes.add(TinyWorld.Node.plain(
                    PrincipalId.node(holder), () -> parts.server(keys, FpLimits.standard(), RevocationWatch.NONE)));
        }
    }

    private static PairwiseKeys keys(int self, List<Integer> holders) {
        Map<PrincipalId, Bytes> keys = new HashMap<>();
        for (int other : holders) {
            byte[] key = new byte[PairwiseKeys.KEY_BYTES];
            Arrays.fill(key, (byte) (1 + Math.min(self, other) * holders.size() + Math.max(self, other)));
            keys.put(PrincipalId.node(other), Bytes.of(key));
        }
        return new PairwiseKeys(PrincipalId.node(self), keys);
    }

    /** At each step this node chooses one of these. */
    public FpTinyWorld liar(int node, List<ChoosingServer.Lie> menu) {
        nodes.set(node, nodes.get(node).lying(menu));
        return this;
    }

    /** At each step this node may answer the timestamp of the first write, which must be there already, instead of a later one. */
    public FpTinyWorld staleLiar(int node) {
        return liar(node, List.of(ChoosingServer.TRUTH, effect -> FpTinyLies.stale(effect, first())));
    }

    /** This node may swear that the first write is committed. */
    public FpTinyWorld perjurer(int node) {
        return liar(node, List.of(ChoosingServer.TRUTH, effect -> FpTinyLies.sworn(effect, first(), policy.n())));
    }

    /** This node may answer a PREPARE without ts as if it had just been made, and keep nothing of it. */
    public FpTinyWorld forgetful(int node) {
        nodes.set(
                node,
                nodes.get(node)
                        .forgetting(message -> message instanceof FpMessage.Prepare prepare && prepare.ts() == 0));
        return this;
    }

    /** The first write's version, where nothing else was written before. */
    private Timestamp first() {
        return new Timestamp(1, group().code().encode(content(0)).fpcc());
    }

    /** This node may crash once, and its disk is slow. */
    public FpTinyWorld crash(int node) {
        nodes.set(node, nodes.get(node).crashing());
        return this;
    }

    /** A write of a client that sends COMMIT to some nodes only; to none if nobody may ever read it. */
    public FpTinyWorld partialWrite(int client, Set<Integer> commitsTo) {
        Set<PrincipalId> to = commitsTo.stream().map(PrincipalId::node).collect(Collectors.toSet());
        Bytes content = content(written.size());
        write(client, -1, 0);
        TinyWorld.Operation whole = operations.removeLast();
        operations.add(TinyWorld.Operation.of(
                "partial-" + whole.name(),
                whole.client(),
                () -> new PartialCommit<>(
                        parts.write(group(), client, content, TIMES),
                        to,
                        new FpWriteOutcome.Failed(Failure.TIMED_OUT, true)),
                -1));
        if (commitsTo.isEmpty()) {
            values.remove(content);
        }
        return this;
    }

    /**
     * A faulty client's write that sends COMMIT to all nodes that prepared as soon as one fewer than enough have; nobody may
     * ever read it.
     *
     * @param nodes that it prepares at
     */
    public FpTinyWorld hastyWrite(int client, int after, Set<Integer> nodes) {
        Bytes content = content(TinyWorld.OPERATIONS_MAX);
        operations.add(TinyWorld.Operation.of(
                "hasty-write-" + operations.size(),
                PrincipalId.client(client),
                () -> new EarlyCommitWrite(group(), client, content, nodes),
                after));
        return this;
    }

    /**
     * A write of a value of its own.
     *
     * @param after the operation, counted from 0, that has ended before; -1 if none
     * @param ticks how often it may find that others are slow
     */
    public FpTinyWorld write(int client, int after, int ticks) {
        int number = operations.size();
        Bytes content = content(written.size());
        String value = "w" + number;
        written.put(number, value);
        values.put(content, value);
        operations.add(TinyWorld.Operation.of(
                        "write-" + number,
                        PrincipalId.client(client),
                        () -> parts.write(group(), client, content, TIMES),
                        after)
                .impatient(ticks));
        return this;
    }

    /** A read that writes back what it found if that may be incomplete. */
    public FpTinyWorld read(int client, int after, int ticks) {
        return reading(client, after, ticks, () -> parts.readWritingBack(group(), client, TIMES));
    }

    /** A read by a client without the write grant. */
    public FpTinyWorld readAskingForRepair(int client, int after, int ticks) {
        return reading(client, after, ticks, () -> parts.readAskingForRepair(group(), TIMES));
    }

    private FpTinyWorld reading(
            int client, int after, int ticks, Supplier<? extends ClientOperation<FpReadOutcome>> operation) {
        operations.add(TinyWorld.Operation.of("read-" + operations.size(), PrincipalId.client(client), operation, after)
                .impatient(ticks));
        return this;
    }

    /** The last operation's requests do not reach this node. */
    public FpTinyWorld without(int unreached) {
        operations.add(operations.removeLast().without(Set.of(unreached)));
        return this;
    }

    /** The last operation begins as soon as it may, and then all that is under way gets lost. */
    public FpTinyWorld inTurn() {
        return inTurn(1);
    }

    /**
     * Makes the last operation begin as soon as it may; all messages in flight are then lost.
     *
     * @param ticks how often it tries other nodes after all answers have arrived
     */
    public FpTinyWorld inTurn(int ticks) {
        operations.add(operations.removeLast().patient(ticks));
        return this;
    }

    /** Permits this number of messages to arrive twice. */
    public FpTinyWorld repeating(int messages) {
        repetitions = messages;
        return this;
    }

    /** The last operation must end. */
    public FpTinyWorld ends() {
        operations.add(operations.removeLast().ending());
        return this;
    }

    public TinyWorld build() {
        return new TinyWorld(
                name,
                new FpCodec(),
                (_, question) -> answer(question),
                nodes,
                operations,
                repetitions,
                TICK_MILLIS,
                this::findViolation);
    }

    /**
     * A whole number of fragments, so that nothing is padded. The first write's version is the greatest at one ts: another write
     * that took its ts would be lost.
     */
    private Bytes content(int number) {
        byte[] bytes = new byte[policy.blockBytes()];
        Arrays.fill(bytes, (byte) (number < 2 ? 2 - number : number + 1));
        return Bytes.of(bytes);
    }

    private FpGroup group() {
        return FpGroup.of(volume, BlockId.register(VOLUME, 0));
    }

    private Optional<Fact> answer(Question question) {
        return Optional.of(
                switch (question) {
                    case Question.OfSession of ->
                        new Fact.OfSession(of.volume(), of.owner(), of.session(), SessionState.OPEN);
                    case Question.OfGrant of -> new Fact.OfGrant(of.volume(), of.principal(), true, true);
                    case Question.OfVolume of -> new Fact.OfVolume(of.volume(), Optional.of(volume));
                });
    }

    /** Linearizability. */
    private Optional<String> findViolation(List<TinyWorld.OperationResult> done) {
        List<Operation> history = new ArrayList<>();
        for (TinyWorld.OperationResult one : done) {
            if (operations.get(one.operation()).operation().get() instanceof EarlyCommitWrite) {
                continue;
            }
            String value = written.get(one.operation());
            Outcome outcome = Outcome.UNKNOWN;
            switch (one.outcome().orElse(null)) {
                case null -> {}
                case FpWriteOutcome.Written _ -> outcome = Outcome.OK;
                case FpWriteOutcome.Failed failed -> outcome = failed.mayBeWritten() ? Outcome.UNKNOWN : Outcome.FAILED;
                case FpWriteOutcome.EpochOver _ -> {}
                case FpReadOutcome.Value read -> {
                    outcome = Outcome.OK;
                    value = values.getOrDefault(read.block(), "never written " + read.block());
                }
                case FpReadOutcome.NeverWritten _ -> outcome = Outcome.OK;
                case FpReadOutcome.Failed _ -> outcome = Outcome.FAILED;
                case Object other -> throw new IllegalStateException("no outcome of a register: " + other);
            }
            history.add(new Operation(
                    operations.get(one.operation()).name(),
                    true,
                    written.containsKey(one.operation()) ? Action.WRITE : Action.READ,
                    "block",
                    value,
                    0,
                    0,
                    one.invoked(),
                    one.completed(),
                    outcome));
        }
        return HistoryCheck.of(new History(history)).problem();
    }
}
