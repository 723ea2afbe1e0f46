package io.bulwark.simulation.fp;

import io.bulwark.protocol.effect.ClientOperation;
import io.bulwark.protocol.effect.Effect;
import io.bulwark.protocol.fingerprint.BlockCode;
import io.bulwark.protocol.fingerprint.Fpcc;
import io.bulwark.protocol.fp.FpGroup;
import io.bulwark.protocol.fp.FpMessage;
import io.bulwark.protocol.fp.Version;
import io.bulwark.protocol.id.PrincipalId;
import io.bulwark.protocol.kernel.Target;
import io.bulwark.protocol.wire.Bytes;
import io.bulwark.protocol.wire.Message;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.TreeMap;
import java.util.function.IntPredicate;

/** A faulty client prepares what it likes where it likes, and commits wherever enough nodes let it. */
final class FpAttackingWrite implements ClientOperation<Boolean> {
    private static final long LASTS_MILLIS = 3_000;

    private final FpGroup group;
    private final long session;
    private final long ts;
    private final BlockCode.Encoded encoded;
    private final Bytes block;
    private final IntPredicate prepares;
    private final IntPredicate commits;
    private final Map<Version, Map<Integer, FpMessage.Prepared>> prepared = new HashMap<>();
    private long untilMillis = Long.MAX_VALUE;
    private boolean over;

    /**
     * @param ts the timestamp to prepare at; 0 to let each node choose
     * @param encoded fragments for the first m + f slots
     * @param block block for the other slots
     * @param prepares the slots that receive a prepare
     * @param commits the slots that receive a commit
     */
    FpAttackingWrite(
            FpGroup group,
            long session,
            long ts,
            BlockCode.Encoded encoded,
            Bytes block,
            IntPredicate prepares,
            IntPredicate commits) {
        this.group = group;
        this.session = session;
        this.ts = ts;
        this.encoded = encoded;
        this.block = block;
        this.prepares = prepares;
        this.commits = commits;
    }

    @Override
    public List<Effect> start(long nowMillis) {
        untilMillis = nowMillis + LASTS_MILLIS;
        List<Effect> effects = new ArrayList<>();
        for (int slot = 0; slot < group.policy().n(); slot++) {
            if (prepares.test(slot)) {
                prepare(slot, ts, effects);
            }
        }
        return effects;
    }

    private void prepare(int slot, long at, List<Effect> effects) {
        Fpcc fpcc = encoded.fpcc();
        send(
                slot,
                slot < encoded.fragments().size()
                        ? new FpMessage.PrepareFragment(
                                target(slot),
                                session,
                                at,
                                fpcc,
                                encoded.fragments().get(slot))
                        : new FpMessage.PrepareBlock(target(slot), session, at, fpcc, block),
                effects);
    }

    @Override
    public List<Effect> onMessage(long nowMillis, PrincipalId from, Message message) {
        List<Effect> effects = new ArrayList<>();
        int slot = group.placement().slotOf(from.number());
        if (!(message instanceof FpMessage.Prepared answer)
                || slot < 0
                || answer.macs().size() != group.policy().n()
                || !answer.version().pin().equals(encoded.fpcc().pin())) {
            return effects;
        }
        boolean first = prepared.isEmpty();
        Map<Integer, FpMessage.Prepared> at = prepared.computeIfAbsent(answer.version(), _ -> new TreeMap<>());
        at.put(slot, answer);
        if (first && ts == 0) {
            // The first answer decides for all; a correct client would wait for more.
            for (int other = 0; other < group.policy().n(); other++) {
                prepare(other, answer.version().ts(), effects);
            }
        }
        // One fewer than enough is tried, too.
        if (at.size() >= group.policy().writeQuorum() - 1) {
            for (int to = 0; to < group.policy().n(); to++) {
                if (commits.test(to)) {
                    commit(to, answer.version().ts(), at, effects);
                }
            }
        }
        return effects;
    }

    private void commit(int to, long at, Map<Integer, FpMessage.Prepared> with, List<Effect> effects) {
        List<FpMessage.PrepareMac> prepareMacs = new ArrayList<>();
        with.forEach((slot, answer) -> prepareMacs.add(
                new FpMessage.PrepareMac(slot, answer.nonce(), answer.macs().get(to))));
        send(to, new FpMessage.Commit(target(to), session, at, encoded.fpcc(), prepareMacs), effects);
    }

    private Target target(int slot) {
        return new Target(group.block(), group.placement().epoch(), slot);
    }

    private void send(int slot, FpMessage message, List<Effect> effects) {
        effects.add(new Effect.Send(PrincipalId.node(group.placement().holders().get(slot)), 0, message));
    }

    @Override
    public List<Effect> onTick(long nowMillis) {
        over = nowMillis >= untilMillis;
        return List.of();
    }

    @Override
    public Optional<Boolean> outcome() {
        return Optional.of(over);
    }

    @Override
    public boolean isFinished() {
        return over;
    }
}
