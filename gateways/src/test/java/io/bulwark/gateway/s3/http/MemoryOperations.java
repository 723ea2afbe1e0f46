package io.bulwark.gateway.s3.http;

import io.bulwark.gateway.s3.request.Caller;
import io.bulwark.gateway.s3.request.Exchange;
import io.bulwark.gateway.s3.request.Operations;
import io.bulwark.gateway.s3.request.S3Exception;
import java.io.IOException;
import java.io.OutputStream;
import java.io.UncheckedIOException;
import java.util.HexFormat;
import java.util.Map;
import java.util.OptionalLong;
import java.util.SortedMap;
import java.util.TreeMap;
import java.util.concurrent.ConcurrentHashMap;

/** Operations on objects in memory, for tests of the server. */
final class MemoryOperations implements Operations {
    final Map<String, byte[]> objects = new ConcurrentHashMap<>();
    final Map<String, Map<String, String>> checksums = new ConcurrentHashMap<>();

    @Override
    public SortedMap<String, String> crossOriginHeaders(Caller caller, String bucket, String origin, String method) {
        return new TreeMap<>(
                Map.of("access-control-allow-origin", origin, "x-asked", caller + " " + bucket + " " + method));
    }

    @Override
    public void handle(Exchange exchange) {
        String place = exchange.bucket().orElse("") + "/" + exchange.key().orElse("");
        TreeMap<String, String> headers = new TreeMap<>();
        try {
            switch (exchange.method()) {
                case "PUT", "POST" -> {
                    exchange.setOperation("PutObject");
                    byte[] content = exchange.body().readAllBytes();
                    objects.put(place, content);
                    checksums.put(place, exchange.digests().checksums());
                    headers.put(
                            "ETag", HexFormat.of().formatHex(exchange.digests().md5()));
                    exchange.respond(200, headers, OptionalLong.of(0)).close();
                }
                case "GET", "HEAD" -> {
                    exchange.setOperation("GetObject");
                    byte[] content = objects.get(place);
                    if (content == null) {
                        throw new S3Exception(404, "NoSuchKey", "The specified key does not exist.");
                    }
                    OptionalLong length = exchange.query().containsKey("unknown-length")
                            ? OptionalLong.empty()
                            : OptionalLong.of(content.length);
                    try (OutputStream out = exchange.respond(200, headers, length)) {
                        out.write(content);
                    }
                }
                case "DELETE" ->
                    exchange.respond(204, headers, OptionalLong.of(0)).close();
                default -> {
                    headers.put("Access-Control-Allow-Origin", "*");
                    exchange.respond(200, headers, OptionalLong.of(0)).close();
                }
            }
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
    }
}
