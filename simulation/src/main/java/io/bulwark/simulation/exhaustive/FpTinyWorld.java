package io.bulwark.simulation.exhaustive;

import io.bulwark.protocol.cluster.Fact;
import io.bulwark.protocol.cluster.PlacementGroup;
import io.bulwark.protocol.cluster.ProtectionPolicy;
import io.bulwark.protocol.cluster.Question;
import io.bulwark.protocol.cluster.SessionState;
import io.bulwark.protocol.cluster.Volume;
import io.bulwark.protocol.cluster.VolumeKind;
import io.bulwark.protocol.effect.Effect;
import io.bulwark.protocol.fingerprint.Fpcc;
import io.bulwark.protocol.fp.FpCodec;
import io.bulwark.protocol.fp.FpGroup;
import io.bulwark.protocol.fp.FpLimits;
import io.bulwark.protocol.fp.FpMessage;
import io.bulwark.protocol.fp.FpReadOutcome;
import io.bulwark.protocol.fp.FpTimes;
import io.bulwark.protocol.fp.FpWriteOutcome;
import io.bulwark.protocol.fp.Timestamp;
import io.bulwark.protocol.fp.Version;
import io.bulwark.protocol.id.BlockId;
import io.bulwark.protocol.id.PrincipalId;
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
import java.util.stream.Collectors;

/** One register on m + 2f nodes, with f = 1 and m = 2, and a few operations on it. */
public final class FpTinyWorld {
    /** What a liar may do to an answer, each time anew: nothing, or know of no write. */
    public static final List<ChoosingServer.Lie> KNOWS_NOTHING =
            List.of(ChoosingServer.TRUTH, FpTinyWorld::knowsNothing);

    /** Prepares at a greater timestamp, too. */
    public static final List<ChoosingServer.Lie> ANSWERS_LATER =
            List.of(ChoosingServer.TRUTH, FpTinyWorld::knowsNothing, FpTinyWorld::answersLater);

    private static final int VOLUME = 5;
    private static final ProtectionPolicy POLICY = new ProtectionPolicy(1, 2, 4, ProtectionPolicy.BLOCK_BYTES_MIN);
    private static final FpTimes TIMES = new FpTimes(100, 300, 0, 1_000_000);
    /** After a tick everything that waits is overdue. */
    private static final long TICK_MILLIS = 400;

    private final String name;
    private final FpParts parts;
    private final Volume volume;
    private final List<TinyWorld.Node> nodes = new ArrayList<>();
    private final List<TinyWorld.Operation> operations = new ArrayList<>();
    private final Map<Integer, String> written = new HashMap<>();
    private final Map<Bytes, String> values = new HashMap<>();

    /**
     * A world of correct nodes without operations.
     *
     * @param parts what correct parties run
     */
    public FpTinyWorld(String name, FpParts parts) {
        this.name = name;
        this.parts = parts;
        List<Integer> holders = List.of(0, 1, 2, 3);
        this.volume = new Volume(VOLUME, "v", VolumeKind.REGISTER, POLICY, 1, List.of(new PlacementGroup(1, holders)));
        for (int holder : holders) {
            PairwiseKeys keys = keys(holder, holders);
            nodes.add(TinyWorld.Node.plain(PrincipalId.node(holder), () -> parts.server(keys, FpLimits.standard())));
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
        TinyWorld.Node old = nodes.get(node);
        nodes.set(
                node,
                TinyWorld.Node.plain(
                        old.id(), () -> new ChoosingServer(old.server().get(), menu)));
        return this;
    }

    /** At each step this node may answer the timestamp of the first write, which must be there already, instead of a later one. */
    public FpTinyWorld staleLiar(int node) {
        Fpcc fpcc = group().code().encode(content(0)).fpcc();
        Timestamp first = new Timestamp(1, fpcc);
        return liar(node, List.of(ChoosingServer.TRUTH, effect -> stale(effect, first)));
    }

    /** This node may crash once, and its disk is slow. */
    public FpTinyWorld crash(int node) {
        TinyWorld.Node old = nodes.get(node);
        nodes.set(node, new TinyWorld.Node(old.id(), old.server(), 1, 0, true));
        return this;
    }

    /** A write of a client that sends COMMIT to some nodes only. */
    public FpTinyWorld partialWrite(int client, Set<Integer> commitsTo) {
        Set<PrincipalId> to = commitsTo.stream().map(PrincipalId::node).collect(Collectors.toSet());
        write(client, -1, 0);
        TinyWorld.Operation whole = operations.removeLast();
        operations.add(new TinyWorld.Operation(
                "partial-" + whole.name(),
                whole.client(),
                () -> new FewCommits<>(whole.operation().get(), to),
                -1,
                0));
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
        Bytes content = content(number);
        String value = "w" + number;
        written.put(number, value);
        values.put(content, value);
        operations.add(new TinyWorld.Operation(
                "write-" + number,
                PrincipalId.client(client),
                () -> parts.write(group(), client, content, TIMES),
                after,
                ticks));
        return this;
    }

    /** A read that writes back what it found if that may be incomplete. */
    public FpTinyWorld read(int client, int after, int ticks) {
        operations.add(new TinyWorld.Operation(
                "read-" + operations.size(),
                PrincipalId.client(client),
                () -> parts.readWritingBack(group(), client, TIMES),
                after,
                ticks));
        return this;
    }

    public TinyWorld build() {
        return new TinyWorld(
                name, new FpCodec(), (_, question) -> answer(question), nodes, operations, TICK_MILLIS, this::wrong);
    }

    /** A whole number of fragments, so that nothing is padded. */
    private static Bytes content(int number) {
        byte[] bytes = new byte[POLICY.blockBytes()];
        Arrays.fill(bytes, (byte) (number + 1));
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
    private Optional<String> wrong(List<TinyWorld.Done> done) {
        List<Operation> history = new ArrayList<>();
        for (TinyWorld.Done one : done) {
            String value = written.get(one.operation());
            Outcome outcome = Outcome.UNKNOWN;
            switch (one.outcome().orElse(null)) {
                case null -> {}
                case FpWriteOutcome.Written _ -> outcome = Outcome.OK;
                case FpWriteOutcome.Failed failed -> outcome = failed.mayBeWritten() ? Outcome.UNKNOWN : Outcome.FAILED;
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

    private static List<Effect> knowsNothing(Effect effect) {
        if (effect instanceof Effect.Send send && send.message() instanceof FpMessage.FoundTimestamp found) {
            FpMessage none = new FpMessage.FoundTimestamp(found.target(), Timestamp.NONE, null);
            return List.of(new Effect.Send(send.to(), send.requestId(), none));
        }
        return List.of(effect);
    }

    private static List<Effect> stale(Effect effect, Timestamp first) {
        boolean later = effect instanceof Effect.Send send
                && send.message() instanceof FpMessage.FoundTimestamp found
                && found.latest().isAfter(first);
        if (later && effect instanceof Effect.Send send) {
            FpMessage old = new FpMessage.FoundTimestamp(((FpMessage.Answer) send.message()).target(), first, null);
            return List.of(new Effect.Send(send.to(), send.requestId(), old));
        }
        return List.of(effect);
    }

    private static List<Effect> answersLater(Effect effect) {
        if (effect instanceof Effect.Send send && send.message() instanceof FpMessage.Prepared prepared) {
            Version later =
                    new Version(prepared.version().ts() + 1, prepared.version().pin());
            FpMessage lie = new FpMessage.Prepared(prepared.target(), later, prepared.nonce(), prepared.macs());
            return List.of(new Effect.Send(send.to(), send.requestId(), lie));
        }
        return List.of(effect);
    }
}
