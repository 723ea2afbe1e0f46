package io.bulwark.appliance.boot;

import io.bulwark.appliance.cluster.DefaultVolume;
import io.bulwark.client.Bulwark;
import io.bulwark.console.ConsoleServer;
import java.io.IOException;
import java.net.HttpURLConnection;
import java.net.URI;
import java.nio.file.Path;
import org.jspecify.annotations.Nullable;

/** {@code bulwark console --config FILE}. */
public final class ConsoleRole {
    private static final int HEALTH_MILLIS_MAX = 10_000;

    private ConsoleRole() {}

    /**
     * Runs until the process is told to end; returns the exit code.
     *
     * @param health kept as {@link HealthFile} says, if given
     */
    public static int run(Path config, @Nullable Path health) throws IOException, InterruptedException {
        RoleFile.ConsoleSetup setup = RoleFile.console(config);
        Bulwark client = Bulwark.connect(setup.client());
        DefaultVolume.ensure(client);
        ConsoleServer server = ConsoleServer.start(client, setup.listen());
        String address = "http://" + setup.listen().getAddress().getHostAddress() + ":"
                + server.address().getPort();
        URI status = URI.create(address + "/api/status");
        HealthFile.keep(health, () -> problem(status));
        return Role.until("console at " + address, () -> {
            server.close();
            client.close();
        });
    }

    private static String problem(URI status) throws IOException {
        HttpURLConnection asked = (HttpURLConnection) status.toURL().openConnection();
        asked.setConnectTimeout(HEALTH_MILLIS_MAX);
        asked.setReadTimeout(HEALTH_MILLIS_MAX);
        int code = asked.getResponseCode();
        asked.disconnect();
        return code == HttpURLConnection.HTTP_OK ? "" : status + " answers " + code;
    }
}
