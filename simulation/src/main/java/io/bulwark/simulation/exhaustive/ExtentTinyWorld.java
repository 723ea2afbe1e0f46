package io.bulwark.simulation.exhaustive;

import io.bulwark.protocol.cluster.Fact;
import io.bulwark.protocol.cluster.PlacementGroup;
import io.bulwark.protocol.cluster.ProtectionPolicy;
import io.bulwark.protocol.cluster.Question;
import io.bulwark.protocol.cluster.SessionState;
import io.bulwark.protocol.cluster.Volume;
import io.bulwark.protocol.cluster.VolumeKind;
import io.bulwark.protocol.effect.Effect;
import io.bulwark.protocol.extent.ExtentCodec;
import io.bulwark.protocol.extent.ExtentLimits;
import io.bulwark.protocol.extent.ExtentMessage;
import io.bulwark.protocol.extent.ExtentTiming;
import io.bulwark.protocol.extent.ReadOutcome;
import io.bulwark.protocol.extent.ReadRefusal;
import io.bulwark.protocol.extent.WriteOutcome;
import io.bulwark.protocol.fingerprint.BlockCode;
import io.bulwark.protocol.id.BlockId;
import io.bulwark.protocol.id.PrincipalId;
import io.bulwark.protocol.wire.Bytes;
import io.bulwark.simulation.extent.ExtentParts;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;

/** One extent id on four nodes, with f = 1 and m = 2, and a few operations on it. */
public final class ExtentTinyWorld {
    private static final int VOLUME = 1;
    private static final ProtectionPolicy POLICY = new ProtectionPolicy(1, 2, 4, ProtectionPolicy.BLOCK_BYTES_MIN);
    private static final ExtentTiming TIMING = new ExtentTiming(100, 300, 1_000_000, 0);
    /** After a tick everything that waits is overdue. */
    private static final long TICK_MILLIS = 400;

    private static final PrincipalId OWNER = PrincipalId.client(1);
    private static final BlockId BLOCK = new BlockId(VOLUME, OWNER, 1, 1);

    private final String name;
    private final ExtentParts parts;
    private final Volume volume;
    private final List<TinyWorld.Node> nodes = new ArrayList<>();
    private final List<TinyWorld.Operation> operations = new ArrayList<>();
    private int repetitions;
    /** By operation: the content that it writes, or that the pin of its read names. */
    private final Map<Integer, Bytes> contents = new HashMap<>();

    /**
     * A world of correct nodes without operations.
     *
     * @param parts what correct parties run
     */
    public ExtentTinyWorld(String name, ExtentParts parts) {
        this.name = name;
        this.parts = parts;
        List<Integer> holders = List.of(0, 1, 2, 3);
        this.volume = new Volume(VOLUME, "v", VolumeKind.OBJECT, POLICY, 0, List.of(new PlacementGroup(1, holders)));
        for (int holder : holders) {
            nodes.add(TinyWorld.Node.plain(
                    PrincipalId.node(holder), () -> parts.server(holder, ExtentLimits.standard())));
        }
    }

    /** This node may answer each request as if it had just been made, and keep nothing of it. */
    public ExtentTinyWorld forgetful(int node) {
        nodes.set(node, nodes.get(node).forgetting(_ -> true));
        return this;
    }

    /** This node may answer a read with any of these refusals, or with bytes that it made up. */
    public ExtentTinyWorld liar(int node, ReadRefusal... refusals) {
        List<ChoosingServer.Lie> menu = new ArrayList<>(List.of(ChoosingServer.TRUTH, ExtentTinyWorld::invented));
        for (ReadRefusal refusal : refusals) {
            menu.add(effect -> refused(effect, refusal));
        }
        nodes.set(node, nodes.get(node).lying(menu));
        return this;
    }

    /** This node may crash once, and its disk is slow. */
    public ExtentTinyWorld crash(int node) {
        nodes.set(node, nodes.get(node).crashing());
        return this;
    }

    /** This node is told at any time that the content of this number is referenced. */
    public ExtentTinyWorld referenced(int node, int content) {
        nodes.set(node, nodes.get(node).told(List.of(new Fact.OfPin(BLOCK, pin(content)))));
        return this;
    }

    /**
     * A write to the id by its owner.
     *
     * @param content which of several contents
     * @param after the operation, counted from 0, that has ended before; -1 if none
     */
    public ExtentTinyWorld write(int content, int after) {
        return write(OWNER, content, after);
    }

    /**
     * A write to the id by anyone.
     *
     * @param client to whom the id does not belong, unless it is client 1
     */
    public ExtentTinyWorld write(PrincipalId client, int content, int after) {
        int number = operations.size();
        contents.put(number, content(content));
        operations.add(TinyWorld.Operation.of(
                "write-" + number, client, () -> parts.write(volume, BLOCK, content(content), TIMING), after));
        return this;
    }

    /** A read of what the pin of the content of this number names. */
    public ExtentTinyWorld read(int client, int content, int after) {
        int number = operations.size();
        contents.put(number, content(content));
        Bytes pin = pin(content);
        operations.add(TinyWorld.Operation.of(
                "read-" + number, PrincipalId.client(client), () -> parts.read(volume, BLOCK, pin, TIMING), after));
        return this;
    }

    /** The last operation's requests do not reach this node. */
    public ExtentTinyWorld without(int unreached) {
        operations.add(operations.removeLast().without(Set.of(unreached)));
        return this;
    }

    /** The last operation tries others so often. */
    public ExtentTinyWorld impatient(int ticks) {
        operations.add(operations.removeLast().impatient(ticks));
        return this;
    }

    /** The last operation begins as soon as it may, and then all that is under way gets lost. */
    public ExtentTinyWorld inTurn() {
        operations.add(operations.removeLast().patient(2));
        return this;
    }

    /** Permits this number of messages to arrive twice. */
    public ExtentTinyWorld repeating(int messages) {
        repetitions = messages;
        return this;
    }

    /** The last operation must end. */
    public ExtentTinyWorld ends() {
        operations.add(operations.removeLast().ending());
        return this;
    }

    public TinyWorld build() {
        return new TinyWorld(
                name,
                new ExtentCodec(),
                (_, question) -> Optional.of(answer(question)),
                nodes,
                operations,
                repetitions,
                TICK_MILLIS,
                this::findViolation);
    }

    /** A whole number of fragments, so that nothing is padded. */
    private static Bytes content(int number) {
        byte[] bytes = new byte[POLICY.blockBytes()];
        Arrays.fill(bytes, (byte) (number + 1));
        return Bytes.of(bytes);
    }

    private static Bytes pin(int number) {
        return BlockCode.ofAll(POLICY.m(), POLICY.n())
                .encode(content(number))
                .fpcc()
                .pin();
    }

    private Fact answer(Question question) {
        return switch (question) {
            case Question.OfSession of -> new Fact.OfSession(of.volume(), of.owner(), of.session(), SessionState.OPEN);
            case Question.OfGrant of -> new Fact.OfGrant(of.volume(), of.principal(), true, true);
            case Question.OfVolume of -> new Fact.OfVolume(of.volume(), Optional.of(volume));
        };
    }

    /**
     * Checks that the id never has two contents, that reads return the content that the pin names, and that complete
     * writes are read.
     */
    private Optional<String> findViolation(List<TinyWorld.OperationResult> done) {
        Map<Bytes, Long> complete = new HashMap<>();
        for (TinyWorld.OperationResult one : done) {
            if (one.outcome().orElse(null) instanceof WriteOutcome.Complete) {
                if (!operations.get(one.operation()).client().equals(OWNER)) {
                    return Optional.of("the id is complete with what a stranger wrote");
                }
                complete.merge(contents(one), one.completed(), Math::min);
            }
        }
        if (complete.size() > 1) {
            return Optional.of("the id is complete with two contents");
        }
        for (TinyWorld.OperationResult one : done) {
            boolean before = complete.getOrDefault(contents(one), Long.MAX_VALUE) < one.invoked();
            switch (one.outcome().orElse(null)) {
                case ReadOutcome.Whole whole
                when !whole.content().equals(contents(one)) -> {
                    return Optional.of("read is not what the pin names: " + whole.content());
                }
                case ReadOutcome.Whole _ -> {}
                case ReadOutcome refused
                when before -> {
                    return Optional.of("what was complete is not read: " + refused);
                }
                case null, default -> {}
            }
        }
        return Optional.empty();
    }

    private Bytes contents(TinyWorld.OperationResult one) {
        return contents.getOrDefault(one.operation(), Bytes.EMPTY);
    }

    private static List<Effect> refused(Effect effect, ReadRefusal refusal) {
        if (effect instanceof Effect.Send send
                && (send.message() instanceof ExtentMessage.Found
                        || send.message() instanceof ExtentMessage.NotFound)) {
            ExtentMessage answer = (ExtentMessage) send.message();
            long epoch = answer.epoch() + (refusal == ReadRefusal.WRONG_EPOCH ? 1 : 0);
            return List.of(new Effect.Send(
                    send.to(), send.requestId(), new ExtentMessage.NotFound(answer.block(), epoch, refusal)));
        }
        return List.of(effect);
    }

    private static List<Effect> invented(Effect effect) {
        if (effect instanceof Effect.Send send && send.message() instanceof ExtentMessage.Found found) {
            byte[] bytes = found.fragment().toByteArray();
            bytes[0] ^= 1;
            ExtentMessage lie =
                    new ExtentMessage.Found(found.block(), found.epoch(), found.checksum(), Bytes.of(bytes), true);
            return List.of(new Effect.Send(send.to(), send.requestId(), lie));
        }
        return List.of(effect);
    }
}
