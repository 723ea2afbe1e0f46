package io.bulwark.console;

import io.bulwark.protocol.cluster.ClusterMap;
import io.bulwark.protocol.cluster.PlacementGroup;
import io.bulwark.protocol.cluster.Volume;
import java.util.ArrayList;
import java.util.List;
import org.jspecify.annotations.Nullable;

/**
 * JSON form of a placement group.
 *
 * @param group counted within its volume
 * @param epoch counted per group from 1
 * @param holders the number of the node at each slot
 * @param fresh slots whose holders do not yet have everything that was stored before
 * @param unconfirmed slots whose holders have not yet confirmed the epoch
 * @param change the change announced for the next epoch; null if there is none
 */
public record PlacementView(
        String volume,
        int group,
        long epoch,
        List<Integer> holders,
        List<Integer> fresh,
        List<Integer> unconfirmed,
        @Nullable Change change) {

    /**
     * Announced holder of a slot, from the next epoch.
     *
     * @param node the new holder; the current holder again if the change was cancelled
     * @param sealed slots whose holders have sealed this epoch
     */
    public record Change(int slot, int node, List<Integer> sealed) {}

    /** All of them, by volume. */
    public static List<PlacementView> of(ClusterMap map) {
        List<PlacementView> all = new ArrayList<>();
        for (Volume volume : map.volumes()) {
            for (int index = 0; index < volume.groups().size(); index++) {
                all.add(of(volume.name(), index, volume.groups().get(index)));
            }
        }
        return all;
    }

    private static PlacementView of(String volume, int index, PlacementGroup group) {
        return new PlacementView(
                volume,
                index,
                group.epoch(),
                group.holders(),
                group.fresh(),
                group.unconfirmed(),
                group.change()
                        .map(change -> new Change(change.slot(), change.node(), change.sealed()))
                        .orElse(null));
    }
}
