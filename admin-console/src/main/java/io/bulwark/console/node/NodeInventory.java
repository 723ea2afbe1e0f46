package io.bulwark.console.node;

import io.bulwark.client.error.BulwarkException;
import io.bulwark.console.StatusView;
import io.bulwark.console.http.ApiException;
import io.bulwark.console.live.ClusterWatch;
import io.bulwark.protocol.cluster.ClusterMap;
import io.bulwark.protocol.cluster.PlacementGroup;
import io.bulwark.protocol.cluster.Volume;
import java.time.Instant;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import org.springframework.stereotype.Component;

/** Storage nodes as the last status and map show them. */
@Component
public class NodeInventory {
    private final ClusterWatch watch;

    public NodeInventory(ClusterWatch watch) {
        this.watch = watch;
    }

    /**
     * All nodes at one time.
     *
     * @param version of the cluster map
     * @param outage empty if the cluster answers
     */
    public record Inventory(List<NodeView> nodes, long version, Instant at, Optional<ClusterWatch.Outage> outage) {
        /**
         * Returns a node.
         *
         * @throws ApiException if the map names no such node
         */
        public NodeView node(int number) {
            return nodes.stream()
                    .filter(node -> node.status().number() == number)
                    .findFirst()
                    .orElseThrow(() -> ApiException.notFound("the cluster map does not name node-" + number));
        }
    }

    /**
     * Returns the present nodes.
     *
     * @throws BulwarkException if the cluster does not answer
     */
    public Inventory now() {
        ClusterWatch.Observation observation = watch.now();
        return inventory(observation, watch.map().map(), Optional.empty());
    }

    /**
     * Returns the nodes for a page: a few seconds old at most, or as they were before an outage.
     *
     * @throws BulwarkException if nothing was ever known and the cluster does not answer
     */
    public Inventory recent() {
        ClusterWatch.Standing standing = watch.standing();
        ClusterWatch.Observation observation = standing.known().orElseGet(watch::now);
        return inventory(observation, watch.recentMap().map(), standing.outage());
    }

    private static Inventory inventory(
            ClusterWatch.Observation observation, ClusterMap map, Optional<ClusterWatch.Outage> outage) {
        StatusView status = StatusView.of(observation.status());
        Map<Integer, List<NodeView.Slot>> slots = slots(map);
        Map<String, List<StatusView.Fault>> faults = new HashMap<>();
        status.faults()
                .forEach(fault -> faults.computeIfAbsent(fault.node(), _ -> new ArrayList<>())
                        .add(fault));
        List<NodeView> nodes = status.nodes().stream()
                .map(node -> new NodeView(
                        node,
                        slots.getOrDefault(node.number(), List.of()),
                        faults.getOrDefault("node-" + node.number(), List.of())))
                .toList();
        return new Inventory(nodes, map.version(), observation.at(), outage);
    }

    private static Map<Integer, List<NodeView.Slot>> slots(ClusterMap map) {
        Map<Integer, List<NodeView.Slot>> slots = new HashMap<>();
        for (Volume volume : map.volumes()) {
            for (int index = 0; index < volume.groups().size(); index++) {
                PlacementGroup group = volume.groups().get(index);
                for (int slot = 0; slot < group.holders().size(); slot++) {
                    int place = slot;
                    boolean leaves = group.change()
                            .filter(change -> change.slot() == place
                                    && change.node() != group.holders().get(place))
                            .isPresent();
                    add(
                            slots,
                            group.holders().get(slot),
                            slot(volume.name(), index, group, slot, leaves ? "leaves" : "none"));
                }
                int number = index;
                group.change()
                        .filter(change -> group.slotOf(change.node()) < 0)
                        .ifPresent(change -> add(
                                slots,
                                change.node(),
                                new NodeView.Slot(
                                        volume.name(), number, group.epoch(), change.slot(), false, false, "comes")));
            }
        }
        return slots;
    }

    private static NodeView.Slot slot(String volume, int index, PlacementGroup group, int slot, String change) {
        return new NodeView.Slot(
                volume,
                index,
                group.epoch(),
                slot,
                group.fresh().contains(slot),
                group.unconfirmed().contains(slot),
                change);
    }

    private static void add(Map<Integer, List<NodeView.Slot>> slots, int node, NodeView.Slot slot) {
        slots.computeIfAbsent(node, _ -> new ArrayList<>()).add(slot);
    }
}
