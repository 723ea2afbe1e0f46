package io.bulwark.appliance.up;

import io.bulwark.appliance.cluster.ClusterPlan;
import io.bulwark.appliance.cluster.Member;
import io.bulwark.appliance.cluster.RunningNode;
import io.bulwark.appliance.drill.Lie;
import io.bulwark.appliance.drill.NodeTampering;
import java.io.IOException;
import java.nio.file.Path;
import java.util.Locale;
import java.util.OptionalLong;
import java.util.SplittableRandom;

/** Stops, starts and corrupts one node of an appliance. */
final class NodeDrill {
    private final Member node;
    private final int number;
    private final NodeTampering tampering;

    NodeDrill(ClusterPlan plan, Member node, int number) {
        this.node = node;
        this.number = number;
        this.tampering = new NodeTampering(
                plan.data().node(number),
                saved(plan, number),
                RunningNode.store(plan.node(number, plan.data().node(number))),
                new SplittableRandom());
    }

    /** Returns the directory that holds the saved data of a node, if any were saved. */
    static Path saved(ClusterPlan plan, int number) {
        return plan.data().root().resolve("saved").resolve(Integer.toString(number));
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

    DrillResult slow(boolean slow) throws Exception {
        if (!(node instanceof HinderedMember hindered)) {
            throw new IOException(node.name() + " has a process of its own, which cannot be made slow from here");
        }
        hindered.setSlow(slow);
        return new DrillResult(
                slow
                        ? node.name() + " is slow: it answers nearly a second late, and takes 160 KiB per second."
                        : node.name() + " is as fast as before.");
    }

    DrillResult save() throws Exception {
        node.stop();
        tampering.save();
        start();
        return new DrillResult("Saved the current data of " + node.name() + "; `bulwark node lie " + number
                + " --how stale` restores it.");
    }

    /** Leaves what the node then stores to others to find, as far as it can. */
    DrillResult lieUnscrubbed(Lie how) throws Exception {
        if (node instanceof HinderedMember hindered) {
            hindered.skipScrubbing();
        }
        return lie(how);
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
