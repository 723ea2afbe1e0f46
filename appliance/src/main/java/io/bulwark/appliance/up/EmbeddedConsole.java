package io.bulwark.appliance.up;

import io.bulwark.appliance.cluster.ClusterPlan;
import io.bulwark.appliance.cluster.ConsoleDoor;
import io.bulwark.client.Bulwark;
import io.bulwark.client.error.BulwarkException;
import io.bulwark.console.ConsoleServer;
import io.bulwark.console.ConsoleSettings;
import io.bulwark.console.Surroundings;
import io.micrometer.core.instrument.binder.MeterBinder;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.attribute.PosixFilePermissions;
import java.util.Optional;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.atomic.AtomicReference;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/** The console of an appliance, with a client of its own: it has no rights but those of the people for whom it acts. */
final class EmbeddedConsole implements AutoCloseable {
    private static final Logger LOG = LoggerFactory.getLogger(EmbeddedConsole.class);

    private final AtomicReference<@Nullable Bulwark> door;
    private final ConsoleServer server;

    private EmbeddedConsole(AtomicReference<@Nullable Bulwark> door, ConsoleServer server) {
        this.door = door;
        this.server = server;
    }

    /**
     * Starts it, and waits for the operator's client only where it needs the cluster. At the first start the operator lets it act
     * for people; later {@code bulwark console enable} does, so that a withdrawn grant stays withdrawn.
     */
    static EmbeddedConsole start(ClusterPlan plan, CompletableFuture<Bulwark> operator, Surroundings surroundings) {
        AtomicReference<@Nullable Bulwark> door = new AtomicReference<>();
        try {
            ConsoleServer server = ConsoleServer.start(
                    () -> {
                        enable(plan, operator.join());
                        Bulwark connected = Bulwark.connect(plan.consoleClient());
                        door.set(connected);
                        return connected;
                    },
                    new ConsoleSettings(
                            plan.consoleAddress(),
                            false,
                            plan.consoleDirectory(),
                            plan.consoleClient().principal(),
                            ConsoleSettings.Web.PLAIN,
                            surroundings));
            return new EmbeddedConsole(door, server);
        } catch (RuntimeException e) {
            close(door);
            throw e;
        }
    }

    private static void enable(ClusterPlan plan, Bulwark operator) {
        Path directory = plan.consoleDirectory();
        Path enabled = directory.resolve("enabled");
        if (Files.exists(enabled)) {
            return;
        }
        try {
            ConsoleDoor.enable(operator, plan.consoleClient().principal());
            Files.createDirectories(
                    directory, PosixFilePermissions.asFileAttribute(PosixFilePermissions.fromString("rwx------")));
            Files.createFile(enabled);
        } catch (BulwarkException e) {
            LOG.warn("the console may not act for people: {}; see `bulwark console enable`", e.getMessage());
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
    }

    /** Returns the link with which the first administrator sets up an account; empty if one has. */
    Optional<String> setupUrl() {
        return server.setupUrl();
    }

    /** Returns what the console knows of the cluster and no member does. */
    MeterBinder meters() {
        return server.meters();
    }

    @Override
    public void close() {
        server.close();
        close(door);
    }

    private static void close(AtomicReference<@Nullable Bulwark> door) {
        Bulwark connected = door.getAndSet(null);
        if (connected != null) {
            connected.close();
        }
    }
}
