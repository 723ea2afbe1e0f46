package io.bulwark.console;

import io.bulwark.client.Bulwark;
import io.bulwark.console.access.CookieNames;
import io.bulwark.console.account.Accounts;
import io.bulwark.console.account.SetupLink;
import io.bulwark.console.live.ClusterMeters;
import io.bulwark.transport.Destination;
import io.micrometer.core.instrument.binder.MeterBinder;
import io.micrometer.observation.ObservationRegistry;
import java.net.InetSocketAddress;
import java.time.Clock;
import java.util.HashMap;
import java.util.Map;
import java.util.Optional;
import java.util.function.Supplier;
import java.util.stream.Collectors;
import java.util.stream.Stream;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;
import org.springframework.boot.Banner;
import org.springframework.boot.SpringBootConfiguration;
import org.springframework.boot.WebApplicationType;
import org.springframework.boot.autoconfigure.EnableAutoConfiguration;
import org.springframework.boot.builder.SpringApplicationBuilder;
import org.springframework.boot.micrometer.tracing.autoconfigure.MicrometerTracingAutoConfiguration;
import org.springframework.boot.micrometer.tracing.opentelemetry.autoconfigure.OpenTelemetryTracingAutoConfiguration;
import org.springframework.boot.micrometer.tracing.opentelemetry.autoconfigure.otlp.OtlpTracingAutoConfiguration;
import org.springframework.boot.opentelemetry.autoconfigure.OpenTelemetrySdkAutoConfiguration;
import org.springframework.context.ConfigurableApplicationContext;
import org.springframework.context.annotation.ComponentScan;
import org.springframework.context.support.GenericApplicationContext;
import org.springframework.security.config.observation.SecurityObservationSettings;

/** The running console. */
public final class ConsoleServer implements AutoCloseable {
    private static final Logger LOG = LoggerFactory.getLogger(ConsoleServer.class);

    private final ConfigurableApplicationContext context;
    private final ConsoleSettings settings;
    private final InetSocketAddress address;
    private final Optional<String> setupUrl;
    private final MeterBinder meters;

    private ConsoleServer(ConfigurableApplicationContext context, ConsoleSettings settings, InetSocketAddress address) {
        this.context = context;
        this.settings = settings;
        this.address = address;
        this.setupUrl = setupLink();
        meters = context.getBean(ClusterMeters.class);
    }

    @SpringBootConfiguration
    @EnableAutoConfiguration
    @ComponentScan
    static class Configuration {}

    /**
     * Starts a console; returns when it serves. Without an administrator's account it makes a set-up link.
     *
     * @param door supplies the client as which the console reaches the cluster, once the rest is prepared; it stays the caller's
     *     to close
     * @throws IllegalArgumentException if the address is not a loopback address and nothing protects it
     */
    public static ConsoleServer start(Supplier<Bulwark> door, ConsoleSettings settings) {
        InetSocketAddress listen = settings.listen();
        if (!settings.isProtected()) {
            throw new IllegalArgumentException("without TLS the console listens on loopback only, not on " + listen);
        }
        ConfigurableApplicationContext context = new SpringApplicationBuilder(Configuration.class)
                .web(WebApplicationType.SERVLET)
                .bannerMode(Banner.Mode.OFF)
                .logStartupInfo(false)
                .registerShutdownHook(false)
                .properties(properties(settings))
                .initializers(created -> {
                    GenericApplicationContext beans = (GenericApplicationContext) created;
                    beans.registerBean(
                            "bulwark", Bulwark.class, door, definition -> definition.setDestroyMethodName(""));
                    beans.registerBean(ConsoleSettings.class, () -> settings);
                    beans.registerBean(Surroundings.class, settings::surroundings);
                    // A span for each filter of each request says nothing about the cluster.
                    beans.registerBean(SecurityObservationSettings.class, SecurityObservationSettings::noObservations);
                    settings.surroundings()
                            .traces()
                            .ifPresent(traces -> beans.registerBean(ObservationRegistry.class, traces::observations));
                })
                .run();
        int port = context.getEnvironment().getProperty("local.server.port", Integer.class, listen.getPort());
        ConsoleServer server = new ConsoleServer(context, settings, new InetSocketAddress(listen.getAddress(), port));
        // Whoever reads logs must not become the administrator, so that they have no link.
        server.setupUrl()
                .ifPresent(_ -> LOG.info(
                        "no administrator has an account; `bulwark console setup-link` makes a link to set one up"));
        return server;
    }

    private static Map<String, Object> properties(ConsoleSettings settings) {
        Map<String, Object> properties = new HashMap<>();
        properties.put("server.address", settings.listen().getAddress().getHostAddress());
        properties.put("server.port", settings.listen().getPort());
        // In Kubernetes the default believes addresses that requests claim: each would count as another for the
        // lock-out.
        properties.put("server.forward-headers-strategy", "none");
        properties.put("server.shutdown", "graceful");
        properties.put("server.servlet.session.timeout", "30m");
        properties.put("server.servlet.session.tracking-modes", "cookie");
        properties.put("server.servlet.session.cookie.name", CookieNames.of("session", settings));
        properties.put("server.servlet.session.cookie.http-only", "true");
        // A provider sends people back by a link from its site, with which browsers send no strict cookie.
        properties.put(
                "server.servlet.session.cookie.same-site", settings.web().oidc().isPresent() ? "lax" : "strict");
        properties.put("server.servlet.session.cookie.secure", settings.isSecure());
        properties.put("spring.main.lazy-initialization", "true");
        properties.put("spring.jmx.enabled", "false");
        properties.put("spring.threads.virtual.enabled", "true");
        properties.put("spring.mvc.problemdetails.enabled", "true");
        properties.put("spring.servlet.multipart.enabled", "false");
        // The body of a put is the object, whatever its media type.
        properties.put("spring.mvc.formcontent.filter.enabled", "false");
        properties.put("spring.thymeleaf.check-template-location", "false");
        properties.put("management.endpoints.web.exposure.include", "none");
        properties.put("springdoc.swagger-ui.enabled", "false");
        properties.put("springdoc.api-docs.path", "/api/v1/openapi");
        properties.put("springdoc.packages-to-scan", "io.bulwark.console");
        properties.put("springdoc.paths-to-match", "/api/v1/**");
        settings.web().tls().ifPresent(tls -> {
            properties.put("server.ssl.bundle", "console");
            properties.put("spring.ssl.bundle.pem.console.keystore.certificate", "file:" + tls.certificate());
            properties.put("spring.ssl.bundle.pem.console.keystore.private-key", "file:" + tls.key());
        });
        settings.surroundings()
                .traces()
                .ifPresentOrElse(traces -> export(traces, properties), () -> exportNothing(properties));
        return properties;
    }

    private static void export(Traces traces, Map<String, Object> properties) {
        properties.put("spring.application.name", "bulwark-console");
        properties.put(
                "management.opentelemetry.tracing.export.otlp.endpoint",
                traces.collector().toString());
        properties.put("management.tracing.sampling.probability", "1.0");
        properties.put("management.tracing.baggage.enabled", "false");
    }

    /** Leaves out what exports, whatever the environment of the process asks for. */
    private static void exportNothing(Map<String, Object> properties) {
        properties.put("management.tracing.export.enabled", "false");
        properties.put(
                "spring.autoconfigure.exclude",
                Stream.of(
                                OpenTelemetrySdkAutoConfiguration.class,
                                OpenTelemetryTracingAutoConfiguration.class,
                                OtlpTracingAutoConfiguration.class,
                                MicrometerTracingAutoConfiguration.class)
                        .map(Class::getName)
                        .collect(Collectors.joining(",")));
    }

    /** Returns the URL that people open. */
    public static String url(ConsoleSettings.Web web, InetSocketAddress address) {
        return web.url()
                .map(url -> url.toString().replaceAll("/+$", ""))
                .orElseGet(() -> (web.tls().isPresent() ? "https://" : "http://") + Destination.text(address));
    }

    /** Returns the URL of a one-time set-up link. */
    public static String setupUrl(String url, String token) {
        return url + "/setup?token=" + token;
    }

    /** Makes a one-time link to set up the first administrator's account; empty if there is one. */
    private Optional<String> setupLink() {
        if (new Accounts(settings.directory(), Clock.systemUTC()).hasAdministrator()) {
            return Optional.empty();
        }
        String token = new SetupLink(settings.directory(), Clock.systemUTC()).make();
        return Optional.of(setupUrl(url(settings.web(), address), token));
    }

    /** Returns the set-up link that this start has made; empty if an administrator has an account. */
    public Optional<String> setupUrl() {
        return setupUrl;
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
