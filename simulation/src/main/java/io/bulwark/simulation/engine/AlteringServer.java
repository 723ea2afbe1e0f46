package io.bulwark.simulation.engine;

import io.bulwark.protocol.cluster.Fact;
import io.bulwark.protocol.effect.Effect;
import io.bulwark.protocol.effect.Loaded;
import io.bulwark.protocol.effect.ProtocolServer;
import io.bulwark.protocol.effect.Stored;
import io.bulwark.protocol.id.PrincipalId;
import io.bulwark.protocol.wire.Message;
import java.util.ArrayList;
import java.util.List;

/** A Byzantine node: a correct server whose effects are replaced on their way out. */
public abstract class AlteringServer implements ProtocolServer {
    private final ProtocolServer correct;

    protected AlteringServer(ProtocolServer correct) {
        this.correct = correct;
    }

    /** Returns the effects of this node where a correct one has {@code effect}. */
    protected abstract List<Effect> alter(long nowMillis, Effect effect);

    @Override
    public List<Effect> onMessage(long nowMillis, PrincipalId from, long requestId, Message message) {
        return alter(nowMillis, correct.onMessage(nowMillis, from, requestId, message));
    }

    @Override
    public List<Effect> onTick(long nowMillis) {
        return alter(nowMillis, correct.onTick(nowMillis));
    }

    @Override
    public List<Effect> onStored(long nowMillis, long token, Stored stored) {
        return alter(nowMillis, correct.onStored(nowMillis, token, stored));
    }

    @Override
    public List<Effect> onLoaded(long nowMillis, long token, Loaded loaded) {
        return alter(nowMillis, correct.onLoaded(nowMillis, token, loaded));
    }

    @Override
    public List<Effect> onFact(long nowMillis, Fact fact) {
        return alter(nowMillis, correct.onFact(nowMillis, fact));
    }

    @Override
    public List<Effect> onCompleted(long nowMillis, long token, Object outcome) {
        return alter(nowMillis, correct.onCompleted(nowMillis, token, outcome));
    }

    private List<Effect> alter(long nowMillis, List<Effect> effects) {
        List<Effect> altered = new ArrayList<>();
        effects.forEach(effect -> altered.addAll(alter(nowMillis, effect)));
        return altered;
    }
}
