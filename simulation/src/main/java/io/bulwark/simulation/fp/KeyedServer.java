package io.bulwark.simulation.fp;

import io.bulwark.protocol.agreement.AgreementMessage;
import io.bulwark.protocol.agreement.KeyAgreement;
import io.bulwark.protocol.cluster.Fact;
import io.bulwark.protocol.effect.Effect;
import io.bulwark.protocol.effect.Loaded;
import io.bulwark.protocol.effect.ProtocolServer;
import io.bulwark.protocol.effect.Stored;
import io.bulwark.protocol.id.PrincipalId;
import io.bulwark.protocol.wire.Message;
import java.util.ArrayList;
import java.util.List;

/** A node that serves registers and agrees on keys. What the agreement runs goes under negative tokens. */
final class KeyedServer implements ProtocolServer {
    private final KeyAgreement agreement;
    private final ProtocolServer registers;

    KeyedServer(KeyAgreement agreement, ProtocolServer registers) {
        this.agreement = agreement;
        this.registers = registers;
    }

    private static List<Effect> ofAgreement(List<Effect> effects) {
        return effects.stream()
                .<Effect>map(effect -> switch (effect) {
                    case Effect.Run run -> new Effect.Run(-run.token(), run.operation());
                    case Effect.Send send -> send;
                    default -> throw new IllegalStateException("an agreement on keys asked for " + effect);
                })
                .toList();
    }

    @Override
    public List<Effect> onMessage(long nowMillis, PrincipalId from, long requestId, Message message) {
        return message instanceof AgreementMessage
                ? ofAgreement(agreement.onMessage(nowMillis, from, requestId, message))
                : registers.onMessage(nowMillis, from, requestId, message);
    }

    @Override
    public List<Effect> onTick(long nowMillis) {
        List<Effect> effects = new ArrayList<>(ofAgreement(agreement.onTick(nowMillis)));
        effects.addAll(registers.onTick(nowMillis));
        return effects;
    }

    @Override
    public List<Effect> onStored(long nowMillis, long token, Stored stored) {
        return registers.onStored(nowMillis, token, stored);
    }

    @Override
    public List<Effect> onLoaded(long nowMillis, long token, Loaded loaded) {
        return registers.onLoaded(nowMillis, token, loaded);
    }

    @Override
    public List<Effect> onFact(long nowMillis, Fact fact) {
        return registers.onFact(nowMillis, fact);
    }

    @Override
    public List<Effect> onCompleted(long nowMillis, long token, Object outcome) {
        return token < 0
                ? ofAgreement(agreement.onCompleted(nowMillis, -token, outcome))
                : registers.onCompleted(nowMillis, token, outcome);
    }
}
