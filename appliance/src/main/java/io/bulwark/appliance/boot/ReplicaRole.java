package io.bulwark.appliance.boot;

import io.bulwark.appliance.cluster.ReplicaSetup;
import io.bulwark.appliance.cluster.RunningReplica;
import java.io.IOException;
import java.nio.file.Path;
import org.jspecify.annotations.Nullable;

/** {@code bulwark replica --config FILE}. */
public final class ReplicaRole {
    private ReplicaRole() {}

    /**
     * Runs until the process is told to end; returns the exit code.
     *
     * @param health kept as {@link HealthFile} says, if given
     */
    public static int run(Path config, @Nullable Path health) throws IOException, InterruptedException {
        ReplicaSetup setup = RoleFile.replica(config);
        RunningReplica replica = RunningReplica.start(setup);
        HealthFile.keep(health, replica::problem);
        return Role.until("replica-" + setup.number(), replica);
    }
}
