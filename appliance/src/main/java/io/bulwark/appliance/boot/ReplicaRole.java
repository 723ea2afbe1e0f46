package io.bulwark.appliance.boot;

import io.bulwark.appliance.cluster.ReplicaSetup;
import io.bulwark.appliance.cluster.RunningReplica;
import java.io.IOException;
import java.nio.file.Path;

/** {@code bulwark replica --config FILE}. */
public final class ReplicaRole {
    private ReplicaRole() {}

    /** Runs until the process is told to end; returns the exit code. */
    public static int run(Path config) throws IOException, InterruptedException {
        ReplicaSetup setup = RoleFile.replica(config);
        return Role.until("replica-" + setup.number(), RunningReplica.start(setup));
    }
}
