package io.bulwark.console.fault;

import io.bulwark.client.ClusterStatus;
import io.bulwark.client.Principals;
import io.bulwark.client.error.NotPermittedException;
import io.bulwark.console.access.SignedIn;
import io.bulwark.console.http.ApiException;
import io.bulwark.console.live.ClusterWatch;
import io.bulwark.protocol.effect.Verdict;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.List;
import java.util.Map;
import java.util.TreeMap;
import org.springframework.stereotype.Component;

/** The recorded faults of nodes and clients, and the hints that have not become a record. */
@Component
class FaultRecord {
    private final SignedIn signedIn;
    private final ClusterWatch watch;

    FaultRecord(SignedIn signedIn, ClusterWatch watch) {
        this.signedIn = signedIn;
        this.watch = watch;
    }

    /** Lists the recorded faults, the newest first. */
    List<FaultView> list() {
        List<FaultView> all = new ArrayList<>();
        watch.now().status().faults().forEach(fault -> all.add(view(fault)));
        suspended().forEach(suspension -> all.add(view(suspension)));
        all.sort(Comparator.comparing(FaultView::at).reversed());
        return all;
    }

    /** How often single parties met a verdict about a node: hints, since one party may be faulty itself. */
    record Hint(String node, Map<String, Long> seen) {}

    List<Hint> hints() {
        List<Hint> hints = new ArrayList<>();
        for (ClusterStatus.NodeStatus node : watch.now().status().nodes()) {
            Map<String, Long> seen = new TreeMap<>();
            node.seen().forEach((verdict, count) -> {
                if (count > 0) {
                    seen.put(verdict.text(), count);
                }
            });
            if (!seen.isEmpty()) {
                hints.add(new Hint("node-" + node.node(), seen));
            }
        }
        return hints;
    }

    /**
     * Finds a fault.
     *
     * @throws ApiException if there is none of this id
     */
    FaultDetail find(String id) {
        for (ClusterStatus.Fault fault : watch.now().status().faults()) {
            if (id.equals(Long.toString(fault.number()))) {
                return detail(view(fault), fault.verdict());
            }
        }
        for (Principals.Suspension suspension : suspended()) {
            if (id.equals(suspension.client().toString())) {
                return detail(view(suspension), Verdict.POISONOUS);
            }
        }
        throw ApiException.notFound("there is no recorded fault " + id);
    }

    private static FaultDetail detail(FaultView fault, Verdict verdict) {
        List<String> by = fault.by();
        return new FaultDetail(
                fault,
                List.of(
                        fault.about() + ", block " + fault.block() + ": " + fault.verdict() + ". " + fault.meaning(),
                        "A single node's report is a hint only, since that node may be faulty itself.",
                        (by == null
                                        ? "More than f nodes of the block's placement group"
                                        : String.join(", ", by)) + " reported the same independently of each other.",
                        "At most f nodes of the group may be faulty. So at least one of the reporters is correct, and has"
                                + " seen it.",
                        "The replicas, of which 2f + 1 agree, have recorded it. No later claim removes it."),
                List.of(
                        "It does not show whether " + fault.about() + " is malicious or defect.",
                        "It holds as long as at most f nodes of the group are faulty."),
                VerdictText.next(verdict));
    }

    private static FaultView view(ClusterStatus.Fault fault) {
        return new FaultView(
                Long.toString(fault.number()),
                "node-" + fault.node(),
                fault.block(),
                fault.verdict().text(),
                VerdictText.meaning(fault.verdict()),
                fault.at(),
                null,
                fault.detail());
    }

    private static FaultView view(Principals.Suspension suspension) {
        var first = suspension.reports().getFirst();
        return new FaultView(
                suspension.client().toString(),
                suspension.client().toString(),
                first.block().toString(),
                Verdict.POISONOUS.text(),
                VerdictText.meaning(Verdict.POISONOUS),
                suspension.since(),
                suspension.reports().stream()
                        .map(report -> report.reporter().toString())
                        .toList(),
                first.detail());
    }

    private List<Principals.Suspension> suspended() {
        try {
            return signedIn.client().principals().suspended();
        } catch (NotPermittedException e) {
            return List.of();
        }
    }
}
