package io.bulwark.console.node;

import io.bulwark.client.ClusterStatus;
import io.bulwark.console.PlacementView;
import io.bulwark.console.live.ClusterWatch;
import java.time.Instant;
import java.util.Comparator;
import java.util.List;
import java.util.Optional;
import java.util.Set;
import java.util.stream.Collectors;
import java.util.stream.IntStream;
import org.jspecify.annotations.Nullable;
import org.springframework.stereotype.Controller;
import org.springframework.ui.Model;
import org.springframework.web.bind.annotation.GetMapping;
import org.springframework.web.bind.annotation.PathVariable;
import org.springframework.web.bind.annotation.PostMapping;
import org.springframework.web.bind.annotation.RequestParam;

/** {@code /groups}: placement groups, those in change first. */
@Controller
class GroupPages {
    private static final int SHOWN_MAX = 200;

    private final ClusterWatch watch;
    private final NodeChanges changes;

    GroupPages(ClusterWatch watch, NodeChanges changes) {
        this.watch = watch;
        this.changes = changes;
    }

    /** Holder of a slot. */
    record Holder(int node, String mark, String css) {}

    /** Placement group as the page shows it. */
    record Row(PlacementView group, List<Holder> holders, String change, boolean canAbort) {}

    /** The shown groups; {@code all} is the number of those that there are. */
    record Rows(List<Row> rows, int all, Instant at) {}

    @GetMapping("/groups")
    String page(@RequestParam(required = false) @Nullable String volume, Model model) {
        fill(volume, model);
        return "node/groups";
    }

    @GetMapping("/groups/part")
    String part(@RequestParam(required = false) @Nullable String volume, Model model) {
        fill(volume, model);
        return "node/groups :: part";
    }

    @GetMapping("/groups/{volume}/{group}/abort")
    String dialog(@PathVariable String volume, @PathVariable String group, Model model) {
        model.addAttribute("volume", volume);
        model.addAttribute("group", GroupApi.number(group));
        return "node/dialogs :: abort";
    }

    @PostMapping("/groups/{volume}/{group}/abort")
    String abort(@PathVariable String volume, @PathVariable String group, Model model) {
        changes.abort(volume, Optional.of(GroupApi.number(group)));
        model.addAttribute(
                "message",
                "The change of group " + group
                        + " is aborted: its slots keep their holders, and it still gets a new epoch.");
        return "node/dialogs :: done";
    }

    private void fill(@Nullable String volume, Model model) {
        Optional<String> wanted = Inputs.volume(volume);
        ClusterWatch.KnownMap map = watch.recentMap();
        ClusterWatch.Standing standing = watch.standing();
        Set<Integer> silent = standing.known()
                .map(known -> known.status().nodes().stream()
                        .filter(node -> !node.reachable())
                        .map(ClusterStatus.NodeStatus::node)
                        .collect(Collectors.toSet()))
                .orElse(Set.of());
        List<Row> all = PlacementView.of(map.map()).stream()
                .filter(group -> wanted.isEmpty() || group.volume().equals(wanted.get()))
                .map(group -> row(group, silent))
                .sorted(Comparator.comparingInt(GroupPages::calm))
                .toList();
        model.addAttribute("view", new Rows(all.stream().limit(SHOWN_MAX).toList(), all.size(), map.at()));
        model.addAttribute("outage", standing.outage().orElse(null));
        model.addAttribute("volume", wanted.orElse(""));
    }

    /** Sorts groups with silent holders, fresh slots or changes first; the sort keeps the order of the rest. */
    private static int calm(Row row) {
        return row.holders.stream().allMatch(holder -> holder.mark.isEmpty()) && row.change.isEmpty() ? 1 : 0;
    }

    private static Row row(PlacementView group, Set<Integer> silent) {
        List<Holder> holders = IntStream.range(0, group.holders().size())
                .mapToObj(slot -> holder(group, slot, silent))
                .toList();
        PlacementView.Change change = group.change();
        if (change == null) {
            return new Row(group, holders, "", false);
        }
        int holder = group.holders().get(change.slot());
        boolean aborted = holder == change.node();
        String text = (aborted ? "given up" : "node-" + holder + " to node-" + change.node()) + ", sealed by "
                + change.sealed().size() + " of " + group.holders().size();
        return new Row(group, holders, text, !aborted);
    }

    private static Holder holder(PlacementView group, int slot, Set<Integer> silent) {
        int node = group.holders().get(slot);
        if (silent.contains(node)) {
            return new Holder(node, "unreachable", "bad");
        }
        if (group.fresh().contains(slot)) {
            return new Holder(node, "rebuilds", "warn");
        }
        return group.unconfirmed().contains(slot) ? new Holder(node, "unconfirmed", "warn") : new Holder(node, "", "");
    }
}
