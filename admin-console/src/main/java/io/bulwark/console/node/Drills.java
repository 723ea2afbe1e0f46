package io.bulwark.console.node;

import io.bulwark.console.FaultPanel;
import io.bulwark.console.FaultPanel.Drill;
import io.bulwark.console.Surroundings;
import io.bulwark.console.access.SignedIn;
import io.bulwark.console.account.AccessLog;
import io.bulwark.console.http.ApiException;
import java.io.IOException;
import java.util.EnumSet;
import java.util.List;
import java.util.Locale;
import java.util.Set;
import org.jspecify.annotations.Nullable;
import org.springframework.stereotype.Component;

/** Drills on nodes of an embedded appliance. */
@Component
class Drills {
    private final Surroundings surroundings;
    private final SignedIn signedIn;
    private final AccessLog log;

    Drills(Surroundings surroundings, SignedIn signedIn, AccessLog log) {
        this.log = log;
        this.surroundings = surroundings;
        this.signedIn = signedIn;
    }

    /** Returns the drills that a node can be given now; none if this console has no fault panel, or the node runs elsewhere. */
    List<Drill> of(int node) {
        Set<Drill> possible = surroundings
                .faults()
                .filter(panel -> panel.nodes().contains(node))
                .map(panel -> panel.drills(node))
                .orElse(Set.of());
        return possible.isEmpty() ? List.of() : List.copyOf(EnumSet.copyOf(possible));
    }

    /**
     * Gives a drill; returns the result for people.
     *
     * @param address from which the request came
     */
    String apply(int node, @Nullable String drill, String address) {
        FaultPanel panel = surroundings
                .faults()
                .filter(each -> each.nodes().contains(node))
                .orElseThrow(() -> ApiException.notFound("node-" + node
                        + " does not run in an embedded appliance of this console: there are no drills"));
        Drill wanted = parsed(drill);
        if (!panel.drills(node).contains(wanted)) {
            throw ApiException.conflict("node-" + node + " cannot be given this drill now");
        }
        try {
            log.add(AccessLog.Event.DRILL_GIVEN, signedIn.name(), address, wanted.title() + ": node-" + node);
            return panel.apply(node, wanted);
        } catch (IOException e) {
            throw ApiException.conflict(String.valueOf(e.getMessage()));
        }
    }

    private static Drill parsed(@Nullable String text) {
        for (Drill drill : Drill.values()) {
            if (drill.name().toLowerCase(Locale.ROOT).equals(text)) {
                return drill;
            }
        }
        throw ApiException.badField("drill", "one of the drills of the node is wanted");
    }
}
