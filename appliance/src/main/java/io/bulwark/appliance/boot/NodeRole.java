package io.bulwark.appliance.boot;

import io.bulwark.appliance.cluster.NodeSetup;
import io.bulwark.appliance.cluster.RunningNode;
import java.io.IOException;
import java.nio.file.Path;

/** {@code bulwark node --config FILE}. */
public final class NodeRole {
    private NodeRole() {}

    /** Runs until the process is told to end; returns the exit code. */
    public static int run(Path config) throws IOException, InterruptedException {
        NodeSetup setup = RoleFile.node(config);
        return Role.until("node-" + setup.number(), RunningNode.start(setup));
    }
}
