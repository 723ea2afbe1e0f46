package io.bulwark.protocol.pasis;

import io.bulwark.protocol.effect.ClientOperation;
import io.bulwark.protocol.effect.Effect;
import io.bulwark.protocol.id.PrincipalId;
import io.bulwark.protocol.wire.Message;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import java.util.Set;

/** Sender of NOTIFY to peers. They do not answer, and a lost message costs a peer no more than its own verification. */
final class Notification implements ClientOperation<Boolean> {
    private final PasisGroup group;
    private final Set<Integer> without;
    private final ValidatingTimestamp version;
    private final boolean poisonous;
    private boolean sent;

    /** @param without the own slot, and those that have said the same to this node */
    Notification(PasisGroup group, Set<Integer> without, ValidatingTimestamp version, boolean poisonous) {
        this.group = group;
        this.without = Set.copyOf(without);
        this.version = version;
        this.poisonous = poisonous;
    }

    @Override
    public List<Effect> start(long nowMillis) {
        List<Effect> effects = new ArrayList<>();
        for (int slot = 0; slot < group.n(); slot++) {
            if (!without.contains(slot)) {
                effects.add(new Effect.Send(
                        group.node(slot), 0, new PasisMessage.Notify(group.target(slot), version, poisonous)));
            }
        }
        sent = true;
        return effects;
    }

    @Override
    public List<Effect> onMessage(long nowMillis, PrincipalId from, Message message) {
        return List.of();
    }

    @Override
    public List<Effect> onTick(long nowMillis) {
        return List.of();
    }

    @Override
    public Optional<Boolean> outcome() {
        return sent ? Optional.of(true) : Optional.empty();
    }

    @Override
    public boolean isFinished() {
        return sent;
    }
}
