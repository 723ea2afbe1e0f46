package io.bulwark.console.node;

import io.bulwark.client.placement.Move;
import io.bulwark.client.placement.MovePlan;
import io.bulwark.console.http.ApiException;
import java.util.List;
import java.util.Locale;
import java.util.Optional;
import java.util.Set;

/**
 * Move of slots that an operator wants.
 *
 * @param by the node that takes the slots of a replaced one; empty for the other kinds
 * @param volume the volume whose slots move; all volumes if empty
 */
public record NodeRequest(Kind kind, int node, Optional<Integer> by, Optional<String> volume) {
    /** Kinds of moves, as the commands of {@code bulwark node}. */
    public enum Kind {
        ADD,
        REPLACE,
        DRAIN
    }

    public NodeRequest {
        if (kind == Kind.REPLACE && by.isEmpty()) {
            throw ApiException.badField("by", "the node that takes the slots is missing");
        }
        if (kind == Kind.REPLACE && by.get() == node) {
            throw ApiException.badField(
                    "by",
                    "a node cannot replace itself: start it with an empty disk and its old keys, and it rebuilds its"
                            + " data");
        }
    }

    /** Returns the slots that move under this plan, given the nodes that answer. */
    List<Move> moves(MovePlan plan, Set<Integer> answering) {
        return switch (kind) {
            case ADD -> plan.planFill(node);
            case REPLACE -> plan.replacing(node, by.orElseThrow());
            case DRAIN -> plan.planDrain(node, answering::contains);
        };
    }

    /** Returns the title of the job. */
    String title() {
        String where = volume.map(name -> " in volume " + name).orElse("");
        return switch (kind) {
            case ADD -> "Move a share of slots to node-" + node + where;
            case REPLACE -> "Replace node-" + node + " by node-" + by.orElseThrow() + where;
            case DRAIN -> "Drain node-" + node + where;
        };
    }

    /** Returns the kind of the job. */
    String job() {
        return kind.name().toLowerCase(Locale.ROOT) + "-node";
    }
}
