package io.bulwark.client.text;

import io.bulwark.protocol.metadata.NodeFault;
import io.bulwark.protocol.metadata.Suspicion;
import java.util.stream.Collectors;

/** Text about faulty nodes, for the command line and the console. */
public final class NodeFaultText {
    private NodeFaultText() {}

    /** Returns the accusation with its accusers, as in {@code silent, say node-0, node-3}. */
    public static String accusation(NodeFault fault) {
        return fault.evidence() > 0
                ? fault.kind().text() + ", by recorded fault " + fault.evidence()
                : fault.kind().text() + ", say "
                        + fault.suspicions().stream()
                                .map(each -> "node-" + each.reporter())
                                .collect(Collectors.joining(", "));
    }

    /** Returns the progress of a node's removal. */
    public static String stage(NodeFault fault) {
        return switch (fault.stage()) {
            case NAMED -> "keeps its slots";
            case LEAVING -> "its slots move to others";
            case REMOVED -> "removed: it holds no slots";
        };
    }

    /** Returns what one node counted, as in {@code 35 of 40 answers bad in 5 windows}. */
    public static String counts(Suspicion suspicion) {
        return suspicion.bad() + " of " + suspicion.asked() + " answers bad in " + suspicion.windows()
                + (suspicion.windows() == 1 ? " window" : " windows");
    }
}
