package io.bulwark.protocol.fp;

import java.util.Arrays;
import org.jspecify.annotations.Nullable;

/** Latest commits that the slots of a group report during one read. */
final class LatestReports {
    private final FpGroup group;
    private final @Nullable Timestamp[] first;
    private final @Nullable Timestamp[] greatest;

    LatestReports(FpGroup group) {
        this.group = group;
        this.first = new Timestamp[group.n()];
        this.greatest = new Timestamp[group.n()];
    }

    void add(int slot, Timestamp latest) {
        Timestamp known = greatest[slot];
        if (first[slot] == null) {
            first[slot] = latest;
        }
        if (known == null || latest.isAfter(known)) {
            greatest[slot] = latest;
        }
    }

    boolean heard(int slot) {
        return first[slot] != null;
    }

    /** Line 1613: at least as great as those of 2f + 1 of the first 3f + 1 slots, each counted once. */
    boolean qualifies(Timestamp candidate) {
        return count(first, report -> !report.isAfter(candidate))
                >= group.policy().timestampQuorum();
    }

    /**
     * Returns whether 2f + 1 of the first 3f + 1 slots claim to have committed this or something later: no write-back
     * needed.
     */
    boolean settled(Timestamp version) {
        return count(greatest, report -> !version.isAfter(report))
                >= group.policy().timestampQuorum();
    }

    /** Line 1615: 2f + 1 of the first 3f + 1 slots never committed anything. */
    boolean isNeverWritten() {
        return count(first, Timestamp::isNone) >= group.policy().timestampQuorum();
    }

    /** Returns whether the slot is not known to have committed this or something later. */
    boolean behind(int slot, Timestamp version) {
        Timestamp known = greatest[slot];
        return known == null || version.isAfter(known);
    }

    boolean hasClaimed(int slot, Timestamp version) {
        return version.equals(greatest[slot]);
    }

    /** Returns whether enough of the first 3f + 1 slots have answered, but not the same. */
    boolean hasDisagreement() {
        long different = Arrays.stream(first, 0, group.policy().timestampSlots())
                .filter(report -> report != null)
                .distinct()
                .count();
        return different > 1 && count(first, report -> true) >= group.policy().timestampQuorum();
    }

    private interface Condition {
        boolean holds(Timestamp report);
    }

    private int count(@Nullable Timestamp[] reports, Condition condition) {
        int count = 0;
        for (int slot = 0; slot < group.policy().timestampSlots(); slot++) {
            Timestamp report = reports[slot];
            if (report != null && condition.holds(report)) {
                count++;
            }
        }
        return count;
    }
}
