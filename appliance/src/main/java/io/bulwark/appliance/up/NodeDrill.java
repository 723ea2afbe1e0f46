package io.bulwark.appliance.up;

import io.bulwark.appliance.cluster.ClusterPlan;
import io.bulwark.appliance.cluster.Member;
import io.bulwark.appliance.cluster.RunningNode;
import io.bulwark.appliance.drill.Lie;
import io.bulwark.appliance.drill.NodeTampering;
import java.nio.file.Path;
import java.util.Locale;
import java.util.random.RandomGenerator;

/** Stops, starts and corrupts one node of an appliance. */
final class NodeDrill {
    private final Member node;
    private final NodeTampering tampering;

    NodeDrill(ClusterPlan plan, Member node, int number) {
        this.node = node;
        Path saved = plan.data().root().resolve("saved").resolve(Integer.toString(number));
        this.tampering = new NodeTampering(
                plan.data().node(number),
                saved,
                RunningNode.store(plan.node(number, plan.data().node(number))),
                RandomGenerator.getDefault());
    }

    String stop() throws Exception {
        node.stop();
        return node.name() + " is stopped.";
    }

    String start() throws Exception {
        node.start();
        node.awaitListening();
        return node.name() + " is started.";
    }

    String save() throws Exception {
        node.stop();
        tampering.save();
        start();
        return "The data of " + node.name() + " as it is now is kept; `bulwark node lie N --how stale` brings it back.";
    }

    String lie(Lie how) throws Exception {
        node.stop();
        long wrong;
        try {
            wrong = tampering.apply(how);
        } finally {
            start();
        }
        String what = wrong < 0 ? "its data as it was saved" : wrong + " wrong fragments";
        return node.name() + " lies now (" + how.name().toLowerCase(Locale.ROOT) + "): it holds " + what + ".";
    }
}
