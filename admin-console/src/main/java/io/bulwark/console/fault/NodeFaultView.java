package io.bulwark.console.fault;

import io.bulwark.client.FaultyNodes;
import io.bulwark.client.text.NodeFaultText;
import io.bulwark.protocol.metadata.NodeFault;
import io.bulwark.protocol.metadata.Suspicion;
import java.time.Instant;
import java.util.List;
import java.util.Locale;

/**
 * Node that its peers find faulty.
 *
 * @param kind wrong, stale or silent
 * @param evidence number of the recorded fault that names it; 0 if statistics do
 * @param stage progress of its removal: named, leaving or removed
 * @param accusation kind and accusers, for people
 * @param removal for people
 * @param counts of the nodes that name it
 */
record NodeFaultView(
        String node,
        String kind,
        Instant since,
        long evidence,
        String stage,
        String accusation,
        String removal,
        List<Count> counts) {
    /** Counts of one node about another. */
    record Count(String node, String reporter, String kind, String text, double score, Instant last) {
        static Count of(Suspicion suspicion) {
            return new Count(
                    "node-" + suspicion.last().node(),
                    "node-" + suspicion.reporter(),
                    suspicion.last().kind().text(),
                    NodeFaultText.counts(suspicion),
                    suspicion.score() / 1000.0,
                    Instant.ofEpochMilli(suspicion.agreedMillis()));
        }
    }

    /**
     * Findings of the nodes.
     *
     * @param counts of single nodes, which name nobody
     */
    record Report(List<NodeFaultView> faulty, List<Count> counts) {
        static Report of(FaultyNodes.Report report) {
            return new Report(
                    report.faults().stream().map(NodeFaultView::of).toList(),
                    report.suspicions().stream().map(Count::of).toList());
        }
    }

    /** Returns the number of the node, as the form that forgives it sends it. */
    public int number() {
        return Integer.parseInt(node.substring(node.indexOf('-') + 1));
    }

    static NodeFaultView of(NodeFault fault) {
        return new NodeFaultView(
                "node-" + fault.node(),
                fault.kind().text(),
                Instant.ofEpochMilli(fault.sinceMillis()),
                fault.evidence(),
                fault.stage().name().toLowerCase(Locale.ROOT),
                NodeFaultText.accusation(fault),
                NodeFaultText.stage(fault),
                fault.suspicions().stream().map(Count::of).toList());
    }
}
