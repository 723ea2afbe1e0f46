package io.bulwark.protocol.completion;

import io.bulwark.protocol.cluster.PlacementGroup;
import io.bulwark.protocol.cluster.Volume;
import io.bulwark.protocol.completion.SlotDuties.Place;
import java.util.HashMap;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Set;

/**
 * Duties of a node towards the metadata while holders of its placement groups change (docs/epochs.md). The
 * node tells its servers of each change, reports when they refuse the epoch that is to end, and confirms the one that
 * has opened. Where it took a slot, it first examines everything that is referenced once more, from the beginning.
 */
final class EpochDuties {
    private final SlotDuties slots;
    private final int node;
    private final ReferenceWalk walk;
    /**
     * Slots that this node took and has not confirmed, for which the walk has begun anew, with the arrival of the last
     * reference then: later ones had n-f answers of this epoch, or of a later one.
     */
    private final Map<Place, Long> rebuilding = new HashMap<>();

    /** Epoch in which they were when a round last began. */
    private final Map<Place, Long> rebuiltIn = new HashMap<>();

    private List<Volume> volumes = List.of();

    EpochDuties(PendingSteps calls, int node, ReferenceWalk walk) {
        this.slots = new SlotDuties(calls, node);
        this.node = node;
        this.walk = walk;
    }

    void onRefuses(int volume, int group, long before) {
        if (slots.onRefuses(volume, group, before)) {
            volumes.stream()
                    .filter(each -> each.id() == volume && group < each.groups().size())
                    .forEach(each -> onPromised(each, group, each.groups().get(group)));
        }
    }

    private void onPromised(Volume volume, int index, PlacementGroup group) {
        slots.seal(volume, index);
        if (!group.isFresh(node)) {
            slots.confirm(volume, index);
        }
    }

    /** 2f+1 replicas say that this is how things are; at any time. */
    void onMap(List<Volume> objects) {
        volumes = objects;
        for (Volume volume : volumes) {
            slots.tell(volume);
            for (int index = 0; index < volume.groups().size(); index++) {
                onPromised(volume, index, volume.groups().get(index));
            }
        }
    }

    /**
     * Begins a round. Completion goes through all references in the last map: everything that was referenced before its
     * epochs opened can be learned from now on. Only here is a recently taken slot confirmed: within a round,
     * unreadable references are not counted while they are retried. It waits for nothing else: neither for what clients put
     * since, nor for extents of other groups, which may wait for this one.
     */
    void beginRound() {
        Set<Place> fresh = new HashSet<>();
        for (Volume volume : volumes) {
            for (int index = 0; index < volume.groups().size(); index++) {
                PlacementGroup group = volume.groups().get(index);
                if (group.isFresh(node)) {
                    Place key = new Place(volume.id(), index);
                    fresh.add(key);
                    Long before = rebuiltIn.put(key, group.epoch());
                    if (before != null && group.epoch() > before + 1) {
                        // In an epoch that was missed another one may have held the slot.
                        rebuilding.remove(key);
                    }
                    rebuilding.computeIfPresent(key, (ignored, end) -> end < 0 ? walk.endOf(volume) : end);
                    if (isRebuilt(volume, index)) {
                        slots.confirm(volume, index);
                    }
                }
            }
        }
        rebuilding.keySet().retainAll(fresh);
        rebuiltIn.keySet().retainAll(fresh);
        for (Place key : fresh) {
            if (rebuilding.putIfAbsent(key, VolumeProgress.UNKNOWN) == null) {
                walk.restart(key.volume());
            }
        }
    }

    private boolean isRebuilt(Volume volume, int index) {
        long end = rebuilding.getOrDefault(new Place(volume.id(), index), VolumeProgress.UNKNOWN);
        return end >= 0 && walk.progressOf(volume).isDone(volume, index, end);
    }
}
