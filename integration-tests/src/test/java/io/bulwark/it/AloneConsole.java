package io.bulwark.it;

import io.bulwark.appliance.boot.ConsoleRole;
import io.bulwark.appliance.boot.RoleFile;
import io.bulwark.appliance.cluster.ConsoleDoor;
import io.bulwark.client.Bulwark;
import io.bulwark.client.config.ClientConfig;
import io.bulwark.console.ConsoleServer;
import io.bulwark.console.ConsoleSettings;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;

/** A console in this process as {@code bulwark console --config} has it, with accounts of its own. */
final class AloneConsole implements AutoCloseable {
    private final Bulwark client;
    private final ConsoleServer server;

    /**
     * Starts it.
     *
     * @param directory of its files
     * @param lines for its section of the configuration
     */
    AloneConsole(LiveCluster cluster, Path directory, String... lines) throws IOException {
        cluster.plan().consoleClient().store(directory.resolve("client.properties"));
        Path file = Files.writeString(
                directory.resolve("console.yaml"),
                """
                bulwark:
                  console:
                    listen: 127.0.0.1:0
                    client: client.properties
                    data: %s
                """.formatted(Files.createTempDirectory(directory, "console"))
                        + String.join("\n", List.of(lines)).indent(4));
        RoleFile.ConsoleSetup setup = RoleFile.console(file);
        ClientConfig config = ClientConfig.load(setup.client());
        ConsoleDoor.enable(cluster.client(), config.principal());
        ConsoleSettings settings = ConsoleRole.settings(setup, config);
        client = Bulwark.connect(config, ConsoleRole.observations(settings));
        server = ConsoleServer.start(() -> client, settings);
    }

    /** Makes the first account. */
    ConsoleUser user() throws IOException, InterruptedException {
        return ConsoleUser.setUp(server.setupUrl().orElseThrow());
    }

    @Override
    public void close() {
        server.close();
        client.close();
    }
}
