package io.bulwark.protocol.fp;

import io.bulwark.protocol.effect.Effect;
import java.util.ArrayList;
import java.util.HashSet;
import java.util.List;
import java.util.Set;

/**
 * Whether the epoch of an operation is over: more than f slots name a later one. Once one does, all others are asked, those too that have
 * answered before: the operation wants nothing more of them, so that they would not say it.
 */
final class EpochWatch {
    private final FpGroup group;
    private final int ownSlot;
    private final FpTimes times;
    private final Set<Integer> later = new HashSet<>();
    private long askedMillis = Long.MIN_VALUE;

    /** @param ownSlot is not asked; -1 for none */
    EpochWatch(FpGroup group, int ownSlot, FpTimes times) {
        this.group = group;
        this.ownSlot = ownSlot;
        this.times = times;
    }

    void onRefused(int slot, FpMessage.Refused refused) {
        if (refused.refusal() == Refusal.OTHER_EPOCH
                && refused.epoch() > group.placement().epoch()) {
            later.add(slot);
        }
    }

    boolean over() {
        return later.size() > group.f();
    }

    List<Effect> onTick(long nowMillis) {
        List<Effect> effects = new ArrayList<>();
        if (later.isEmpty() || over() || nowMillis - times.retryMillis() < askedMillis) {
            return effects;
        }
        askedMillis = nowMillis;
        for (int slot = 0; slot < group.n(); slot++) {
            if (slot != ownSlot && !later.contains(slot)) {
                FpMessage find = new FpMessage.FindTimestamp(group.target(slot), false);
                effects.add(new Effect.Send(group.node(slot), 0, find));
            }
        }
        return effects;
    }
}
