package io.bulwark.protocol.pasis;

import java.util.ArrayList;
import java.util.Comparator;
import java.util.HashMap;
import java.util.HashSet;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Set;

/** Notifications of peers to this node about one block (3.2 and 3.4). Kept in memory only. */
final class PeerNotifications {
    /** Maximum per slot for versions that are not here, and may never have been anywhere. */
    private static final int POISONOUS_PER_SLOT = 8;

    private final PasisGroup group;
    private final Map<Integer, ValidatingTimestamp> complete = new HashMap<>();
    private final Map<Integer, LinkedHashMap<ValidatingTimestamp, Boolean>> poisonous = new HashMap<>();
    /** Slots that report a version as poisonous, by the versions that are here. */
    private final Map<ValidatingTimestamp, Set<Integer>> poisonousHere = new HashMap<>();

    PeerNotifications(PasisGroup group) {
        this.group = group;
    }

    /**
     * @param here whether the version is here; then {@link #forget} follows when it no longer is
     */
    void take(int slot, ValidatingTimestamp version, boolean isPoisonous, boolean here) {
        if (isPoisonous && here) {
            poisonousHere.computeIfAbsent(version, ignored -> new HashSet<>()).add(slot);
        } else if (isPoisonous) {
            LinkedHashMap<ValidatingTimestamp, Boolean> of =
                    poisonous.computeIfAbsent(slot, ignored -> new LinkedHashMap<>());
            of.put(version, true);
            if (of.size() > POISONOUS_PER_SLOT) {
                of.remove(of.firstEntry().getKey());
            }
        } else {
            complete.merge(slot, version, (a, b) -> b.isAfter(a) ? b : a);
        }
    }

    void forget(ValidatingTimestamp version) {
        poisonousHere.remove(version);
    }

    /** The slots that have said just this. */
    Set<Integer> slotsMatching(ValidatingTimestamp version, boolean isPoisonous) {
        Set<Integer> slots = new HashSet<>();
        if (isPoisonous) {
            slots.addAll(poisonousHere.getOrDefault(version, Set.of()));
            poisonous.forEach((slot, versions) -> {
                if (versions.containsKey(version)) {
                    slots.add(slot);
                }
            });
        } else {
            complete.forEach((slot, notified) -> {
                if (notified.equals(version)) {
                    slots.add(slot);
                }
            });
        }
        return slots;
    }

    /** Returns whether b + 1 report exactly this: one of them is correct. */
    boolean confirmed(ValidatingTimestamp version, boolean isPoisonous) {
        return slotsMatching(version, isPoisonous).size() >= group.weakQuorum();
    }

    /**
     * Returns the b + 1-st greatest of the versions that peers have verified, one each; NONE if there are fewer. One of
     * the b + 1 peers is correct, and has verified this version or a later one. So earlier versions are not needed any
     * more (3.4).
     */
    ValidatingTimestamp collectableVersion() {
        List<ValidatingTimestamp> all = new ArrayList<>(complete.values());
        all.sort(Comparator.reverseOrder());
        return all.size() < group.weakQuorum() ? ValidatingTimestamp.NONE : all.get(group.b());
    }
}
