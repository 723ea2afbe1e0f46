package io.bulwark.it;

import com.sun.net.httpserver.HttpExchange;
import com.sun.net.httpserver.HttpServer;
import io.bulwark.protocol.wire.Bytes;
import java.io.IOException;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.net.URI;
import java.nio.charset.StandardCharsets;
import java.util.ArrayList;
import java.util.HexFormat;
import java.util.List;
import java.util.Optional;
import java.util.concurrent.CopyOnWriteArrayList;
import java.util.concurrent.atomic.AtomicInteger;

/** Collector of OpenTelemetry that keeps the spans it is sent: OTLP over HTTP, in protobuf. */
final class SpanCollector implements AutoCloseable {
    private static final String PATH = "/v1/traces";

    private final HttpServer server;
    private final List<Span> spans = new CopyOnWriteArrayList<>();
    private final AtomicInteger requests = new AtomicInteger();

    /**
     * A span.
     *
     * @param parent id of its parent; empty if it has none
     */
    record Span(String trace, String id, String parent, String name) {}

    SpanCollector() throws IOException {
        server = HttpServer.create(new InetSocketAddress(InetAddress.getLoopbackAddress(), 0), 0);
        server.createContext("/", this::handle);
        server.start();
    }

    URI url() {
        return URI.create("http://127.0.0.1:" + server.getAddress().getPort() + PATH);
    }

    int requests() {
        return requests.get();
    }

    List<Span> spans() {
        return spans;
    }

    Optional<Span> parentOf(Span span) {
        return spans.stream().filter(each -> each.id().equals(span.parent())).findFirst();
    }

    private void handle(HttpExchange exchange) throws IOException {
        requests.incrementAndGet();
        byte[] body = exchange.getRequestBody().readAllBytes();
        if (exchange.getRequestURI().getPath().equals(PATH)) {
            for (Bytes resource : parts(Bytes.of(body), 1)) {
                for (Bytes scope : parts(resource, 2)) {
                    parts(scope, 2).forEach(span -> spans.add(spanOf(span)));
                }
            }
        }
        exchange.sendResponseHeaders(200, -1);
        exchange.close();
    }

    private static Span spanOf(Bytes span) {
        return new Span(hex(span, 1), hex(span, 2), hex(span, 4), text(span, 5));
    }

    private static String hex(Bytes message, int field) {
        return parts(message, field).stream()
                .findFirst()
                .map(part -> HexFormat.of().formatHex(part.toByteArray()))
                .orElse("");
    }

    private static String text(Bytes message, int field) {
        return new String(parts(message, field).getFirst().toByteArray(), StandardCharsets.UTF_8);
    }

    /** Returns the fields of a protobuf message that have this number and a length. */
    private static List<Bytes> parts(Bytes message, int field) {
        List<Bytes> found = new ArrayList<>();
        byte[] bytes = message.toByteArray();
        int[] at = {0};
        while (at[0] < bytes.length) {
            long key = number(bytes, at);
            int length = switch ((int) key & 7) {
                case 0 -> {
                    number(bytes, at);
                    yield 0;
                }
                case 1 -> 8;
                case 2 -> (int) number(bytes, at);
                case 5 -> 4;
                default -> throw new IllegalArgumentException("no protobuf");
            };
            if (key == (field << 3 | 2)) {
                found.add(message.slice(at[0], length));
            }
            at[0] += length;
        }
        return found;
    }

    private static long number(byte[] bytes, int[] at) {
        long value = 0;
        for (int shift = 0; ; shift += 7) {
            byte next = bytes[at[0]++];
            value |= (long) (next & 0x7f) << shift;
            if (next >= 0) {
                return value;
            }
        }
    }

    @Override
    public void close() {
        server.stop(0);
    }
}
