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
     * @param health the {@link HealthFile} to keep, if given
     */
    public static int run(Path config, @Nullable Path health) throws IOException, InterruptedException {
        RoleFile.Configured<NodeSetup> role = RoleFile.node(config, System.getenv());
        return RoleProcess.until(RunningNode.start(role.setup()), role.admin(), health);
    }
}
