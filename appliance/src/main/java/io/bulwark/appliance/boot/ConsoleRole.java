package io.bulwark.appliance.boot;

import io.bulwark.appliance.admin.MonitoredMember;
import io.bulwark.appliance.cluster.ConsoleDoor;
import io.bulwark.appliance.cluster.RunningNode;
import io.bulwark.client.Bulwark;
import io.bulwark.client.config.ClientConfig;
import io.bulwark.client.error.ConfigException;
import io.bulwark.client.error.Subject;
import io.bulwark.console.ConsoleServer;
import io.bulwark.console.ConsoleSettings;
import io.bulwark.console.Surroundings;
import io.bulwark.console.Traces;
import io.bulwark.transport.Destination;
import io.micrometer.core.instrument.MeterRegistry;
import io.micrometer.observation.ObservationRegistry;
import java.io.IOException;
import java.nio.file.Path;
import java.util.Optional;
import java.util.concurrent.CompletableFuture;
import org.jspecify.annotations.Nullable;

/** {@code bulwark console --config FILE}. */
public final class ConsoleRole {
    private ConsoleRole() {}

    /**
     * Runs until the process is told to end; returns the exit code.
     *
     * @param health the {@link HealthFile} to keep, if given
     */
    public static int run(Path file, @Nullable Path health) throws IOException, InterruptedException {
        RoleFile.Configured<RoleFile.ConsoleSetup> role = RoleFile.console(file, System.getenv());
        RoleFile.ConsoleSetup setup = role.setup();
        ClientConfig config = ClientConfig.load(setup.client());
        ConsoleSettings settings = settings(setup, config);
        if (!settings.isProtected()) {
            throw new ConfigException(
                    file + ": without TLS the console listens on loopback only, not on "
                            + Destination.text(setup.listen())
                            + "; set `certificate`, or `published: true` if a proxy or a container engine decides who"
                            + " reaches it",
                    Subject.NONE);
        }
        DoorConnection connection = new DoorConnection("the console");
        Bulwark client = connection.open(() -> Bulwark.connect(config, observations(settings)));
        ConsoleServer server = ConsoleServer.start(() -> client, settings);
        CompletableFuture<Integer> over = new CompletableFuture<>();
        return RoleProcess.until(
                new RunningConsole(connection, client, server, over), role.admin(), health, RoleProcess.GRACE, over);
    }

    /** Returns the settings of the console that a file configures. */
    public static ConsoleSettings settings(RoleFile.ConsoleSetup setup, ClientConfig config) {
        Optional<Traces> traces = setup.monitoring().traces().map(Traces::to);
        return new ConsoleSettings(
                Destination.resolve(setup.listen()),
                setup.published(),
                setup.data(),
                config.principal(),
                setup.web(),
                new Surroundings(
                        setup.monitoring().prometheus(),
                        Optional.empty(),
                        Optional.empty(),
                        ConsoleDoor.connector(config, setup.data(), traces),
                        traces));
    }

    /** Returns the registry for the client of a console, so that its operations belong to the console's traces. */
    public static ObservationRegistry observations(ConsoleSettings settings) {
        return settings.surroundings().traces().map(Traces::observations).orElse(ObservationRegistry.NOOP);
    }

    /** It does its work if it gets the cluster's status. */
    private record RunningConsole(
            DoorConnection connection,
            Bulwark client,
            ConsoleServer server,
            CompletableFuture<Integer> over,
            MeterRegistry meters)
            implements MonitoredMember {
        private RunningConsole(
                DoorConnection connection, Bulwark client, ConsoleServer server, CompletableFuture<Integer> over) {
            this(connection, client, server, over, RunningNode.metersOf("console"));
            server.meters().bindTo(meters);
        }

        @Override
        public String name() {
            return "console";
        }

        @Override
        public String problem() {
            connection.runOrEnd(client::status, over);
            return "";
        }

        @Override
        public String broken() {
            return "";
        }

        @Override
        public void close() {
            server.close();
            client.close();
        }
    }
}
