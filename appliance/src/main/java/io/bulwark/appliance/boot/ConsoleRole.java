package io.bulwark.appliance.boot;

import io.bulwark.appliance.admin.MonitoredMember;
import io.bulwark.appliance.cluster.ConsoleDoor;
import io.bulwark.appliance.cluster.RunningNode;
import io.bulwark.client.Bulwark;
import io.bulwark.client.config.ClientConfig;
import io.bulwark.client.error.ConfigException;
import io.bulwark.client.error.NotBelievedException;
import io.bulwark.client.error.Subject;
import io.bulwark.client.error.UnavailableException;
import io.bulwark.console.ConsoleServer;
import io.bulwark.console.ConsoleSettings;
import io.bulwark.console.Surroundings;
import io.bulwark.transport.Destination;
import io.micrometer.core.instrument.MeterRegistry;
import java.io.IOException;
import java.net.InetSocketAddress;
import java.nio.file.Path;
import java.util.Optional;
import java.util.concurrent.CompletableFuture;
import java.util.function.Supplier;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/** {@code bulwark console --config FILE}. */
public final class ConsoleRole {
    private static final Logger LOG = LoggerFactory.getLogger(ConsoleRole.class);
    private static final long PAUSE_MILLIS = 5_000;

    private ConsoleRole() {}

    /**
     * Runs until the process is told to end; returns the exit code.
     *
     * @param health the {@link HealthFile} to keep, if given
     */
    public static int run(Path file, @Nullable Path health) throws IOException, InterruptedException {
        RoleFile.Configured<RoleFile.ConsoleSetup> role = RoleFile.console(file, System.getenv());
        RoleFile.ConsoleSetup setup = role.setup();
        InetSocketAddress listen = Destination.resolve(setup.listen());
        ClientConfig config = ClientConfig.load(setup.client());
        ConsoleSettings settings = new ConsoleSettings(
                listen,
                setup.published(),
                setup.data(),
                config.principal(),
                setup.web(),
                new Surroundings(
                        setup.prometheus(),
                        Optional.empty(),
                        Optional.empty(),
                        ConsoleDoor.connector(config, setup.data())));
        if (!settings.isProtected()) {
            throw new ConfigException(
                    file + ": without TLS the console listens on loopback only, not on "
                            + Destination.text(setup.listen())
                            + "; set `certificate`, or `published: true` if a proxy or a container engine decides who"
                            + " reaches it",
                    Subject.NONE);
        }
        Bulwark client = connected(() -> Bulwark.connect(config), PAUSE_MILLIS);
        ConsoleServer server = ConsoleServer.start(client, settings);
        CompletableFuture<Integer> over = new CompletableFuture<>();
        return RoleProcess.until(
                new RunningConsole(client, server, over), role.admin(), health, RoleProcess.GRACE, over);
    }

    /**
     * Connects, and retries until enough replicas answer and accept this client. The console may be started before the
     * replicas. A refused attempt may succeed later, when its key is registered, a clock is set, or an interceptor is
     * gone. An exit code of wrong configuration would keep a supervisor from restarting it. Only revocation is final.
     */
    static <T> T connected(Supplier<T> connecting, long pauseMillis) throws InterruptedException {
        String said = "";
        while (true) {
            try {
                return connecting.get();
            } catch (NotBelievedException | UnavailableException e) {
                if (e instanceof NotBelievedException refused
                        && refused.reason() == NotBelievedException.Reason.REVOKED) {
                    throw e;
                }
                String kind = e instanceof NotBelievedException refused
                        ? refused.reason().name()
                        : "too few replicas answer";
                if (!kind.equals(said)) {
                    said = kind;
                    LOG.warn("the console is not ready, retrying: {}", e.getMessage());
                }
                Thread.sleep(pauseMillis);
            }
        }
    }

    /**
     * Runs a request, and ends the process if the client was revoked meanwhile.
     *
     * @param over completed with the exit code then
     */
    static void runOrEnd(Supplier<?> asking, CompletableFuture<Integer> over) {
        try {
            var _ = asking.get();
        } catch (NotBelievedException e) {
            if (e.reason() == NotBelievedException.Reason.REVOKED) {
                LOG.error("the console stopped: {}", e.getMessage());
                over.complete(RoleProcess.CONFIG);
            }
            throw e;
        }
    }

    /** It does its work if it gets the cluster's status. */
    private record RunningConsole(
            Bulwark client, ConsoleServer server, CompletableFuture<Integer> over, MeterRegistry meters)
            implements MonitoredMember {
        private RunningConsole(Bulwark client, ConsoleServer server, CompletableFuture<Integer> over) {
            this(client, server, over, RunningNode.metersOf("console"));
            server.meters().bindTo(meters);
        }

        @Override
        public String name() {
            return "console";
        }

        @Override
        public String problem() {
            runOrEnd(client::status, over);
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
