package io.bulwark.protocol.fp;

import io.bulwark.protocol.effect.Effect;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.NavigableSet;
import org.jspecify.annotations.Nullable;

/**
 * REPAIR, as a read asks for it. Of several versions that are proven and not settled each slot is asked for one at a time, from the greatest
 * down and round again: for the next one if it takes long, or has ended. Otherwise liars who can prove one that nobody can complete, or many, would
 * take all that the slots do for this reader, who would never ask for the one that was written; a node queues but few wishes of one asker.
 */
final class RepairAsking {
    private final FpGroup group;
    private final FpTimes times;
    private final Map<Integer, Patience> asked = new HashMap<>();
    private final Map<Integer, Timestamp> last = new HashMap<>();

    RepairAsking(FpGroup group, FpTimes times) {
        this.group = group;
        this.times = times;
    }

    /** What the slot was asked for is over there, or was refused. */
    void answered(int slot) {
        Patience patience = asked.get(slot);
        if (patience != null) {
            patience.answered();
        }
    }

    /** @param versions what is to be repaired where it is not known to be, or something later */
    void ask(long nowMillis, NavigableSet<Timestamp> versions, Reports reports, List<Effect> effects) {
        for (int slot = 0; slot < group.policy().timestampSlots(); slot++) {
            Timestamp next = next(slot, versions, reports);
            if (next != null && due(nowMillis, slot, next)) {
                last.put(slot, next);
                FpMessage.Repair repair = new FpMessage.Repair(group.target(slot), next);
                effects.add(new Effect.Send(group.node(slot), 0, repair));
            }
        }
    }

    private @Nullable Timestamp next(int slot, NavigableSet<Timestamp> versions, Reports reports) {
        Timestamp before = last.get(slot);
        Timestamp greatest = null;
        for (Timestamp version : versions.descendingSet()) {
            if (reports.behind(slot, version)) {
                if (before == null || before.isAfter(version)) {
                    return version;
                }
                greatest = greatest == null ? version : greatest;
            }
        }
        return greatest;
    }

    private boolean due(long nowMillis, int slot, Timestamp next) {
        Patience patience = asked.get(slot);
        if (patience == null) {
            patience = new Patience(times);
            asked.put(slot, patience);
            patience.ask(nowMillis);
            return true;
        }
        if (patience.free(nowMillis) && !next.equals(last.get(slot))) {
            patience.ask(nowMillis);
            return true;
        }
        if (patience.retryDue(nowMillis)) {
            patience.askAgain(nowMillis);
            return true;
        }
        return false;
    }
}
