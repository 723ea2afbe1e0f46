package io.bulwark.appliance.up;

import io.bulwark.appliance.cluster.ClusterPlan;
import io.bulwark.appliance.cluster.Member;
import io.bulwark.appliance.cluster.RunningNode;
import io.bulwark.appliance.drill.Lie;
import io.bulwark.appliance.drill.NodeTampering;
import java.nio.file.Path;
import java.util.Locale;
import java.util.OptionalLong;
import java.util.random.RandomGenerator;

/** Stops, starts and corrupts one node of an appliance. */
final class NodeDrill {
    private final Member node;
    private final int number;
    private final NodeTampering tampering;

    NodeDrill(ClusterPlan plan, Member node, int number) {
        this.node = node;
        this.number = number;
        Path saved = plan.data().root().resolve("saved").resolve(Integer.toString(number));
        this.tampering = new NodeTampering(
                plan.data().node(number),
                saved,
                RunningNode.store(plan.node(number, plan.data().node(number))),
                RandomGenerator.getDefault());
    }

    /**
     * Result of an action.
     *
     * @param message for people
     * @param edited number of fragments that a lie changed; empty for every other action, and where nobody counted
     */
    record DrillResult(String message, OptionalLong edited) {
        private DrillResult(String message) {
            this(message, OptionalLong.empty());
        }
    }

    DrillResult stop() throws Exception {
        node.stop();
        return new DrillResult(node.name() + " is stopped.");
    }

    DrillResult start() throws Exception {
        node.start();
        node.awaitListening();
        return new DrillResult(node.name() + " is started.");
    }

    DrillResult save() throws Exception {
        node.stop();
        tampering.save();
        start();
        return new DrillResult("Saved the current data of " + node.name() + "; `bulwark node lie " + number
                + " --how stale` restores it.");
    }

    DrillResult lie(Lie how) throws Exception {
        node.stop();
        long edited;
        try {
            edited = tampering.apply(how);
        } finally {
            start();
        }
        String way = how.name().toLowerCase(Locale.ROOT);
        if (edited < 0) {
            return new DrillResult(node.name() + " lies now (" + way + "): it holds the saved data.");
        }
        String message = edited > 0
                ? node.name() + " lies now (" + way + "): " + edited + " of its fragments are "
                        + (how == Lie.DROP ? "gone." : "wrong.")
                : node.name() + " is unchanged: it holds "
                        + (how == Lie.SWAP ? "no two fragments to swap" : "no fragments")
                        + "; store some files first, for example with `bulwark sync DIR BUCKET`";
        return new DrillResult(message, OptionalLong.of(edited));
    }
}
