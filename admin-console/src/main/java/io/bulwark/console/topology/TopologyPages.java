package io.bulwark.console.topology;

import io.bulwark.client.ClusterStatus;
import io.bulwark.console.live.ClusterWatch;
import io.bulwark.console.node.NodeInventory;
import io.bulwark.console.node.NodeView;
import java.util.List;
import java.util.Map;
import java.util.stream.Collectors;
import org.springframework.stereotype.Controller;
import org.springframework.ui.Model;
import org.springframework.web.bind.annotation.GetMapping;

/** {@code /topology} and {@code /configuration}. */
@Controller
class TopologyPages {
    private final ClusterWatch watch;
    private final NodeInventory nodes;
    private final ConfigurationInForce configuration;

    TopologyPages(ClusterWatch watch, NodeInventory nodes, ConfigurationInForce configuration) {
        this.watch = watch;
        this.nodes = nodes;
        this.configuration = configuration;
    }

    /** Member in the table that says the same as the picture. */
    record Row(String name, String link, String css, String word, String says, String observed) {}

    @GetMapping("/topology")
    String page(Model model) {
        fill(model);
        return "topology/topology";
    }

    @GetMapping("/topology/part")
    String part(Model model) {
        fill(model);
        return "topology/topology :: part";
    }

    @GetMapping("/configuration")
    String configuration(Model model) {
        model.addAttribute("view", configuration.view());
        return "topology/configuration";
    }

    private void fill(Model model) {
        ClusterWatch.Standing standing = watch.standing();
        ClusterWatch.Observation observation = standing.known().orElseGet(watch::now);
        NodeInventory.Inventory inventory = nodes.recent();
        Picture picture = Picture.of(observation.status(), watch.recentMap().map());
        Map<String, Picture.Box> boxes =
                picture.boxes().stream().collect(Collectors.toMap(Picture.Box::name, box -> box, (first, _) -> first));
        model.addAttribute("picture", picture);
        model.addAttribute("at", observation.at());
        model.addAttribute("outage", standing.outage().orElse(null));
        model.addAttribute(
                "replicas",
                observation.status().replicas().stream()
                        .map(replica -> row(replica, boxes))
                        .toList());
        model.addAttribute(
                "nodes",
                inventory.nodes().stream().map(node -> row(node, boxes)).toList());
    }

    private static Row row(ClusterStatus.ReplicaStatus replica, Map<String, Picture.Box> boxes) {
        String name = "replica-" + replica.replica();
        Picture.Box box = boxes.get(name);
        return new Row(
                name,
                "/replicas/" + replica.replica(),
                box == null ? "muted" : box.css(),
                box == null ? "unknown" : box.word(),
                replica.reachable() ? replica.applied() + " commands executed" : "nothing",
                replica.reachable() && !replica.agrees() ? "f+1 others have another state" : "nothing");
    }

    private static Row row(NodeView node, Map<String, Picture.Box> boxes) {
        Picture.Box box = boxes.get(node.name());
        List<String> seen = node.status().seen().entrySet().stream()
                .map(entry -> entry.getKey() + " " + entry.getValue())
                .toList();
        return new Row(
                node.name(),
                "/nodes/" + node.status().number(),
                box == null ? "muted" : box.css(),
                box == null ? "unknown" : box.word(),
                node.status().reachable() ? node.status().state() : "nothing",
                seen.isEmpty() ? "nothing" : String.join(", ", seen));
    }
}
