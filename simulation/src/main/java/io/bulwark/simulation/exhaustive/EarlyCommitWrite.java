package io.bulwark.simulation.exhaustive;

import io.bulwark.protocol.effect.ClientOperation;
import io.bulwark.protocol.effect.Effect;
import io.bulwark.protocol.fingerprint.BlockCode;
import io.bulwark.protocol.fp.FpGroup;
import io.bulwark.protocol.fp.FpMessage;
import io.bulwark.protocol.fp.Version;
import io.bulwark.protocol.id.PrincipalId;
import io.bulwark.protocol.kernel.Target;
import io.bulwark.protocol.wire.Bytes;
import io.bulwark.protocol.wire.Message;
import java.util.ArrayList;
import java.util.Collection;
import java.util.List;
import java.util.Optional;
import java.util.TreeMap;

/** A faulty client's: it sends COMMIT with one prepare fewer than enough. It ends when all COMMITs are answered. */
final class EarlyCommitWrite implements ClientOperation<Boolean> {
    private final FpGroup group;
    private final long session;
    private final BlockCode.Encoded encoded;
    private final Collection<Integer> nodes;
    private final TreeMap<Integer, FpMessage.Prepared> prepared = new TreeMap<>();
    private boolean sent;
    private int answers;

    EarlyCommitWrite(FpGroup group, long session, Bytes block, Collection<Integer> nodes) {
        this.group = group;
        this.session = session;
        this.encoded = group.code().encode(block);
        this.nodes = List.copyOf(nodes);
    }

    @Override
    public List<Effect> start(long nowMillis) {
        List<Effect> effects = new ArrayList<>();
        for (int slot : nodes) {
            Bytes fragment = encoded.fragments().get(slot);
            send(slot, new FpMessage.PrepareFragment(target(slot), session, 0, encoded.fpcc(), fragment), effects);
        }
        return effects;
    }

    @Override
    public List<Effect> onMessage(long nowMillis, PrincipalId from, Message message) {
        List<Effect> effects = new ArrayList<>();
        boolean answered = message instanceof FpMessage.Committed || message instanceof FpMessage.Refused;
        answers += sent && answered ? 1 : 0;
        if (sent || !(message instanceof FpMessage.Prepared answer)) {
            return effects;
        }
        prepared.put(answer.target().slot(), answer);
        Version version = answer.version();
        List<FpMessage.Prepared> equal = prepared.values().stream()
                .filter(each -> each.version().equals(version))
                .toList();
        if (equal.size() == group.policy().writeQuorum() - 1) {
            sent = true;
            for (FpMessage.Prepared to : equal) {
                int slot = to.target().slot();
                List<FpMessage.PrepareMac> prepareMacs = equal.stream()
                        .map(each -> new FpMessage.PrepareMac(
                                each.target().slot(), each.nonce(), each.macs().get(slot)))
                        .toList();
                send(
                        slot,
                        new FpMessage.Commit(target(slot), session, version.ts(), encoded.fpcc(), prepareMacs),
                        effects);
            }
        }
        return effects;
    }

    private Target target(int slot) {
        return new Target(group.block(), group.placement().epoch(), slot);
    }

    private void send(int slot, FpMessage message, List<Effect> effects) {
        effects.add(new Effect.Send(PrincipalId.node(group.placement().holders().get(slot)), 0, message));
    }

    @Override
    public List<Effect> onTick(long nowMillis) {
        return List.of();
    }

    @Override
    public Optional<Boolean> outcome() {
        return isFinished() ? Optional.of(true) : Optional.empty();
    }

    @Override
    public boolean isFinished() {
        return sent && answers == group.policy().writeQuorum() - 1;
    }
}
