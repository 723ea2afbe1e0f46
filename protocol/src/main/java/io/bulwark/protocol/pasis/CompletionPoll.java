package io.bulwark.protocol.pasis;

import io.bulwark.protocol.effect.ClientOperation;
import io.bulwark.protocol.effect.Effect;
import io.bulwark.protocol.id.PrincipalId;
import io.bulwark.protocol.kernel.Timeouts;
import io.bulwark.protocol.wire.Message;
import java.util.List;
import java.util.Optional;
import java.util.Set;
import org.jspecify.annotations.Nullable;

/**
 * Poll of a holder that asks all others for REPAIR. N - b slots, including its own, must confirm in this epoch that
 * they hold a version, or know of a later complete one. A node that holds it confirms at once.
 */
final class CompletionPoll implements ClientOperation<Boolean> {
    private final PasisGroup group;
    private final int ownSlot;
    private final Timeouts times;
    private final RepairRequests requests;
    private long startedMillis;
    private @Nullable Boolean outcome;

    /** @param version held here */
    CompletionPoll(PasisGroup group, int ownSlot, ValidatingTimestamp version, Timeouts times) {
        this.group = group;
        this.ownSlot = ownSlot;
        this.times = times;
        this.requests = new RepairRequests(group, version, Set.of(ownSlot));
    }

    @Override
    public List<Effect> start(long nowMillis) {
        startedMillis = nowMillis;
        return requests.start(nowMillis, times);
    }

    @Override
    public List<Effect> onMessage(long nowMillis, PrincipalId from, Message message) {
        if (outcome == null && message instanceof PasisMessage.Answer answer) {
            int slot = group.slotOf(from, answer.target());
            if (slot >= 0 && slot != ownSlot) {
                requests.take(slot, answer);
            }
            outcome = requests.done() ? Boolean.TRUE : null;
        }
        return List.of();
    }

    @Override
    public List<Effect> onTick(long nowMillis) {
        if (outcome == null && nowMillis - startedMillis >= times.timeoutMillis()) {
            outcome = false;
        }
        return outcome == null ? requests.onTick(nowMillis) : List.of();
    }

    @Override
    public Optional<Boolean> outcome() {
        return Optional.ofNullable(outcome);
    }
}
