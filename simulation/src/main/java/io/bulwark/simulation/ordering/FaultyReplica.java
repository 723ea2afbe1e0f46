package io.bulwark.simulation.ordering;

import io.bulwark.protocol.effect.Effect;
import io.bulwark.protocol.effect.ProtocolServer;
import io.bulwark.protocol.effect.Stored;
import io.bulwark.protocol.id.PrincipalId;
import io.bulwark.protocol.ordering.key.KeyMessage;
import io.bulwark.protocol.wire.Message;
import java.util.List;
import java.util.function.Function;
import java.util.function.Supplier;
import org.jspecify.annotations.Nullable;

/**
 * A replica that may lie, and whose disk may rot. Damage to its own code ends only its own life. An intruder that acts
 * in its place has session keys, too.
 */
final class FaultyReplica implements ProtocolServer {
    private final ReplicaMessenger mail;
    private @Nullable OrderedMember member;

    FaultyReplica(ReplicaMessenger mail, Supplier<OrderedMember> start) {
        this.mail = mail;
        try {
            member = start.get();
        } catch (RuntimeException rotten) {
            member = null;
        }
    }

    @Nullable
    OrderedMember member() {
        return member;
    }

    private List<Effect> alive(Function<OrderedMember, List<Effect>> input) {
        OrderedMember living = member;
        if (living == null) {
            return List.of();
        }
        try {
            return input.apply(living);
        } catch (RuntimeException rotten) {
            member = null;
            return List.of();
        }
    }

    @Override
    public List<Effect> onMessage(long nowMillis, PrincipalId from, long requestId, Message message) {
        if (member == null && message instanceof KeyMessage said) {
            mail.onMessage(nowMillis, from.number(), requestId, said, ReplicaMessenger.NOBODY);
        }
        return alive(living -> living.onMessage(nowMillis, from, requestId, message));
    }

    @Override
    public List<Effect> onTick(long nowMillis) {
        if (member == null) {
            mail.onTick(nowMillis, ReplicaMessenger.NOBODY);
        }
        return alive(living -> living.onTick(nowMillis));
    }

    @Override
    public List<Effect> onStored(long nowMillis, long token, Stored stored) {
        return alive(living -> living.onStored(nowMillis, token, stored));
    }
}
