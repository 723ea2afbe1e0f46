package io.bulwark.appliance.cli;

import io.bulwark.appliance.cluster.DataDirectory;
import io.bulwark.appliance.control.ControlSocket;
import io.bulwark.client.Bulwark;
import io.bulwark.client.config.ClientConfig;
import io.bulwark.client.error.UnavailableException;
import java.nio.file.Files;
import java.nio.file.Path;
import org.jspecify.annotations.Nullable;
import picocli.CommandLine.Mixin;
import picocli.CommandLine.Option;

/** What every command takes that reads or writes through the SDK. */
final class ClusterAccess {
    @Mixin
    private final GlobalOptions global = new GlobalOptions();

    @Option(
            names = "--client",
            paramLabel = "FILE",
            description = "How to reach the cluster (default: client.properties in the data directory).")
    private @Nullable Path client;

    GlobalOptions global() {
        return global;
    }

    /** Connects, or fails with what to do: at once where nobody listens. */
    Bulwark connect() {
        Path file = client == null ? DataDirectory.clientProperties(global.data()) : client;
        if (!Files.exists(file)) {
            throw new CommandFailure(
                    CommandFailure.UNAVAILABLE,
                    "there is no " + file + "; start an appliance with `" + global.upCommand()
                            + "`, or name one with --data or --client");
        }
        ClientConfig config = ClientConfig.load(file);
        Outage outage = new Outage(config);
        boolean served = client == null && ControlSocket.isServed(global.data());
        if (!served && outage.total()) {
            throw unavailable(outage, false, "");
        }
        try {
            return Bulwark.connect(config);
        } catch (UnavailableException e) {
            throw unavailable(outage, served, String.valueOf(e.getMessage()));
        }
    }

    private CommandFailure unavailable(Outage outage, boolean served, String cause) {
        return new CommandFailure(
                CommandFailure.UNAVAILABLE,
                (client == null ? global.data() : client) + ": " + outage.explained(served, global.upCommand(), cause));
    }
}
