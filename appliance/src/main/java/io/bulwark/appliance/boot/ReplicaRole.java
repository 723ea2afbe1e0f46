package io.bulwark.appliance.boot;

import io.bulwark.appliance.cluster.ReplicaSetup;
import io.bulwark.appliance.cluster.RunningReplica;
import io.bulwark.protocol.ordering.driver.StartReason;
import java.io.IOException;
import java.nio.file.Path;
import org.jspecify.annotations.Nullable;

/** {@code bulwark replica --config FILE}. */
public final class ReplicaRole {
    private ReplicaRole() {}

    /**
     * Runs until the process is told to end; returns the exit code.
     *
     * @param health the {@link HealthFile} to keep, if given
     * @param start {@link StartReason#RECOVERING} if the watchdog starts it
     */
    public static int run(Path config, @Nullable Path health, StartReason start)
            throws IOException, InterruptedException {
        RoleFile.Configured<ReplicaSetup> role = RoleFile.replica(config, System.getenv());
        return RoleProcess.until(RunningReplica.start(role.setup(), start), role.admin(), health);
    }
}
