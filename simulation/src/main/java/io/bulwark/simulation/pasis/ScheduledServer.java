package io.bulwark.simulation.pasis;

import io.bulwark.protocol.cluster.Fact;
import io.bulwark.protocol.effect.Effect;
import io.bulwark.protocol.effect.Loaded;
import io.bulwark.protocol.effect.ProtocolServer;
import io.bulwark.protocol.effect.Stored;
import io.bulwark.protocol.id.BlockId;
import io.bulwark.protocol.id.PrincipalId;
import io.bulwark.protocol.pasis.PasisBackground;
import io.bulwark.protocol.pasis.PasisMessage;
import io.bulwark.protocol.pasis.VerificationWatch;
import io.bulwark.protocol.wire.Message;
import java.util.ArrayList;
import java.util.Collection;
import java.util.HashSet;
import java.util.List;
import java.util.Random;
import java.util.Set;
import java.util.SortedMap;
import java.util.SortedSet;
import java.util.TreeMap;
import java.util.TreeSet;
import java.util.function.Function;

/**
 * A node with a background that verifies blocks now and then. It verifies those that it leads at any time, others'
 * after their word has been missing for a while. Reads are sometimes verified on demand, and held versions are scrubbed
 * now and then.
 */
final class ScheduledServer implements ProtocolServer, VerificationWatch {
    private static final int KNOWN_MAX = 8;

    private final PrincipalId self;
    private final Random random;
    private final int everyTicks;
    private final ProtocolServer server;
    private final long patienceMillis;
    private final SortedMap<BlockId, UnverifiedBlock> possible = new TreeMap<>();
    /** Blocks verified since the last new version: if that had no effect, they are verified with repair. */
    private final Set<BlockId> verified = new HashSet<>();
    /** Blocks that this node has heard of, for scrubbing. */
    private final SortedSet<BlockId> known = new TreeSet<>();

    private long requests;

    private record UnverifiedBlock(int versions, boolean responsible, long sinceMillis) {}

    /**
     * A node with a background of its own.
     *
     * @param everyTicks how seldom a block is verified, and ten times as seldom scrubbed; 0 for never
     * @param factory makes the server, which tells this one what there is to verify
     */
    ScheduledServer(
            PrincipalId self, Random random, int everyTicks, Function<VerificationWatch, ProtocolServer> factory) {
        this.self = self;
        this.random = random;
        this.everyTicks = everyTicks;
        this.patienceMillis = random.nextInt(3) * 1_500L;
        this.server = factory.apply(this);
    }

    @Override
    public void possible(long nowMillis, BlockId block, int versions, boolean responsible) {
        if (versions == 0) {
            possible.remove(block);
            verified.remove(block);
        } else {
            UnverifiedBlock held = possible.get(block);
            if (held == null || versions > held.versions) {
                verified.remove(block);
            }
            possible.merge(
                    block,
                    new UnverifiedBlock(versions, responsible, nowMillis),
                    (before, now) -> now.versions < before.versions
                            ? now
                            : new UnverifiedBlock(now.versions, now.responsible, before.sinceMillis));
        }
    }

    @Override
    public boolean mustVerifyBeforeRead(long nowMillis, BlockId block) {
        return everyTicks > 0 && random.nextInt(8) == 0;
    }

    @Override
    public List<Effect> onMessage(long nowMillis, PrincipalId from, long requestId, Message message) {
        if (message instanceof PasisMessage.Request request && known.size() < KNOWN_MAX) {
            known.add(request.target().block());
        }
        return outside(server.onMessage(nowMillis, from, requestId, message));
    }

    @Override
    public List<Effect> onTick(long nowMillis) {
        List<Effect> effects = new ArrayList<>(server.onTick(nowMillis));
        if (everyTicks > 0 && !possible.isEmpty() && random.nextInt(everyTicks) == 0) {
            BlockId block = any(possible.keySet());
            UnverifiedBlock unverified = possible.get(block);
            boolean due = unverified != null
                    && (unverified.responsible || nowMillis - unverified.sinceMillis >= patienceMillis);
            if (due) {
                boolean repair = !verified.add(block);
                effects.addAll(
                        server.onMessage(nowMillis, self, --requests, new PasisBackground.Verify(block, repair)));
            }
        }
        if (everyTicks > 0 && !known.isEmpty() && random.nextInt(10 * everyTicks) == 0) {
            effects.addAll(server.onMessage(nowMillis, self, --requests, new PasisBackground.ScrubRequest(any(known))));
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
        return outside(server.onFact(nowMillis, fact));
    }

    @Override
    public List<Effect> onCompleted(long nowMillis, long token, Object outcome) {
        return outside(server.onCompleted(nowMillis, token, outcome));
    }

    private BlockId any(Collection<BlockId> blocks) {
        return List.copyOf(blocks).get(random.nextInt(blocks.size()));
    }

    /** Returns the effects without the answers to this class's background. */
    private static List<Effect> outside(List<Effect> effects) {
        return effects.stream()
                .filter(effect -> !(effect instanceof Effect.Send send
                        && send.requestId() < 0
                        && send.message() instanceof PasisBackground))
                .toList();
    }
}
