package io.bulwark.it;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.ByteArrayOutputStream;
import java.io.IOException;
import java.net.InetSocketAddress;
import java.net.SocketAddress;
import java.net.URI;
import java.net.UnixDomainSocketAddress;
import java.nio.ByteBuffer;
import java.nio.channels.SocketChannel;
import java.nio.charset.StandardCharsets;
import org.jspecify.annotations.NullMarked;

/** A network of containers, from which some are cut off: {@code docker network disconnect} and {@code connect}, by the engine's own API. */
@NullMarked
final class ContainerNetwork {
    private final String name;

    ContainerNetwork(String name) {
        this.name = name;
    }

    void disconnect(String container) throws IOException {
        post("disconnect", "{\"Container\":\"" + container + "\"}");
    }

    /** @param alias the name under which the others find it */
    void connect(String container, String alias) throws IOException {
        post("connect", "{\"Container\":\"" + container + "\",\"EndpointConfig\":{\"Aliases\":[\"" + alias + "\"]}}");
    }

    private void post(String what, String body) throws IOException {
        String request = "POST /networks/" + name + "/" + what + " HTTP/1.1\r\nHost: engine\r\nConnection: close\r\n"
                + "Content-Type: application/json\r\nContent-Length: " + body.length() + "\r\n\r\n" + body;
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
        assertThat(told).as("%s %s", what, body).startsWith("HTTP/1.1 200");
    }

    private static SocketAddress engine() {
        String given = System.getenv("DOCKER_HOST");
        URI host = URI.create(given == null ? "unix:///var/run/docker.sock" : given);
        return "unix".equals(host.getScheme())
                ? UnixDomainSocketAddress.of(host.getPath())
                : new InetSocketAddress(host.getHost(), host.getPort());
    }
}
