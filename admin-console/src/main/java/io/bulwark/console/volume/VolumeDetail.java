package io.bulwark.console.volume;

import io.bulwark.console.PlacementView;
import io.bulwark.console.StatusView;
import java.util.List;
import org.jspecify.annotations.Nullable;

/**
 * A volume with its groups and its present state.
 *
 * @param state what members reported; null if the cluster did not report a status just now
 */
public record VolumeDetail(VolumeView volume, @Nullable State state, List<PlacementView> groups) {
    public VolumeDetail {
        groups = List.copyOf(groups);
    }

    /**
     * Present state of a volume.
     *
     * @param faultsLeft lower bound for the further nodes of the worst group that may fail now; negative if more have
     *     failed than the policy covers
     * @param faultsLeftAtMost the same without nodes that only check or repair at the moment
     * @param uncheckedNodes nodes that started recently and do not know yet whether they hold everything
     * @param leastFaults the least f of the policy and of the older ones
     * @param older policies of before, under which something is left
     * @param versions under PASIS the versions that each node reports, as its own word; else empty
     */
    public record State(
            int faultsLeft,
            int faultsLeftAtMost,
            List<Integer> uncheckedNodes,
            int leastFaults,
            List<StatusView.OlderPolicy> older,
            List<Versions> versions) {
        public State {
            older = List.copyOf(older);
            uncheckedNodes = List.copyOf(uncheckedNodes);
            versions = List.copyOf(versions);
        }
    }

    /** Versions that one node holds of the volume, by its own word. */
    public record Versions(
            int node,
            long unverified,
            long poolBytes,
            long verifications,
            long onDemand,
            long cooperative,
            long avoided,
            long poisonous,
            long refused) {}
}
