package io.bulwark.appliance.cli;

import io.bulwark.appliance.cluster.DataDirectory;
import io.bulwark.client.Bulwark;
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

    /** Connects, or fails with what to do. */
    Bulwark connect() {
        Path file = client == null ? DataDirectory.clientProperties(global.data()) : client;
        if (!Files.exists(file)) {
            throw new CommandFailure(
                    CommandFailure.UNAVAILABLE,
                    "there is no " + file
                            + "; start an appliance with `bulwark up`, or name one with --data or --client");
        }
        return Bulwark.connect(file);
    }
}
