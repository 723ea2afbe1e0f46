package io.bulwark.appliance.boot;

import io.bulwark.appliance.cluster.NodeSetup;
import io.bulwark.appliance.cluster.RunningNode;
import java.io.IOException;
import java.nio.file.Path;
import org.jspecify.annotations.Nullable;

/** {@code bulwark node --config FILE}. */
public final class NodeRole {
    private NodeRole() {}

    /**
     * Runs until the process is told to end; returns the exit code.
     *
     * @param health kept as {@link HealthFile} says, if given
     */
    public static int run(Path config, @Nullable Path health) throws IOException, InterruptedException {
        NodeSetup setup = RoleFile.node(config);
        RunningNode node = RunningNode.start(setup);
        HealthFile.keep(health, node::problem);
        return Role.until("node-" + setup.number(), node);
    }
}
