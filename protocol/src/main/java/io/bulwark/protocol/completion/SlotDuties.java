package io.bulwark.protocol.completion;

import io.bulwark.protocol.cluster.Fact;
import io.bulwark.protocol.cluster.PlacementGroup;
import io.bulwark.protocol.cluster.Volume;
import io.bulwark.protocol.metadata.Command;
import java.util.Comparator;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;

/**
 * Duties of a node about epochs, independent of the content of volumes. The node tells its servers of each change. It
 * tells the metadata that they refuse the epoch that is to end, or that the opened epoch is confirmed.
 */
final class SlotDuties {
    /** One group of one volume. */
    record Place(int volume, int group) implements Comparable<Place> {
        private static final Comparator<Place> ORDER =
                Comparator.comparingInt(Place::volume).thenComparingInt(Place::group);

        @Override
        public int compareTo(Place other) {
            return ORDER.compare(this, other);
        }
    }

    private final PendingSteps calls;
    private final int node;
    private final Map<Place, Long> refuses = new HashMap<>();
    private final Map<Integer, List<PlacementGroup>> told = new HashMap<>();

    SlotDuties(PendingSteps calls, int node) {
        this.calls = calls;
        this.node = node;
    }

    /** All servers of this node refuse the epochs of a group before this one, durably; whether that is news. */
    boolean onRefuses(int volume, int group, long before) {
        return refuses.merge(new Place(volume, group), before, Math::max) == before;
    }

    /** Returns whether the node refuses all epochs of a group before this one for good. */
    boolean hasRefusedBefore(Place place, long epoch) {
        return refuses.getOrDefault(place, 1L) >= epoch;
    }

    /** Also again, for as long as something is awaited of this node: what its servers could not store is stored then. */
    void tell(Volume volume) {
        boolean awaited = false;
        for (PlacementGroup group : volume.groups()) {
            int slot = group.slotOf(node);
            awaited |= slot >= 0
                    && (group.change().isPresent() || group.unconfirmed().contains(slot));
        }
        List<PlacementGroup> before = told.put(volume.id(), volume.groups());
        boolean changed = before != null
                ? !before.equals(volume.groups())
                : volume.groups().stream()
                        .anyMatch(group -> group.epoch() > 1 || group.change().isPresent());
        if (awaited || changed) {
            calls.tell(new Fact.OfVolume(volume.id(), Optional.of(volume)));
        }
    }

    void seal(Volume volume, int index) {
        PlacementGroup group = volume.groups().get(index);
        int slot = group.slotOf(node);
        boolean seals = slot >= 0
                && group.change()
                        .filter(change -> !change.sealed().contains(slot))
                        .isPresent();
        if (seals && hasRefusedBefore(new Place(volume.id(), index), group.epoch() + 1)) {
            calls.submit(new Command.SealEpoch(volume.id(), index, group.epoch()));
        }
    }

    void confirm(Volume volume, int index) {
        PlacementGroup group = volume.groups().get(index);
        if (group.unconfirmed().contains(group.slotOf(node))
                && hasRefusedBefore(new Place(volume.id(), index), group.epoch())) {
            calls.submit(new Command.ConfirmEpoch(volume.id(), index, group.epoch()));
        }
    }
}
