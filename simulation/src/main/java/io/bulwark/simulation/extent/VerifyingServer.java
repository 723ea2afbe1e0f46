package io.bulwark.simulation.extent;

import io.bulwark.protocol.cluster.Fact;
import io.bulwark.protocol.cluster.PlacementGroup;
import io.bulwark.protocol.effect.Effect;
import io.bulwark.protocol.effect.Loaded;
import io.bulwark.protocol.effect.ProtocolServer;
import io.bulwark.protocol.effect.Stored;
import io.bulwark.protocol.extent.ExtentMessage;
import io.bulwark.protocol.extent.ExtentMessage.CheckDepth;
import io.bulwark.protocol.id.PrincipalId;
import io.bulwark.protocol.wire.Message;
import java.util.ArrayList;
import java.util.List;
import java.util.Random;

/** A node that now and then looks at an extent that it knows to be referenced, and verifies it lazily. */
final class VerifyingServer implements ProtocolServer {
    private static final int EVERY_TICKS = 20;
    private static final int KNOWN_MAX = 64;

    private final PrincipalId self;
    private final ProtocolServer server;
    private final ExtentVolume volume;
    private final Random random;
    private final List<Fact.OfPin> known = new ArrayList<>();
    private long requests;

    VerifyingServer(PrincipalId self, ProtocolServer server, ExtentVolume volume, Random random) {
        this.self = self;
        this.server = server;
        this.volume = volume;
        this.random = random;
    }

    @Override
    public List<Effect> onMessage(long nowMillis, PrincipalId from, long requestId, Message message) {
        return outside(server.onMessage(nowMillis, from, requestId, message));
    }

    @Override
    public List<Effect> onTick(long nowMillis) {
        List<Effect> effects = new ArrayList<>(server.onTick(nowMillis));
        if (!known.isEmpty() && random.nextInt(EVERY_TICKS) == 0) {
            Fact.OfPin any = known.get(random.nextInt(known.size()));
            PlacementGroup group = volume.volume().group(any.block());
            int slot = group.slotOf(self.number());
            if (slot >= 0) {
                CheckDepth look = random.nextInt(4) == 0 ? CheckDepth.FRAGMENT : CheckDepth.OTHERS;
                Message request = new ExtentMessage.Complete(any.block(), group.epoch(), slot, any.pin(), look);
                effects.addAll(server.onMessage(nowMillis, self, --requests, request));
            }
        }
        return outside(effects);
    }

    @Override
    public List<Effect> onStored(long nowMillis, long token, Stored stored) {
        return outside(server.onStored(nowMillis, token, stored));
    }

    @Override
    public List<Effect> onLoaded(long nowMillis, long token, Loaded loaded) {
        return outside(server.onLoaded(nowMillis, token, loaded));
    }

    @Override
    public List<Effect> onFact(long nowMillis, Fact fact) {
        if (fact instanceof Fact.OfPin pin) {
            if (known.size() == KNOWN_MAX) {
                known.remove(random.nextInt(KNOWN_MAX));
            }
            known.add(pin);
        }
        return outside(server.onFact(nowMillis, fact));
    }

    @Override
    public List<Effect> onCompleted(long nowMillis, long token, Object outcome) {
        return outside(server.onCompleted(nowMillis, token, outcome));
    }

    /** Returns the effects without the answers to this class's own looks. */
    private static List<Effect> outside(List<Effect> effects) {
        return effects.stream()
                .filter(effect ->
                        !(effect instanceof Effect.Send send && send.message() instanceof ExtentMessage.Completed))
                .toList();
    }
}
