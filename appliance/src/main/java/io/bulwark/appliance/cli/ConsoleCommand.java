package io.bulwark.appliance.cli;

import io.bulwark.appliance.boot.ConsoleRole;
import io.bulwark.appliance.boot.RoleFile;
import io.bulwark.appliance.cluster.ClusterPlan;
import io.bulwark.appliance.cluster.ConsoleDoor;
import io.bulwark.appliance.cluster.DataDirectory;
import io.bulwark.client.Bulwark;
import io.bulwark.console.ConsoleServer;
import io.bulwark.console.account.Accounts;
import io.bulwark.console.account.SetupLink;
import io.bulwark.protocol.id.PrincipalId;
import io.bulwark.protocol.id.PrincipalKind;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Clock;
import java.util.List;
import java.util.Objects;
import java.util.Optional;
import java.util.concurrent.Callable;
import org.jspecify.annotations.Nullable;
import picocli.CommandLine.Command;
import picocli.CommandLine.Mixin;
import picocli.CommandLine.Model.CommandSpec;
import picocli.CommandLine.Option;
import picocli.CommandLine.ParameterException;
import picocli.CommandLine.Spec;

/** {@code bulwark console} and its subcommands. */
@Command(
        name = "console",
        description = {
            "Run the console, let it act for people, or make a set-up link.",
            "`console --config FILE` runs a console."
        },
        subcommands = {ConsoleCommand.Enable.class, ConsoleCommand.Link.class})
final class ConsoleCommand implements Callable<Integer> {
    @Spec
    private @Nullable CommandSpec spec;

    @Option(names = "--config", paramLabel = "FILE", description = "Its configuration (YAML).")
    private @Nullable Path config;

    @Option(
            names = NodeCommand.HEALTH,
            paramLabel = "FILE",
            description = "With --config: " + NodeCommand.HEALTH_DESCRIPTION)
    private @Nullable Path health;

    @Override
    public Integer call() throws Exception {
        if (config == null) {
            throw new ParameterException(
                    Objects.requireNonNull(spec).commandLine(),
                    "console needs --config FILE, or one of enable, setup-link");
        }
        return ConsoleRole.run(config, health);
    }

    /** Makes a set-up link for the console of an appliance that has no administrator yet; empty if it has one. */
    static Optional<String> firstSetupLink(ClusterPlan plan) {
        Path directory = plan.consoleDirectory();
        return new Accounts(directory, Clock.systemUTC()).hasAdministrator()
                ? Optional.empty()
                : Optional.of(makeLink(directory, urlOf(plan)));
    }

    private static String urlOf(ClusterPlan plan) {
        return "http://" + plan.consoleAddress().getHostString() + ":"
                + plan.consoleAddress().getPort();
    }

    private static String makeLink(Path directory, String url) {
        return ConsoleServer.setupUrl(url, new SetupLink(directory, Clock.systemUTC()).make());
    }

    @Command(
            name = "enable",
            description = {
                "Let a console act for people.",
                "Registers a principal without a key for each role, and takes the console's own rights away."
            })
    static final class Enable implements Callable<Integer> {
        @Mixin
        private final ClusterAccess access = new ClusterAccess();

        @Option(
                names = "--door",
                paramLabel = "CLIENT",
                defaultValue = "client-1",
                description = "Client as which the console connects (default: ${DEFAULT-VALUE}).")
        private String door = "client-1";

        @Override
        public Integer call() {
            PrincipalId client;
            try {
                client = PrincipalId.parse(door);
            } catch (IllegalArgumentException e) {
                throw new CommandFailure(CommandFailure.USAGE, "--door: " + e.getMessage());
            }
            if (client.kind() != PrincipalKind.CLIENT) {
                throw new CommandFailure(CommandFailure.USAGE, "--door: " + door + " is no client");
            }
            try (Bulwark operator = access.connect()) {
                List<String> done = ConsoleDoor.enable(operator, client);
                access.global()
                        .print(
                                new EnabledView(door, done),
                                done.isEmpty()
                                        ? "the console " + door + " acts for people already"
                                        : String.join("\n", done));
            }
            return 0;
        }
    }

    @Command(
            name = "setup-link",
            description = {
                "Make a one-time link with which an administrator sets up an account of the console.",
                "For the first one, or after the password was lost. Needs access to the console's directory."
            })
    static final class Link implements Callable<Integer> {
        @Mixin
        private final GlobalOptions global = new GlobalOptions();

        @Option(
                names = "--config",
                paramLabel = "FILE",
                description = "The console's configuration (default: the console of the appliance in --data).")
        private @Nullable Path config;

        @Override
        public Integer call() throws IOException {
            String link = config == null ? ofAppliance() : of(config);
            global.print(new LinkView(link), link);
            return 0;
        }

        private String of(Path file) throws IOException {
            RoleFile.ConsoleSetup setup =
                    RoleFile.console(file, System.getenv()).setup();
            return makeLink(setup.data(), ConsoleServer.url(setup.web(), setup.listen()));
        }

        private String ofAppliance() throws IOException {
            DataDirectory data = DataDirectory.at(global.data());
            if (!Files.exists(data.clientProperties())) {
                throw new CommandFailure(
                        CommandFailure.FAILED,
                        "there is no appliance in " + global.data()
                                + "; name it with --data, or a console with --config");
            }
            ClusterPlan plan = new ClusterPlan(data, data.shape().orElseThrow());
            return makeLink(plan.consoleDirectory(), urlOf(plan));
        }
    }

    private record EnabledView(String door, List<String> done) {}

    private record LinkView(String setup) {}
}
