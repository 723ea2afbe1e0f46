package io.bulwark.storage.figures;

import io.bulwark.protocol.cluster.Fact;
import io.bulwark.protocol.effect.Effect;
import io.bulwark.protocol.effect.Loaded;
import io.bulwark.protocol.effect.ProtocolServer;
import io.bulwark.protocol.effect.Stored;
import io.bulwark.protocol.id.PrincipalId;
import io.bulwark.protocol.pasis.PasisMessage;
import io.bulwark.protocol.pasis.ValidatingTimestamp;
import io.bulwark.protocol.wire.Bytes;
import io.bulwark.protocol.wire.Message;
import java.util.List;
import java.util.function.BooleanSupplier;

/**
 * A node of masking quorums that may lie to readers. It then claims to hold one verified version, later than all others,
 * that nobody has written. All liars name the same version, and its copy matches its hash: this lie is the hardest to
 * mask.
 */
final class LyingServer implements ProtocolServer {
    private static final long LATE = 1L << 60;

    private final ProtocolServer server;
    private final Bytes forged;
    private final PasisMessage.Entry entry;
    private final BooleanSupplier lies;

    LyingServer(ProtocolServer server, int blockBytes, BooleanSupplier lies) {
        this.server = server;
        this.forged = Bytes.of(new byte[blockBytes]);
        this.entry = new PasisMessage.Entry(ValidatingTimestamp.of(LATE, PrincipalId.client(0), List.of(forged)), true);
        this.lies = lies;
    }

    private List<Effect> answers(List<Effect> effects) {
        return lies.getAsBoolean() ? effects.stream().map(this::answer).toList() : effects;
    }

    private Effect answer(Effect effect) {
        return effect instanceof Effect.Send(PrincipalId to, long id, PasisMessage.History history)
                ? new Effect.Send(to, id, forge(history))
                : effect;
    }

    private Message forge(PasisMessage.History history) {
        boolean latest = history.before().isNone();
        return new PasisMessage.History(
                history.target(),
                history.before(),
                latest ? List.of(entry) : List.of(),
                false,
                ValidatingTimestamp.NONE,
                latest && history.fragment() != null ? forged : null);
    }

    @Override
    public List<Effect> onMessage(long nowMillis, PrincipalId from, long requestId, Message message) {
        return answers(server.onMessage(nowMillis, from, requestId, message));
    }

    @Override
    public List<Effect> onTick(long nowMillis) {
        return answers(server.onTick(nowMillis));
    }

    @Override
    public List<Effect> onStored(long nowMillis, long token, Stored stored) {
        return answers(server.onStored(nowMillis, token, stored));
    }

    @Override
    public List<Effect> onLoaded(long nowMillis, long token, Loaded loaded) {
        return answers(server.onLoaded(nowMillis, token, loaded));
    }

    @Override
    public List<Effect> onFact(long nowMillis, Fact fact) {
        return answers(server.onFact(nowMillis, fact));
    }

    @Override
    public List<Effect> onCompleted(long nowMillis, long token, Object outcome) {
        return answers(server.onCompleted(nowMillis, token, outcome));
    }
}
