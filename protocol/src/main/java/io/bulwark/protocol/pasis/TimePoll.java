package io.bulwark.protocol.pasis;

import io.bulwark.protocol.effect.ClientOperation;
import io.bulwark.protocol.effect.Effect;
import io.bulwark.protocol.id.PrincipalId;
import io.bulwark.protocol.kernel.RetryTimer;
import io.bulwark.protocol.kernel.Timeouts;
import io.bulwark.protocol.wire.Message;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import org.jspecify.annotations.Nullable;

/**
 * A node asks the others for their logical times, as a writer would, before it refuses a time as FAR: the outcome is the
 * b + 1-st greatest of N - b, which no complete write is after. -1 if too few answer: no node refuses by that.
 */
final class TimePoll implements ClientOperation<Long> {
    private final PasisGroup group;
    private final Timeouts times;
    private final @Nullable Long[] found;
    private final @Nullable RetryTimer[] asked;
    private long startedMillis;
    private @Nullable Long outcome;

    TimePoll(PasisGroup group, int ownSlot, long ownTime, Timeouts times) {
        this.group = group;
        this.times = times;
        this.found = new Long[group.n()];
        this.asked = new RetryTimer[group.n()];
        this.found[ownSlot] = ownTime;
    }

    @Override
    public List<Effect> start(long nowMillis) {
        startedMillis = nowMillis;
        List<Effect> effects = new ArrayList<>();
        for (int slot = 0; slot < group.n(); slot++) {
            if (found[slot] == null) {
                asked[slot] = RetryTimer.asked(times, nowMillis);
                ask(slot, effects);
            }
        }
        return effects;
    }

    private void ask(int slot, List<Effect> effects) {
        effects.add(new Effect.Send(group.node(slot), 0, new PasisMessage.FindTime(group.target(slot))));
    }

    @Override
    public List<Effect> onMessage(long nowMillis, PrincipalId from, Message message) {
        if (message instanceof PasisMessage.FoundTime time && outcome == null) {
            int slot = group.slotOf(from, time.target());
            RetryTimer asking = slot < 0 ? null : asked[slot];
            if (asking != null) {
                asking.answered();
                found[slot] = time.time();
                decide();
            }
        }
        return List.of();
    }

    private void decide() {
        List<Long> all = new ArrayList<>();
        for (Long time : found) {
            if (time != null) {
                all.add(time);
            }
        }
        if (all.size() >= group.quorum()) {
            all.sort((a, b) -> Long.compareUnsigned(b, a));
            outcome = all.get(group.b());
        }
    }

    @Override
    public List<Effect> onTick(long nowMillis) {
        List<Effect> effects = new ArrayList<>();
        if (outcome == null && nowMillis - startedMillis >= times.timeoutMillis()) {
            outcome = -1L;
        }
        for (int slot = 0; slot < group.n() && outcome == null; slot++) {
            RetryTimer asking = asked[slot];
            if (asking != null && asking.again(nowMillis)) {
                ask(slot, effects);
            }
        }
        return effects;
    }

    @Override
    public Optional<Long> outcome() {
        return Optional.ofNullable(outcome);
    }
}
