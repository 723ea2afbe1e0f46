package io.bulwark.console.node;

import io.bulwark.console.StatusView;
import java.util.List;

/**
 * A storage node.
 *
 * @param status its own report, except {@code seen}: verdicts that the console, its peers and itself recorded
 * @param slots of the placement groups, as the replicas agree
 * @param faults on record: f+1 other nodes report each
 */
public record NodeView(StatusView.Node status, List<Slot> slots, List<StatusView.Fault> faults) {
    /**
     * Slot of a placement group that a node holds, or is to take.
     *
     * @param fresh whether the holder does not yet have everything that was stored before
     * @param unconfirmed whether the holder has not confirmed the epoch
     * @param change {@code none}, {@code leaves} if another node is to take the slot, or {@code comes} if this one is
     */
    public record Slot(
            String volume, int group, long epoch, int slot, boolean fresh, boolean unconfirmed, String change) {}

    public NodeView {
        slots = List.copyOf(slots);
        faults = List.copyOf(faults);
    }

    /** Returns the name in the cluster. */
    public String name() {
        return "node-" + status.number();
    }

    /** Returns one word for its state. */
    public String word() {
        if (!status.reachable()) {
            return "unreachable";
        }
        return status.state().equals("ok") ? "ok" : status.state().startsWith("read-only") ? "read-only" : "works";
    }

    /** Returns the class of the style sheet for its state. */
    public String css() {
        return switch (word()) {
            case "ok" -> "good";
            case "works" -> "warn";
            default -> "bad";
        };
    }
}
