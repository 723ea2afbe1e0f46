package io.bulwark.console;

import io.bulwark.client.Bulwark;
import java.net.InetSocketAddress;
import java.util.Map;
import org.springframework.boot.Banner;
import org.springframework.boot.SpringApplication;
import org.springframework.boot.SpringBootConfiguration;
import org.springframework.boot.autoconfigure.EnableAutoConfiguration;
import org.springframework.boot.builder.SpringApplicationBuilder;
import org.springframework.context.ConfigurableApplicationContext;
import org.springframework.context.annotation.Import;
import org.springframework.context.support.GenericApplicationContext;

/** The running console. Until there is TLS and sign-in it listens on loopback only. */
public final class ConsoleServer implements AutoCloseable {
    private final ConfigurableApplicationContext context;
    private final InetSocketAddress address;

    private ConsoleServer(ConfigurableApplicationContext context, InetSocketAddress address) {
        this.context = context;
        this.address = address;
    }

    @SpringBootConfiguration
    @EnableAutoConfiguration
    @Import({StatusController.class, ResponseHeaders.class})
    static class Configuration {}

    /**
     * Starts it; returns when it serves.
     *
     * @param client stays the caller's to close
     * @throws IllegalArgumentException if the address is not a loopback address
     */
    public static ConsoleServer start(Bulwark client, InetSocketAddress listen) {
        if (listen.isUnresolved() || !listen.getAddress().isLoopbackAddress()) {
            throw new IllegalArgumentException(
                    "the console has no sign-in yet and listens on loopback only, not on " + listen);
        }
        return startPublished(client, listen);
    }

    /**
     * Starts the console as {@link #start} does, at any address. Something in front of it must admit only those who may
     * see the cluster's status. An example is a port that a container engine publishes on its host's loopback.
     */
    public static ConsoleServer startPublished(Bulwark client, InetSocketAddress listen) {
        SpringApplication application = new SpringApplicationBuilder(Configuration.class)
                .bannerMode(Banner.Mode.OFF)
                .logStartupInfo(false)
                .registerShutdownHook(false)
                .properties(Map.of(
                        "server.address", listen.getAddress().getHostAddress(),
                        "server.port", listen.getPort(),
                        "server.shutdown", "graceful",
                        "spring.main.lazy-initialization", "true",
                        "spring.jmx.enabled", "false",
                        "spring.web.error.include-message", "always"))
                .initializers(context -> ((GenericApplicationContext) context)
                        .registerBean(
                                "bulwark",
                                Bulwark.class,
                                () -> client,
                                definition -> definition.setDestroyMethodName("")))
                .build();
        ConfigurableApplicationContext context = application.run();
        int port = context.getEnvironment().getProperty("local.server.port", Integer.class, listen.getPort());
        return new ConsoleServer(context, new InetSocketAddress(listen.getAddress(), port));
    }

    /** Returns the address on which the server listens. */
    public InetSocketAddress address() {
        return address;
    }

    @Override
    public void close() {
        context.close();
    }
}
