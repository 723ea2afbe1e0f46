package io.bulwark.appliance.cli;

import io.bulwark.appliance.boot.ParentWatch;
import io.bulwark.appliance.boot.ReplicaRole;
import io.bulwark.appliance.boot.SuperviseRole;
import io.bulwark.appliance.cluster.ReplicaProcess;
import io.bulwark.protocol.ordering.driver.StartReason;
import java.nio.file.Path;
import java.util.Objects;
import java.util.concurrent.Callable;
import org.jspecify.annotations.Nullable;
import picocli.CommandLine.Command;
import picocli.CommandLine.Model.CommandSpec;
import picocli.CommandLine.Option;
import picocli.CommandLine.ParameterException;
import picocli.CommandLine.Spec;

/** {@code replica} and {@code supervise}; {@code node} and {@code console} have classes of their own. */
final class RoleCommands {
    private RoleCommands() {}

    @Command(
            name = "replica",
            description = {
                "Run a metadata replica, or list, replace, recover or restore the replicas.",
                "`replica --config FILE` runs a replica. list, replace, add and remove are for operators of the "
                        + "cluster;",
                "recover and restore act on this machine."
            },
            subcommands = {
                ReplicaRecoverCommand.class,
                ReplicaRestoreCommand.class,
                ReplicaListCommand.class,
                ReplicaChangeCommands.Replace.class,
                ReplicaChangeCommands.Add.class,
                ReplicaChangeCommands.Remove.class
            })
    static final class Replica implements Callable<Integer> {
        @Spec
        private @Nullable CommandSpec spec;

        @Option(names = "--config", paramLabel = "FILE", description = "Its configuration (YAML).")
        private @Nullable Path config;

        @Option(names = NodeCommand.END_WITH_INPUT, description = "With --config: stop at the end of standard input.")
        private boolean endWithInput;

        @Option(
                names = NodeCommand.HEALTH,
                paramLabel = "FILE",
                description = "With --config: " + NodeCommand.HEALTH_DESCRIPTION)
        private @Nullable Path health;

        @Option(
                names = ReplicaProcess.RECOVERING,
                description = "With --config: start with a proactive recovery, which checks the state and discards old "
                        + "session keys.")
        private boolean recovering;

        @Override
        public Integer call() throws Exception {
            if (config == null) {
                CommandSpec own = Objects.requireNonNull(spec);
                throw new ParameterException(
                        own.commandLine(),
                        "replica needs --config FILE, or one of list, replace, add, remove, recover, restore");
            }
            if (endWithInput) {
                ParentWatch.begin();
            }
            return ReplicaRole.run(config, health, recovering ? StartReason.RECOVERING : StartReason.NORMAL);
        }
    }

    @Command(
            name = "supervise",
            description = {
                "Run a metadata replica in a child process and supervise it.",
                "The supervisor restarts the replica when it dies and for its scheduled recoveries, from an allowed "
                        + "release."
            })
    static final class Supervise implements Callable<Integer> {
        @Option(
                names = "--config",
                paramLabel = "FILE",
                required = true,
                description = "The replica's configuration (YAML), which may have a section for the supervisor.")
        private Path config = Path.of("");

        @Option(
                names = NodeCommand.HEALTH,
                paramLabel = "FILE",
                description = "While it runs, " + NodeCommand.HEALTH_DESCRIPTION)
        private @Nullable Path health;

        @Override
        public Integer call() throws Exception {
            return SuperviseRole.run(config, health);
        }
    }
}
