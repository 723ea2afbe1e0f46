package io.bulwark.appliance.boot;

import io.bulwark.appliance.cluster.DefaultVolume;
import io.bulwark.client.Bulwark;
import io.bulwark.console.ConsoleServer;
import java.io.IOException;
import java.nio.file.Path;

/** {@code bulwark console --config FILE}. */
public final class ConsoleRole {
    private ConsoleRole() {}

    /** Runs until the process is told to end; returns the exit code. */
    public static int run(Path config) throws IOException, InterruptedException {
        RoleFile.ConsoleSetup setup = RoleFile.console(config);
        Bulwark client = Bulwark.connect(setup.client());
        DefaultVolume.ensure(client);
        ConsoleServer server = ConsoleServer.start(client, setup.listen());
        return Role.until(
                "console at http://" + setup.listen().getAddress().getHostAddress() + ":"
                        + server.address().getPort(),
                () -> {
                    server.close();
                    client.close();
                });
    }
}
