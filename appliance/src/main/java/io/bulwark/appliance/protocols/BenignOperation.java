package io.bulwark.appliance.protocols;

import io.bulwark.protocol.cluster.PlacementGroup;
import io.bulwark.protocol.effect.ClientOperation;
import io.bulwark.protocol.effect.Effect;
import io.bulwark.protocol.erasure.ErasureCode;
import io.bulwark.protocol.id.BlockId;
import io.bulwark.protocol.id.PrincipalId;
import io.bulwark.protocol.kernel.Target;
import io.bulwark.protocol.wire.Bytes;
import io.bulwark.protocol.wire.Message;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.Collections;
import java.util.List;
import java.util.Optional;
import java.util.stream.IntStream;
import org.jspecify.annotations.Nullable;

/**
 * Operation of a benign protocol: one round to the first slots, all of which must answer. The outcome of a read is the
 * block, that of a write is empty bytes. Without faults nothing is sent again; an operation without answers fails by its
 * deadline.
 */
final class BenignOperation implements ClientOperation<Bytes> {
    private static final long TIMEOUT_MILLIS = 30_000;

    private final PlacementGroup group;
    private final List<BenignMessage> requests;
    private final @Nullable Bytes[] answers;
    private final int m;
    private final boolean reads;
    private int missing;
    private long deadlineMillis = Long.MAX_VALUE;
    private @Nullable Bytes outcome;

    private BenignOperation(PlacementGroup group, int m, boolean reads, List<BenignMessage> requests) {
        this.group = group;
        this.m = m;
        this.reads = reads;
        this.requests = requests;
        this.answers = new Bytes[requests.size()];
        this.missing = requests.size();
    }

    /**
     * A write: encodes the block for all slots of the group, or copies it to them.
     *
     * @param m fragments that make the block; 1 for replication
     */
    static BenignOperation write(PlacementGroup group, BlockId block, int m, Bytes content) {
        int n = group.holders().size();
        List<Bytes> fragments =
                m == 1 ? Collections.nCopies(n, content) : ErasureCode.of(m, n).encode(content, n);
        List<BenignMessage> requests = new ArrayList<>();
        for (int slot = 0; slot < n; slot++) {
            requests.add(new BenignMessage.Write(target(group, block, slot), fragments.get(slot)));
        }
        return new BenignOperation(group, m, false, requests);
    }

    /** A read from the first m slots: nothing is decoded. */
    static BenignOperation read(PlacementGroup group, BlockId block, int m) {
        List<BenignMessage> requests = new ArrayList<>();
        for (int slot = 0; slot < m; slot++) {
            requests.add(new BenignMessage.Read(target(group, block, slot)));
        }
        return new BenignOperation(group, m, true, requests);
    }

    private static Target target(PlacementGroup group, BlockId block, int slot) {
        return new Target(block, group.epoch(), slot);
    }

    @Override
    public List<Effect> start(long nowMillis) {
        deadlineMillis = nowMillis + TIMEOUT_MILLIS;
        List<Effect> effects = new ArrayList<>();
        for (BenignMessage request : requests) {
            PrincipalId node =
                    PrincipalId.node(group.holders().get(request.target().slot()));
            effects.add(new Effect.Send(node, 0, request));
        }
        return effects;
    }

    @Override
    public List<Effect> onMessage(long nowMillis, PrincipalId from, Message message) {
        if (message instanceof BenignMessage answer && outcome == null) {
            Bytes fragment = answer instanceof BenignMessage.Fragment held ? held.fragment() : Bytes.EMPTY;
            int slot = answer.target().slot();
            if (answers[slot] == null) {
                answers[slot] = fragment;
                missing--;
            }
            if (missing == 0) {
                outcome = reads ? joined() : Bytes.EMPTY;
            }
        }
        return List.of();
    }

    private Bytes joined() {
        List<Bytes> fragments = new ArrayList<>();
        for (Bytes fragment : answers) {
            fragments.add(fragment == null ? Bytes.EMPTY : fragment);
        }
        return m == 1
                ? fragments.getFirst()
                : ErasureCode.of(m, m).decode(IntStream.range(0, m).toArray(), fragments);
    }

    @Override
    public List<Effect> onTick(long nowMillis) {
        if (outcome == null && nowMillis >= deadlineMillis) {
            throw new IllegalStateException(
                    missing + " of " + requests.size() + " nodes do not answer: " + Arrays.toString(answers));
        }
        return List.of();
    }

    @Override
    public Optional<Bytes> outcome() {
        return Optional.ofNullable(outcome);
    }
}
