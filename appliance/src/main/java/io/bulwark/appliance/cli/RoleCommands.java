package io.bulwark.appliance.cli;

import io.bulwark.appliance.boot.ConsoleRole;
import io.bulwark.appliance.boot.ParentWatch;
import io.bulwark.appliance.boot.ReplicaRole;
import io.bulwark.appliance.boot.RoleFile;
import io.bulwark.appliance.cluster.ClusterPlan;
import io.bulwark.appliance.cluster.ClusterShape;
import io.bulwark.appliance.cluster.DataDirectory;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Map;
import java.util.concurrent.Callable;
import org.jspecify.annotations.Nullable;
import picocli.CommandLine.Command;
import picocli.CommandLine.Mixin;
import picocli.CommandLine.Option;

/** {@code replica}, {@code console} and {@code init}; {@code node} has a class of its own. */
final class RoleCommands {
    private RoleCommands() {}

    @Command(name = "replica", description = "Run one metadata replica.")
    static final class Replica implements Callable<Integer> {
        @Option(names = "--config", paramLabel = "FILE", required = true, description = "Its configuration (YAML).")
        private Path config = Path.of("");

        @Option(names = NodeCommand.END_WITH_INPUT, description = "End when standard input ends.")
        private boolean endWithInput;

        @Option(names = NodeCommand.HEALTH, paramLabel = "FILE", description = NodeCommand.HEALTH_DESCRIPTION)
        private @Nullable Path health;

        @Override
        public Integer call() throws Exception {
            if (endWithInput) {
                ParentWatch.begin();
            }
            return ReplicaRole.run(config, health);
        }
    }

    @Command(name = "console", description = "Run the console.")
    static final class Console implements Callable<Integer> {
        @Option(names = "--config", paramLabel = "FILE", required = true, description = "Its configuration (YAML).")
        private Path config = Path.of("");

        @Option(names = NodeCommand.HEALTH, paramLabel = "FILE", description = NodeCommand.HEALTH_DESCRIPTION)
        private @Nullable Path health;

        @Override
        public Integer call() throws Exception {
            return ConsoleRole.run(config, health);
        }
    }

    @Command(
            name = "init",
            description = {
                "Write keys and configuration files for members that run one by one.",
                "Each is a process or a container of its own. Keys that are there already stay."
            })
    static final class Init implements Callable<Integer> {
        @Mixin
        private final GlobalOptions global = new GlobalOptions();

        @Mixin
        private final ShapeOptions wanted = new ShapeOptions();

        @Option(
                names = "--member-data",
                paramLabel = "DIR",
                description =
                        "Each member's data directory, where it is the same path in each container (default: one each,"
                                + " here).")
        private @Nullable Path memberData;

        @Override
        public Integer call() throws IOException {
            ClusterShape first = wanted.shape("sync");
            DataDirectory data = DataDirectory.create(global.data());
            ClusterShape shape = data.shape(first);
            wanted.checkKept(shape);
            ClusterPlan plan = new ClusterPlan(data, shape);
            plan.prepare();
            Path config = Files.createDirectories(data.root().resolve("config"));
            for (int i = 0; i < shape.nodes(); i++) {
                Path directory = memberData == null ? data.node(i) : memberData;
                RoleFile.write(plan.node(i, directory), config.resolve("node-" + i + ".yaml"));
            }
            for (int i = 0; i < shape.replicas(); i++) {
                Path directory = memberData == null ? data.replica(i) : memberData;
                RoleFile.write(plan.replica(i, directory), config.resolve("replica-" + i + ".yaml"));
            }
            Path client = data.root().resolve("console.properties");
            plan.consoleClient().store(client);
            RoleFile.write(new RoleFile.ConsoleSetup(plan.consoleAddress(), client), config.resolve("console.yaml"));
            global.print(
                    Map.of(
                            "config",
                            config.toString(),
                            "client",
                            data.clientProperties().toString()),
                    "Wrote keys and configuration below " + data.root() + ".");
            return 0;
        }
    }
}
