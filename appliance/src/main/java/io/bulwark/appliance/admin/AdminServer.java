package io.bulwark.appliance.admin;

import com.sun.net.httpserver.HttpExchange;
import com.sun.net.httpserver.HttpServer;
import io.micrometer.core.instrument.MeterRegistry;
import java.io.IOException;
import java.net.InetSocketAddress;
import java.nio.charset.StandardCharsets;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.TreeMap;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.function.Supplier;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;
import tools.jackson.databind.json.JsonMapper;

/**
 * Health and metrics over HTTP, read-only (GET), under the paths of Spring Boot's actuator, where its tools expect
 * them:
 *
 * <pre>
 * /actuator/health/liveness    503 if only a restart can help a member
 * /actuator/health/readiness   503 if a member does not do its work now
 * /actuator/health             both
 * /actuator/prometheus         the metrics
 * </pre>
 *
 * There is no login: it belongs on loopback, or on a network that only operators reach.
 */
public final class AdminServer implements AutoCloseable {
    private static final Logger LOG = LoggerFactory.getLogger(AdminServer.class);
    private static final JsonMapper JSON = JsonMapper.builder().build();
    private static final String JSON_TYPE = "application/json";
    private static final Set<String> LOOPBACK_NAMES = Set.of("127.0.0.1", "localhost", "[::1]");
    private static final int OK = 200;
    private static final int NOT_FOUND = 404;
    private static final int METHOD_NOT_ALLOWED = 405;
    private static final int MISDIRECTED = 421;
    private static final int UNAVAILABLE = 503;

    static {
        // Bounds of the JDK's server, which has none of its own: connections, and seconds for a request and an answer.
        System.setProperty("jdk.httpserver.maxConnections", System.getProperty("jdk.httpserver.maxConnections", "64"));
        System.setProperty("sun.net.httpserver.maxReqTime", System.getProperty("sun.net.httpserver.maxReqTime", "10"));
        System.setProperty("sun.net.httpserver.maxRspTime", System.getProperty("sun.net.httpserver.maxRspTime", "20"));
    }

    private final HealthWatch health;
    private final Supplier<List<MonitoredMember>> members;
    private final ProcessMeters own;
    private final HttpServer server;
    private final ExecutorService requests = Executors.newVirtualThreadPerTaskExecutor();

    private AdminServer(
            String process, InetSocketAddress listen, HealthWatch health, Supplier<List<MonitoredMember>> members)
            throws IOException {
        this.health = health;
        this.members = members;
        try {
            server = HttpServer.create(listen, 16);
        } catch (IOException e) {
            throw new IOException("the admin endpoint cannot listen at " + listen + ": " + e.getMessage(), e);
        }
        own = new ProcessMeters(process);
        server.setExecutor(requests);
        server.createContext("/", this::answer);
    }

    /**
     * Starts it.
     *
     * @param process the name of this process, for its own meters
     * @throws IOException if the address cannot be bound
     */
    public static AdminServer start(
            String process, InetSocketAddress listen, HealthWatch health, Supplier<List<MonitoredMember>> members)
            throws IOException {
        AdminServer started = new AdminServer(process, listen, health, members);
        started.server.start();
        LOG.info("health and meters of {} at {}", process, started.address());
        return started;
    }

    /** Returns the address on which the server listens, with the actual port. */
    public InetSocketAddress address() {
        return server.getAddress();
    }

    @Override
    public void close() {
        server.stop(0);
        requests.close();
        own.close();
    }

    private void answer(HttpExchange exchange) throws IOException {
        try (exchange) {
            if (!isForHere(exchange)) {
                send(exchange, MISDIRECTED, "text/plain", "ask for 127.0.0.1 or localhost\n");
            } else if (!Set.of("GET", "HEAD").contains(exchange.getRequestMethod())) {
                exchange.getResponseHeaders().set("Allow", "GET, HEAD");
                send(exchange, METHOD_NOT_ALLOWED, "text/plain", "only GET\n");
            } else {
                answer(exchange, exchange.getRequestURI().getPath());
            }
        } catch (RuntimeException e) {
            LOG.warn("a request for {} failed", exchange.getRequestURI(), e);
            throw e;
        }
    }

    private void answer(HttpExchange exchange, String path) throws IOException {
        switch (path) {
            case "/actuator/health/liveness" -> sendHealth(exchange, health.broken());
            case "/actuator/health/readiness" -> sendHealth(exchange, health.problems());
            case "/actuator/health" -> {
                Map<String, String> all = new TreeMap<>(health.problems());
                all.putAll(health.broken());
                sendHealth(exchange, all);
            }
            case "/actuator/prometheus" -> {
                List<MeterRegistry> registries = new ArrayList<>(List.of(own.registry()));
                members.get().forEach(member -> registries.add(member.meters()));
                send(exchange, OK, PrometheusText.CONTENT_TYPE, PrometheusText.of(registries));
            }
            default -> send(exchange, NOT_FOUND, "text/plain", "there is /actuator/health and /actuator/prometheus\n");
        }
    }

    private static void sendHealth(HttpExchange exchange, Map<String, String> problems) throws IOException {
        Map<String, Object> body = new LinkedHashMap<>();
        body.put("status", problems.isEmpty() ? "UP" : "DOWN");
        if (!problems.isEmpty()) {
            body.put("problems", problems);
        }
        send(exchange, problems.isEmpty() ? OK : UNAVAILABLE, JSON_TYPE, JSON.writeValueAsString(body) + "\n");
    }

    /** On loopback a page from elsewhere may have renamed this address to its own (DNS rebinding): it learns nothing. */
    private static boolean isForHere(HttpExchange exchange) {
        if (!exchange.getLocalAddress().getAddress().isLoopbackAddress()) {
            return true;
        }
        String host = exchange.getRequestHeaders().getFirst("Host");
        return host != null && LOOPBACK_NAMES.contains(host.replaceFirst(":[0-9]+$", ""));
    }

    private static void send(HttpExchange exchange, int code, String type, String text) throws IOException {
        byte[] body = text.getBytes(StandardCharsets.UTF_8);
        exchange.getResponseHeaders().set("Content-Type", type);
        exchange.getResponseHeaders().set("Cache-Control", "no-store");
        if (exchange.getRequestMethod().equals("HEAD")) {
            exchange.sendResponseHeaders(code, -1);
            return;
        }
        exchange.sendResponseHeaders(code, body.length);
        exchange.getResponseBody().write(body);
    }
}
