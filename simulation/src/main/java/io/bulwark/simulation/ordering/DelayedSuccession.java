package io.bulwark.simulation.ordering;

import io.bulwark.protocol.id.PrincipalId;
import io.bulwark.protocol.ordering.membership.Configuration;
import io.bulwark.protocol.ordering.membership.Member;
import java.util.ArrayList;
import java.util.Collections;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Random;
import java.util.function.IntPredicate;

/**
 * A network that delays the news of a configuration's end for some principals. Liars let the others continue, and stay
 * with the late ones.
 */
final class DelayedSuccession {
    private static final int LATE_MILLIS_MIN = 2_000;
    private static final int LATE_MILLIS_MAX = 6_000;

    private final Random random;
    private long endMillis;
    private final Map<PrincipalId, Long> untilMillis = new HashMap<>();

    DelayedSuccession(Random random) {
        this.random = random;
    }

    /**
     * Delays the news of a handover for as many members as the next configuration can spare. Members that are not in it
     * come first.
     */
    void begin(long nowMillis, Configuration ended, Configuration next, IntPredicate isFaulty) {
        List<PrincipalId> staying = new ArrayList<>();
        List<PrincipalId> late = new ArrayList<>();
        for (Member member : ended.members()) {
            if (!isFaulty.test(member.replica().number())) {
                (next.placeOf(member.replica()) < 0 ? late : staying).add(member.replica());
            }
        }
        Collections.shuffle(staying, random);
        // The others go on at once if their first primary is one of them.
        PrincipalId primary = next.members().getFirst().replica();
        if (staying.remove(primary)) {
            staying.addFirst(primary);
        }
        while (late.size() <= ended.faulty() && !staying.isEmpty()) {
            late.add(staying.removeLast());
        }
        int millis = random.nextInt(LATE_MILLIS_MIN, LATE_MILLIS_MAX);
        endMillis = nowMillis + millis;
        late.forEach(each -> keepFrom(each, endMillis));
    }

    void keepFrom(PrincipalId who, long until) {
        untilMillis.put(who, until);
    }

    boolean isKeptFrom(PrincipalId who, long nowMillis) {
        return nowMillis < untilMillis.getOrDefault(who, 0L);
    }

    /** Returns whether the end of a configuration is still kept from some. */
    boolean isLate(long nowMillis) {
        return nowMillis < endMillis;
    }

    void end() {
        untilMillis.clear();
        endMillis = 0;
    }
}
