package io.bulwark.protocol.epoch;

import io.bulwark.protocol.effect.Effect;
import java.util.ArrayList;
import java.util.HashSet;
import java.util.List;
import java.util.Set;
import java.util.function.IntFunction;

/**
 * Detector for the end of the epoch of an operation on a register: more than f slots name a later one. Once one slot
 * does, all others are asked, including those that have answered before. The operation wants nothing more of these, so
 * they would not report it.
 */
public final class EpochWatch {
    private final int slots;
    private final int f;
    private final long epoch;
    private final int ownSlot;
    private final long retryMillis;
    private final IntFunction<Effect> ask;
    private final Set<Integer> later = new HashSet<>();
    private long askedMillis = Long.MIN_VALUE;

    /**
     * Creates the watch of one operation.
     *
     * @param epoch that of the operation
     * @param ownSlot the slot that is not asked; -1 for none
     * @param ask asks the node at a slot for something small
     */
    public EpochWatch(int slots, int f, long epoch, int ownSlot, long retryMillis, IntFunction<Effect> ask) {
        this.slots = slots;
        this.f = f;
        this.epoch = epoch;
        this.ownSlot = ownSlot;
        this.retryMillis = retryMillis;
        this.ask = ask;
    }

    /** A slot refuses something since it serves another epoch. */
    public void onOtherEpoch(int slot, long served) {
        if (served > epoch) {
            later.add(slot);
        }
    }

    public boolean over() {
        return later.size() > f;
    }

    public List<Effect> onTick(long nowMillis) {
        List<Effect> effects = new ArrayList<>();
        if (later.isEmpty() || over() || nowMillis - retryMillis < askedMillis) {
            return effects;
        }
        askedMillis = nowMillis;
        for (int slot = 0; slot < slots; slot++) {
            if (slot != ownSlot && !later.contains(slot)) {
                effects.add(ask.apply(slot));
            }
        }
        return effects;
    }
}
