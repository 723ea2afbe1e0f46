package io.bulwark.appliance.protocols;

import io.bulwark.protocol.effect.ClientOperation;
import io.bulwark.protocol.effect.Effect;
import io.bulwark.protocol.id.PrincipalId;
import io.bulwark.protocol.wire.Message;
import java.util.List;
import java.util.Optional;
import java.util.Set;

/**
 * A write under PASIS as the thesis measures it (4.4.1): to the first m + 2f nodes, and to others only if these do not
 * answer, which without faults they do. The product's write goes to all nodes at once.
 *
 * @param nodes that the operation may send to
 */
record FirstSlots<R>(ClientOperation<R> operation, Set<PrincipalId> nodes) implements ClientOperation<R> {
    @Override
    public List<Effect> start(long nowMillis) {
        return within(operation.start(nowMillis));
    }

    @Override
    public List<Effect> onMessage(long nowMillis, PrincipalId from, Message message) {
        return within(operation.onMessage(nowMillis, from, message));
    }

    @Override
    public List<Effect> onTick(long nowMillis) {
        return within(operation.onTick(nowMillis));
    }

    private List<Effect> within(List<Effect> effects) {
        return effects.stream()
                .filter(effect -> effect instanceof Effect.Send send && nodes.contains(send.to()))
                .toList();
    }

    @Override
    public Optional<R> outcome() {
        return operation.outcome();
    }
}
