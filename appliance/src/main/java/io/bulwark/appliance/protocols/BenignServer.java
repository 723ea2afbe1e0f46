package io.bulwark.appliance.protocols;

import io.bulwark.protocol.effect.Effect;
import io.bulwark.protocol.effect.Loaded;
import io.bulwark.protocol.effect.Mutation;
import io.bulwark.protocol.effect.Outbox;
import io.bulwark.protocol.effect.ProtocolServer;
import io.bulwark.protocol.effect.RecordKey;
import io.bulwark.protocol.effect.RecordKind;
import io.bulwark.protocol.effect.Stored;
import io.bulwark.protocol.id.PrincipalId;
import io.bulwark.protocol.wire.Bytes;
import io.bulwark.protocol.wire.Message;
import io.bulwark.storage.node.HostedProtocol;
import java.util.List;

/** Node of the benign protocols: stores what it is sent, and gives it back. */
final class BenignServer implements ProtocolServer {
    private final Outbox out = new Outbox();

    static HostedProtocol hosted() {
        return new HostedProtocol(
                BenignMessage.Request.class::isInstance,
                message -> ((BenignMessage.Request) message).target().block(),
                true,
                message -> message instanceof BenignMessage.Write write
                        ? write.fragment().length()
                        : 0,
                _ -> new BenignServer());
    }

    @Override
    public List<Effect> onMessage(long nowMillis, PrincipalId from, long requestId, Message message) {
        if (message instanceof BenignMessage.Write write) {
            // The nodes of this benchmark serve no extents.
            RecordKey key = RecordKey.of(RecordKind.EXTENT, write.target().block());
            out.store(List.of(new Mutation.Put(key, Bytes.EMPTY, write.fragment())), (_, stored) -> {
                if (stored == Stored.DURABLE) {
                    out.send(from, requestId, new BenignMessage.Written(write.target()));
                }
            });
        } else if (message instanceof BenignMessage.Read read) {
            RecordKey key = RecordKey.of(RecordKind.EXTENT, read.target().block());
            out.load(key, (_, loaded) -> {
                Bytes held = loaded instanceof Loaded.Found found ? found.fragment() : Bytes.EMPTY;
                out.send(from, requestId, new BenignMessage.Fragment(read.target(), held));
            });
        }
        return out.drain();
    }

    @Override
    public List<Effect> onStored(long nowMillis, long token, Stored stored) {
        out.stored(nowMillis, token, stored);
        return out.drain();
    }

    @Override
    public List<Effect> onLoaded(long nowMillis, long token, Loaded loaded) {
        out.loaded(nowMillis, token, loaded);
        return out.drain();
    }
}
