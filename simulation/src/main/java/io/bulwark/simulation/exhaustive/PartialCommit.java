package io.bulwark.simulation.exhaustive;

import io.bulwark.protocol.effect.ClientOperation;
import io.bulwark.protocol.effect.Effect;
import io.bulwark.protocol.fp.FpMessage;
import io.bulwark.protocol.id.PrincipalId;
import io.bulwark.protocol.wire.Message;
import java.util.List;
import java.util.Optional;
import java.util.Set;
import java.util.TreeSet;

/** A write whose COMMITs go to some nodes only. It ends when they have all committed. */
final class PartialCommit<R> implements ClientOperation<R> {
    private final ClientOperation<R> write;
    private final Set<PrincipalId> nodes;
    private final R end;
    private final Set<PrincipalId> committed = new TreeSet<>();

    /** @param end its outcome */
    PartialCommit(ClientOperation<R> write, Set<PrincipalId> nodes, R end) {
        this.write = write;
        this.nodes = Set.copyOf(nodes);
        this.end = end;
    }

    @Override
    public List<Effect> start(long nowMillis) {
        return filter(write.start(nowMillis));
    }

    @Override
    public List<Effect> onMessage(long nowMillis, PrincipalId from, Message message) {
        if (message instanceof FpMessage.Committed) {
            committed.add(from);
        }
        return filter(write.onMessage(nowMillis, from, message));
    }

    @Override
    public List<Effect> onTick(long nowMillis) {
        return filter(write.onTick(nowMillis));
    }

    private List<Effect> filter(List<Effect> effects) {
        return effects.stream()
                .filter(effect -> !(effect instanceof Effect.Send send
                        && send.message() instanceof FpMessage.Commit
                        && !nodes.contains(send.to())))
                .toList();
    }

    @Override
    public Optional<R> outcome() {
        return isFinished() ? Optional.of(end) : Optional.empty();
    }

    @Override
    public boolean isFinished() {
        return !nodes.isEmpty() && committed.containsAll(nodes);
    }
}
