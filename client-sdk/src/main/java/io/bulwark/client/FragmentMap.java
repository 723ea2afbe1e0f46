package io.bulwark.client;

import io.bulwark.protocol.cluster.ProtectionPolicy;
import io.bulwark.protocol.extent.FragmentSurvey;
import java.util.List;

/**
 * Location and state of the fragments of an object, as this client saw them when it asked each node. It is no statement of
 * the cluster: another client may reach other nodes.
 *
 * @param object the version that was looked at
 * @param policy protection policy of its volume
 * @param extentCount the number of all extents of the object, pin lists included; data comes first, within each of
 *     the objects that it is composed of
 * @param extents those that were asked for
 */
public record FragmentMap(
        ObjectInfo object, String volume, ProtectionPolicy policy, long extentCount, List<Extent> extents) {
    /** Maximum number of extents in one map. */
    public static final int EXTENTS_MAX = 64;

    public FragmentMap {
        extents = List.copyOf(extents);
    }

    /**
     * One extent.
     *
     * @param level 0 for data; else the level of the pin list that it is
     * @param block the name of its block, as verdicts about nodes have it
     * @param group the placement group, counted within the volume
     * @param epoch the epoch of the group that this client asked in
     * @param slots report on each slot of the group, in order
     */
    public record Extent(
            long index,
            int level,
            int length,
            String block,
            int group,
            long epoch,
            FragmentSurvey.Version version,
            List<FragmentSurvey.Slot> slots) {
        public Extent {
            slots = List.copyOf(slots);
        }

        /** Returns the number of slots with a good fragment. */
        public int good() {
            return (int) slots.stream()
                    .filter(slot -> slot.state() == FragmentSurvey.State.GOOD)
                    .count();
        }
    }
}
