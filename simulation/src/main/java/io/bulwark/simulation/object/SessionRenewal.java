package io.bulwark.simulation.object;

import io.bulwark.protocol.effect.ClientOperation;
import io.bulwark.protocol.effect.Effect;
import io.bulwark.protocol.id.PrincipalId;
import io.bulwark.protocol.wire.Message;
import java.util.List;
import java.util.Optional;

/** Renews a client's sessions as long as the world lasts. */
record SessionRenewal(ObjectClient client) implements ClientOperation<Boolean> {
    @Override
    public List<Effect> start(long nowMillis) {
        return List.of();
    }

    @Override
    public List<Effect> onMessage(long nowMillis, PrincipalId from, Message message) {
        return List.of();
    }

    @Override
    public List<Effect> onTick(long nowMillis) {
        client.renew();
        return List.of();
    }

    @Override
    public Optional<Boolean> outcome() {
        return Optional.empty();
    }

    @Override
    public boolean isFinished() {
        return false;
    }
}
