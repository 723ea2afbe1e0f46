package io.bulwark.appliance.cli;

import io.bulwark.client.Bulwark;
import io.bulwark.client.ClusterStatus;
import io.bulwark.console.PlacementView;
import io.bulwark.protocol.cluster.ClusterMap;
import io.bulwark.protocol.cluster.NodeAddress;
import io.bulwark.protocol.cluster.PlacementGroup;
import io.bulwark.protocol.cluster.Volume;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.concurrent.Callable;
import java.util.function.Function;
import java.util.function.Predicate;
import java.util.stream.Collectors;
import picocli.CommandLine.Command;
import picocli.CommandLine.Mixin;
import picocli.CommandLine.Option;

/** {@code bulwark node list}. */
@Command(
        name = "list",
        description = {
            "List the storage nodes and their slots, or with --groups the holder of each slot.",
            "A slot is fresh until its new holder is rebuilt, and unconfirmed until its holder has agreed to the epoch."
        })
final class NodeListCommand implements Callable<Integer> {
    @Mixin
    private final ClusterAccess access = new ClusterAccess();

    @Option(names = "--groups", description = "List the placement groups with their epochs and pending changes.")
    private boolean groups;

    @Override
    public Integer call() {
        ClusterMap map;
        Map<Integer, ClusterStatus.NodeStatus> status;
        try (Bulwark client = access.connect()) {
            map = client.nodes().map();
            status = groups
                    ? Map.of()
                    : client.status().nodes().stream()
                            .collect(Collectors.toMap(ClusterStatus.NodeStatus::node, Function.identity()));
        }
        List<Object> json = new ArrayList<>();
        List<List<String>> rows = new ArrayList<>();
        if (groups) {
            json.addAll(PlacementView.of(map));
            rows.add(List.of("VOLUME", "GROUP", "EPOCH", "HOLDERS", "FRESH", "UNCONFIRMED", "CHANGE"));
            for (Volume volume : map.volumes()) {
                for (int index = 0; index < volume.groups().size(); index++) {
                    PlacementGroup group = volume.groups().get(index);
                    rows.add(row(volume, index, group));
                }
            }
        } else {
            rows.add(List.of("NODE", "ADDRESS", "STATE", "SLOTS", "FRESH"));
            for (NodeAddress node : map.nodes()) {
                ClusterStatus.NodeStatus said = status.get(node.node());
                String address = node.host() + ":" + node.port();
                String state = said == null ? "" : said.state();
                long slots = count(map, group -> group.slotOf(node.node()) >= 0);
                long fresh = count(map, group -> group.isFresh(node.node()));
                json.add(new NodeView(node.node(), address, state, slots, fresh));
                rows.add(List.of("node-" + node.node(), address, state, Long.toString(slots), Long.toString(fresh)));
            }
        }
        if (access.global().json()) {
            GlobalOptions.printJson(json);
        } else {
            System.out.println(Text.table(rows));
        }
        return 0;
    }

    private static long count(ClusterMap map, Predicate<PlacementGroup> which) {
        return map.volumes().stream()
                .flatMap(volume -> volume.groups().stream())
                .filter(which)
                .count();
    }

    private static List<String> row(Volume volume, int index, PlacementGroup group) {
        return List.of(
                volume.name(),
                Integer.toString(index),
                Long.toString(group.epoch()),
                names(group.holders()),
                names(group.fresh().stream().map(group.holders()::get).toList()),
                names(group.unconfirmed().stream().map(group.holders()::get).toList()),
                group.change().map(change -> text(group, change)).orElse("-"));
    }

    private static String text(PlacementGroup group, PlacementGroup.Change change) {
        int holder = group.holders().get(change.slot());
        String what = change.node() == holder ? "given up" : "node-" + holder + " to node-" + change.node();
        return what + ", sealed by " + change.sealed().size() + " of "
                + group.holders().size();
    }

    private static String names(List<Integer> nodes) {
        return nodes.isEmpty() ? "-" : nodes.stream().map(String::valueOf).collect(Collectors.joining(","));
    }

    private record NodeView(int node, String address, String state, long slots, long fresh) {}
}
