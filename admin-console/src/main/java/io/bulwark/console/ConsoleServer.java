package io.bulwark.console;

import io.bulwark.client.Bulwark;
import io.bulwark.console.live.ClusterMeters;
import io.micrometer.core.instrument.binder.MeterBinder;
import java.net.InetSocketAddress;
import java.util.Map;
import org.springframework.boot.Banner;
import org.springframework.boot.SpringBootConfiguration;
import org.springframework.boot.WebApplicationType;
import org.springframework.boot.autoconfigure.EnableAutoConfiguration;
import org.springframework.boot.builder.SpringApplicationBuilder;
import org.springframework.context.ConfigurableApplicationContext;
import org.springframework.context.annotation.ComponentScan;
import org.springframework.context.support.GenericApplicationContext;

/** The running console. */
public final class ConsoleServer implements AutoCloseable {
    private final ConfigurableApplicationContext context;
    private final InetSocketAddress address;
    private final MeterBinder meters;

    private ConsoleServer(ConfigurableApplicationContext context, InetSocketAddress address) {
        this.context = context;
        this.address = address;
        meters = context.getBean(ClusterMeters.class);
    }

    @SpringBootConfiguration
    @EnableAutoConfiguration
    @ComponentScan
    static class Configuration {}

    /**
     * Starts a console; returns when it serves.
     *
     * @param door the client as which the console reaches the cluster; stays the caller's to close
     * @throws IllegalArgumentException if the address is not a loopback address and nothing protects it
     */
    public static ConsoleServer start(Bulwark door, ConsoleSettings settings) {
        InetSocketAddress listen = settings.listen();
        if (listen.isUnresolved()
                || !(settings.published() || listen.getAddress().isLoopbackAddress())) {
            throw new IllegalArgumentException("the console listens on loopback only, not on " + listen);
        }
        ConfigurableApplicationContext context = new SpringApplicationBuilder(Configuration.class)
                .web(WebApplicationType.SERVLET)
                .bannerMode(Banner.Mode.OFF)
                .logStartupInfo(false)
                .registerShutdownHook(false)
                .properties(Map.ofEntries(
                        Map.entry("server.address", listen.getAddress().getHostAddress()),
                        Map.entry("server.port", listen.getPort()),
                        Map.entry("server.shutdown", "graceful"),
                        Map.entry("spring.main.lazy-initialization", "true"),
                        Map.entry("spring.jmx.enabled", "false"),
                        Map.entry("spring.threads.virtual.enabled", "true"),
                        Map.entry("spring.mvc.problemdetails.enabled", "true"),
                        Map.entry("spring.servlet.multipart.enabled", "false"),
                        Map.entry("spring.thymeleaf.check-template-location", "false"),
                        Map.entry("management.endpoints.web.exposure.include", "none"),
                        Map.entry("springdoc.swagger-ui.enabled", "false"),
                        Map.entry("springdoc.api-docs.path", "/api/v1/openapi"),
                        Map.entry("springdoc.packages-to-scan", "io.bulwark.console"),
                        Map.entry("springdoc.paths-to-match", "/api/v1/**")))
                .initializers(created -> {
                    GenericApplicationContext beans = (GenericApplicationContext) created;
                    beans.registerBean(
                            "door", Bulwark.class, () -> door, definition -> definition.setDestroyMethodName(""));
                    beans.registerBean(ConsoleSettings.class, () -> settings);
                    beans.registerBean(Surroundings.class, settings::surroundings);
                })
                .run();
        int port = context.getEnvironment().getProperty("local.server.port", Integer.class, listen.getPort());
        return new ConsoleServer(context, new InetSocketAddress(listen.getAddress(), port));
    }

    /** Returns the address on which the server listens. */
    public InetSocketAddress address() {
        return address;
    }

    /** Returns the meters of the cluster as a whole, for a registry of the caller's. */
    public MeterBinder meters() {
        return meters;
    }

    @Override
    public void close() {
        context.close();
    }
}
