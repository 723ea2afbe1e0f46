package io.bulwark.protocol.fp;

import io.bulwark.protocol.effect.Effect;
import io.bulwark.protocol.kernel.RetryTimer;
import io.bulwark.protocol.kernel.Timeouts;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.NavigableSet;
import org.jspecify.annotations.Nullable;

/**
 * REPAIR requests of a read. If several versions are proven and not settled, each slot is asked for them in turn, from
 * the greatest down, in a cycle. Otherwise liars with one version that nobody can complete, or with many, would use up
 * all repairs that the slots do for this reader. It would then never ask for the version that was written.
 */
final class RepairRequester {
    /** One slot. */
    private static final class AskedRepair {
        private final RetryTimer retryTimer;
        private Timestamp last;
        /** A node answers each request: once that repair has ended, or at once if it has enough of this asker's waiting. */
        private int unanswered = 1;

        AskedRepair(RetryTimer retryTimer, Timestamp last) {
            this.retryTimer = retryTimer;
            this.last = last;
        }
    }

    private final FpGroup group;
    private final Timeouts times;
    private final Map<Integer, AskedRepair> slots = new HashMap<>();

    RepairRequester(FpGroup group, Timeouts times) {
        this.group = group;
        this.times = times;
    }

    void answered(int slot) {
        AskedRepair asked = slots.get(slot);
        if (asked != null && asked.unanswered > 0) {
            asked.unanswered--;
        }
    }

    /** @param versions what is to be repaired where it is not known to be, or something later */
    void ask(long nowMillis, NavigableSet<Timestamp> versions, LatestReports reports, List<Effect> effects) {
        for (int slot = 0; slot < group.policy().timestampSlots(); slot++) {
            Timestamp next = next(slot, versions, reports);
            if (next != null && mayAsk(nowMillis, slot, next)) {
                FpMessage.Repair repair = new FpMessage.Repair(group.target(slot), next);
                effects.add(new Effect.Send(group.node(slot), 0, repair));
            }
        }
    }

    private @Nullable Timestamp next(int slot, NavigableSet<Timestamp> versions, LatestReports reports) {
        AskedRepair asked = slots.get(slot);
        Timestamp greatest = null;
        for (Timestamp version : versions.descendingSet()) {
            if (reports.behind(slot, version)) {
                if (asked == null || asked.last.isAfter(version)) {
                    return version;
                }
                greatest = greatest == null ? version : greatest;
            }
        }
        return greatest;
    }

    /**
     * Asks for the next version soon if the node has room for it: a refused request would lose its turn, perhaps in
     * step with the node each time. In any case it asks for one version less and less often.
     */
    private boolean mayAsk(long nowMillis, int slot, Timestamp next) {
        AskedRepair asked = slots.get(slot);
        if (asked == null) {
            RetryTimer retryTimer = new RetryTimer(times);
            retryTimer.ask(nowMillis);
            slots.put(slot, new AskedRepair(retryTimer, next));
            return true;
        }
        boolean room = asked.unanswered < RepairQueue.NEXT_PER_ASKER_MAX;
        boolean soon = room && !next.equals(asked.last) && asked.retryTimer.mayAskAgain(nowMillis);
        if (!soon && !asked.retryTimer.isRetryDue(nowMillis)) {
            return false;
        }
        asked.retryTimer.askAgain(nowMillis);
        asked.last = next;
        asked.unanswered++;
        return true;
    }
}
