package io.bulwark.console;

import io.bulwark.client.Bulwark;
import io.bulwark.console.live.ChangeLog;
import io.bulwark.console.live.History;
import io.bulwark.console.live.Outages;
import io.bulwark.protocol.id.PrincipalId;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.nio.file.Path;
import java.util.Optional;
import org.springframework.test.web.servlet.MockMvc;

/** A console over a simulated cluster, with all pages about the cluster itself. */
public final class ClusterPages {
    private ClusterPages() {}

    /** Makes the console, with a fault panel if one is given. */
    public static MockMvc of(FakeCluster cluster, Optional<FaultPanel> faults) {
        Bulwark client = cluster.client();
        Surroundings surroundings =
                new Surroundings(Optional.empty(), faults, Optional.empty(), Optional.empty(), Optional.empty());
        return ConsoleFixture.of(
                client,
                context -> {
                    context.registerBean(Bulwark.class, () -> client);
                    context.registerBean(History.class);
                    context.registerBean(ChangeLog.class);
                    context.registerBean(Outages.class);
                    context.registerBean(Surroundings.class, () -> surroundings);
                    context.registerBean(
                            ConsoleSettings.class,
                            () -> new ConsoleSettings(
                                    new InetSocketAddress(InetAddress.getLoopbackAddress(), 7400),
                                    false,
                                    Path.of(""),
                                    PrincipalId.client(1),
                                    ConsoleSettings.Web.PLAIN,
                                    surroundings));
                },
                "dashboard",
                "topology",
                "node",
                "replica",
                "release");
    }
}
