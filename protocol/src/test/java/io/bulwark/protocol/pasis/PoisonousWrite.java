package io.bulwark.protocol.pasis;

import io.bulwark.protocol.effect.ClientOperation;
import io.bulwark.protocol.effect.Effect;
import io.bulwark.protocol.id.PrincipalId;
import io.bulwark.protocol.wire.Bytes;
import io.bulwark.protocol.wire.Message;
import java.util.ArrayList;
import java.util.HashSet;
import java.util.List;
import java.util.Optional;
import java.util.Set;
import java.util.random.RandomGenerator;
import org.jspecify.annotations.NullMarked;

/**
 * Attack of a faulty client (lazy verification paper, 2.1). It is a complete write of fragments that do not come from
 * one block, each of which has its hash in the cross-checksum. Its outcome is the number of nodes that have accepted
 * it.
 */
@NullMarked
public final class PoisonousWrite implements ClientOperation<Integer> {
    private static final long GIVE_UP_MILLIS = 2_000;

    private final PasisGroup group;
    private final long session;
    private final List<Bytes> fragments = new ArrayList<>();
    private final ValidatingTimestamp timestamp;
    private final Set<PrincipalId> taken = new HashSet<>();
    private long startedMillis;
    private boolean over;

    public PoisonousWrite(PasisGroup group, PrincipalId client, long session, long time, RandomGenerator random) {
        this.group = group;
        this.session = session;
        for (int slot = 0; slot < group.policy().n(); slot++) {
            byte[] fragment = new byte[group.fragmentBytes()];
            random.nextBytes(fragment);
            fragments.add(Bytes.of(fragment));
        }
        this.timestamp = ValidatingTimestamp.of(time, client, fragments);
    }

    @Override
    public List<Effect> start(long nowMillis) {
        startedMillis = nowMillis;
        List<Effect> effects = new ArrayList<>();
        for (int slot = 0; slot < fragments.size(); slot++) {
            PasisMessage.Write write =
                    new PasisMessage.Write(group.target(slot), session, timestamp, fragments.get(slot));
            effects.add(new Effect.Send(group.node(slot), 0, write));
        }
        return effects;
    }

    @Override
    public List<Effect> onMessage(long nowMillis, PrincipalId from, Message message) {
        if (message instanceof PasisMessage.Written) {
            taken.add(from);
        }
        over |= taken.size() == fragments.size();
        return List.of();
    }

    @Override
    public List<Effect> onTick(long nowMillis) {
        over |= nowMillis - startedMillis >= GIVE_UP_MILLIS;
        return List.of();
    }

    @Override
    public Optional<Integer> outcome() {
        return over ? Optional.of(taken.size()) : Optional.empty();
    }

    @Override
    public boolean isFinished() {
        return over;
    }
}
