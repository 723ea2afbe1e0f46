package io.bulwark.console.node;

import io.bulwark.client.ClusterStatus;
import io.bulwark.client.placement.Move;
import io.bulwark.console.node.PlanView.MoveView;
import io.bulwark.console.node.PlanView.Risk;
import io.bulwark.console.page.Format;
import io.bulwark.protocol.cluster.ClusterMap;
import io.bulwark.protocol.cluster.PlacementGroup;
import io.bulwark.protocol.cluster.Volume;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.TreeSet;
import java.util.stream.Collectors;

/**
 * Forecast of a move of slots. Sizes are estimates: a slot weighs what its holder stores, divided by the slots that it holds. A slot
 * that moves counts as faulty until its new holder is rebuilt.
 */
final class MoveForecast {
    /** Standard limit of the rebuild rate; a node tells its own only while it rebuilds. */
    static final long RATE_BYTES_PER_SECOND = 32L << 20;

    private static final int GROUPS_NAMED_MAX = 8;

    private final ClusterMap map;
    private final ClusterStatus status;
    private final Format format = new Format();

    MoveForecast(ClusterMap map, ClusterStatus status) {
        this.map = map;
        this.status = status;
    }

    PlanView of(NodeRequest request, List<Move> moves, List<String> kept) {
        Map<Integer, Integer> slots = slotCounts();
        List<MoveView> views = new ArrayList<>();
        Map<Integer, Long> bytesTo = new HashMap<>();
        for (Move move : moves) {
            long bytes = isDone(move) ? 0 : slotBytes(move.from(), slots);
            views.add(new MoveView(move.volume(), move.group(), move.from(), move.to(), bytes));
            bytesTo.merge(move.to(), bytes, Long::sum);
        }
        Map<Integer, Long> millisTo = new HashMap<>();
        bytesTo.forEach((node, bytes) -> millisTo.put(node, Math.max(1_000, bytes * 1000 / rate(node))));
        List<Risk> risks = new ArrayList<>();
        for (Move move : moves) {
            if (!isDone(move)) {
                risks.add(new Risk(move.volume(), move.group(), faultsLeft(move), millisTo.get(move.to())));
            }
        }
        long bytes = views.stream().mapToLong(MoveView::bytes).sum();
        Long millis = millisTo.values().stream().max(Long::compare).orElse(null);
        return new PlanView(
                request.title(),
                request.node(),
                map.version(),
                views,
                bytes,
                millis,
                risks,
                kept,
                sentences(views, risks, kept, bytes));
    }

    private boolean isDone(Move move) {
        return map.volume(move.volume())
                .filter(volume -> volume.groups().get(move.group()).slotOf(move.to()) >= 0)
                .isPresent();
    }

    private Map<Integer, Integer> slotCounts() {
        Map<Integer, Integer> slots = new HashMap<>();
        map.volumes().stream()
                .flatMap(volume -> volume.groups().stream())
                .forEach(group -> group.holders().forEach(holder -> slots.merge(holder, 1, Integer::sum)));
        return slots;
    }

    /** A node that does not answer does not say what it stored: it counts as the average of the others. */
    private long slotBytes(int node, Map<Integer, Integer> slots) {
        long used = 0;
        long count = 0;
        for (ClusterStatus.NodeStatus each : status.nodes()) {
            int held = slots.getOrDefault(each.node(), 0);
            if (each.reachable() && held > 0) {
                if (each.node() == node) {
                    return each.usedBytes() / held;
                }
                used += each.usedBytes();
                count += held;
            }
        }
        return count == 0 ? 0 : used / count;
    }

    private long rate(int node) {
        return status.nodes().stream()
                .filter(each -> each.node() == node)
                .flatMap(each -> each.rebuild().stream())
                .mapToLong(ClusterStatus.Rebuild::limitBytesPerSecond)
                .filter(limit -> limit > 0)
                .findFirst()
                .orElse(RATE_BYTES_PER_SECOND);
    }

    private int faultsLeft(Move move) {
        Volume volume = map.volume(move.volume()).orElseThrow();
        PlacementGroup group = volume.groups().get(move.group());
        Set<Integer> faulty = new TreeSet<>(group.unconfirmed());
        int slot = group.slotOf(move.from());
        if (slot >= 0) {
            faulty.add(slot);
        }
        for (ClusterStatus.NodeStatus node : status.nodes()) {
            int held = group.slotOf(node.node());
            if (held >= 0 && (!node.reachable() || node.unverified().contains(volume.name()))) {
                faulty.add(held);
            }
        }
        return volume.policyOf(move.group()).f() - faulty.size();
    }

    private List<String> sentences(List<MoveView> moves, List<Risk> risks, List<String> kept, long bytes) {
        List<String> sentences = new ArrayList<>();
        if (risks.isEmpty()) {
            sentences.add("No slot is left to move.");
        } else {
            sentences.add(risks.size() + (risks.size() == 1 ? " slot moves" : " slots move") + ": about "
                    + format.bytes(bytes) + " are rebuilt from the other holders.");
        }
        moves.stream()
                .collect(Collectors.groupingBy(MoveView::to, LinkedHashMap::new, Collectors.counting()))
                .forEach((to, count) ->
                        sentences.add("node-" + to + " takes " + count + (count == 1 ? " slot." : " slots.")));
        Map<String, List<Risk>> alike = risks.stream()
                .collect(Collectors.groupingBy(
                        risk -> risk.volume() + " " + risk.faultsLeft() + " " + risk.millis(),
                        LinkedHashMap::new,
                        Collectors.toList()));
        alike.values().forEach(group -> sentences.add(sentence(group)));
        if (!kept.isEmpty()) {
            sentences.add("Register volumes without verification keep their holders: " + String.join(", ", kept) + ".");
        }
        return sentences;
    }

    private String sentence(List<Risk> risks) {
        Risk first = risks.getFirst();
        String groups = risks.stream()
                .limit(GROUPS_NAMED_MAX)
                .map(risk -> Integer.toString(risk.group()))
                .collect(Collectors.joining(", "));
        String rest = risks.size() > GROUPS_NAMED_MAX ? " and " + (risks.size() - GROUPS_NAMED_MAX) + " more" : "";
        Long millis = first.millis();
        String time = millis == null ? " until they are rebuilt" : " for about " + format.duration(millis);
        String what = (risks.size() == 1 ? "Group " : "Groups ") + groups + rest + " of volume " + first.volume();
        return first.faultsLeft() < 0
                ? what + " cannot tolerate the move now: too many other holders do not answer. The slot waits for them."
                : what + " will be able to take " + first.faultsLeft()
                        + (first.faultsLeft() == 1 ? " fault" : " faults") + time + ".";
    }
}
