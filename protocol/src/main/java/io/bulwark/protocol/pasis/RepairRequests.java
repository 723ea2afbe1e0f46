package io.bulwark.protocol.pasis;

import io.bulwark.protocol.effect.Effect;
import io.bulwark.protocol.kernel.RetryTimer;
import io.bulwark.protocol.kernel.Timeouts;
import java.util.ArrayList;
import java.util.HashSet;
import java.util.List;
import java.util.Set;
import org.jspecify.annotations.Nullable;

/** A reader that may not write has the nodes that lack a version make their fragments of it themselves. */
final class RepairRequests {
    private final PasisGroup group;
    private final ValidatingTimestamp version;
    private final VersionName name;
    private final @Nullable RetryTimer[] asked;
    private final Set<Integer> holders;
    private final Set<Integer> denied = new HashSet<>();

    /** @param holders the slots that claim to hold it, or will */
    RepairRequests(PasisGroup group, ValidatingTimestamp version, Set<Integer> holders) {
        this.group = group;
        this.version = version;
        this.name = version.name();
        this.asked = new RetryTimer[group.n()];
        this.holders = new HashSet<>(holders);
    }

    List<Effect> start(long nowMillis, Timeouts times) {
        List<Effect> effects = new ArrayList<>();
        for (int slot = 0; slot < group.n(); slot++) {
            if (!holders.contains(slot)) {
                asked[slot] = RetryTimer.asked(times, nowMillis);
                send(slot, effects);
            }
        }
        return effects;
    }

    private void send(int slot, List<Effect> effects) {
        effects.add(new Effect.Send(group.node(slot), 0, new PasisMessage.Repair(group.target(slot), version)));
    }

    void take(int slot, PasisMessage.Answer answer) {
        RetryTimer asking = asked[slot];
        if (asking == null) {
            return;
        }
        if (answer instanceof PasisMessage.Repaired repaired
                && repaired.version().equals(name)) {
            asking.answered();
            holders.add(slot);
        } else if (answer instanceof PasisMessage.Refused refused
                && refused.refusal() == PasisRefusal.NOT_FOUND
                && name.equals(refused.version())) {
            denied.add(slot);
        }
    }

    List<Effect> onTick(long nowMillis) {
        List<Effect> effects = new ArrayList<>();
        for (int slot = 0; slot < group.n(); slot++) {
            RetryTimer asking = asked[slot];
            if (asking != null && asking.again(nowMillis)) {
                send(slot, effects);
            }
        }
        return effects;
    }

    boolean done() {
        return holders.size() >= group.quorum();
    }

    /** More than b nodes found too few that hold it: one of them is correct, so it was not complete when this began. */
    boolean isRefuted() {
        return denied.size() >= group.weakQuorum();
    }
}
