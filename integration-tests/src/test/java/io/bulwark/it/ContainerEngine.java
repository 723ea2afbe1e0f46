package io.bulwark.it;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.ByteArrayOutputStream;
import java.io.IOException;
import java.net.InetSocketAddress;
import java.net.SocketAddress;
import java.net.URI;
import java.net.URLEncoder;
import java.net.UnixDomainSocketAddress;
import java.nio.ByteBuffer;
import java.nio.channels.SocketChannel;
import java.nio.charset.StandardCharsets;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.TreeMap;
import org.jspecify.annotations.NullMarked;
import tools.jackson.databind.JsonNode;
import tools.jackson.databind.json.JsonMapper;
import tools.jackson.databind.node.MissingNode;

/** The engine's own API, for what docker-compose does not do. */
@NullMarked
final class ContainerEngine {
    private static final JsonMapper JSON = JsonMapper.builder().build();
    private static final String LABEL = "com.docker.compose.";

    private ContainerEngine() {}

    /** Returns the addresses of a project's running containers in a network, by their services. */
    static Map<String, String> addresses(String project, String network) throws IOException {
        Map<String, String> found = new TreeMap<>();
        for (JsonNode container : containers(project, false)) {
            String address = container
                    .path("NetworkSettings")
                    .path("Networks")
                    .path(network)
                    .path("IPAddress")
                    .asString("");
            if (!address.isEmpty() && isOfService(container)) {
                found.put(label(container, "service"), address);
            }
        }
        return found;
    }

    /**
     * Returns the health of a service's container: {@code starting}, {@code healthy}, {@code unhealthy}; empty if it
     * does not run.
     */
    static String health(String project, String service) throws IOException {
        return inspect(project, service)
                .path("State")
                .path("Health")
                .path("Status")
                .asString("");
    }

    /** Returns the engine's description of a service's container; a missing node if it does not run. */
    static JsonNode inspect(String project, String service) throws IOException {
        for (JsonNode container : containers(project, false)) {
            if (isOfService(container) && label(container, "service").equals(service)) {
                String id = container.path("Id").asString("");
                return JSON.readTree(request("GET", "/containers/" + id + "/json", ""));
            }
        }
        return MissingNode.getInstance();
    }

    /** Such that several can run on one machine. */
    static boolean isPodman() throws IOException {
        return request("GET", "/version", "").contains("Podman");
    }

    /**
     * Returns the kernel's memory limit of a service's container, in bytes; the container's own settings may state
     * more.
     */
    static long memoryLimit(String project, String service) throws IOException {
        String id = inspect(project, service).path("Id").asString("");
        return JSON.readTree(request("GET", "/containers/" + id + "/stats?stream=false", ""))
                .path("memory_stats")
                .path("limit")
                .asLong(0);
    }

    /** Not one that was made for a command. */
    private static boolean isOfService(JsonNode container) {
        return label(container, "oneoff").equals("False");
    }

    private static String label(JsonNode container, String name) {
        return container.path("Labels").path(LABEL + name).asString("");
    }

    /** The containers, volumes and networks that a project has. */
    static List<String> all(String project) throws IOException {
        List<String> found = new ArrayList<>();
        containers(project, true)
                .forEach(container ->
                        found.add("container " + container.path("Names").path(0).asString("")));
        JSON.readTree(request("GET", "/volumes?filters=" + ofProject(project), ""))
                .path("Volumes")
                .forEach(volume -> found.add("volume " + volume.path("Name").asString("")));
        JSON.readTree(request("GET", "/networks?filters=" + ofProject(project), ""))
                .forEach(network -> found.add("network " + network.path("Name").asString("")));
        return found;
    }

    /** It is lost with all that is in it; no container has it. */
    static void removeVolume(String volume) throws IOException {
        request("DELETE", "/volumes/" + volume, "");
    }

    static void post(String path, String body) throws IOException {
        request("POST", path, body);
    }

    private static JsonNode containers(String project, boolean stoppedToo) throws IOException {
        return JSON.readTree(
                request("GET", "/containers/json?all=" + stoppedToo + "&filters=" + ofProject(project), ""));
    }

    private static String ofProject(String project) {
        return URLEncoder.encode("{\"label\":[\"" + LABEL + "project=" + project + "\"]}", StandardCharsets.US_ASCII);
    }

    /** Asks, and it must succeed; returns the answer's body, which under HTTP 1.0 comes in one piece. */
    private static String request(String method, String path, String body) throws IOException {
        String request =
                method + " " + path + " HTTP/1.0\r\nHost: engine\r\nContent-Type: application/json\r\nContent-Length: "
                        + body.length() + "\r\n\r\n" + body;
        ByteArrayOutputStream answer = new ByteArrayOutputStream();
        try (SocketChannel engine = SocketChannel.open(engine())) {
            ByteBuffer out = ByteBuffer.wrap(request.getBytes(StandardCharsets.US_ASCII));
            while (out.hasRemaining()) {
                engine.write(out);
            }
            ByteBuffer in = ByteBuffer.allocate(4096);
            while (engine.read(in.clear()) >= 0) {
                answer.write(in.array(), 0, in.position());
            }
        }
        String told = answer.toString(StandardCharsets.UTF_8);
        assertThat(told).as("%s %s %s", method, path, body).matches("(?s)HTTP/1\\.[01] 20[0-9] .*");
        return told.substring(told.indexOf("\r\n\r\n") + 4);
    }

    private static SocketAddress engine() {
        String given = System.getenv("DOCKER_HOST");
        URI host = URI.create(given == null ? "unix:///var/run/docker.sock" : given);
        return "unix".equals(host.getScheme())
                ? UnixDomainSocketAddress.of(host.getPath())
                : new InetSocketAddress(host.getHost(), host.getPort());
    }
}
