package io.bulwark.gateway.s3.http;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.catchThrowable;
import static org.awaitility.Awaitility.await;

import io.bulwark.gateway.s3.request.Exchange;
import io.bulwark.gateway.s3.request.Operations;
import io.bulwark.gateway.s3.request.S3Exception;
import io.bulwark.gateway.s3.signature.AwsSigner;
import io.bulwark.gateway.s3.signature.AwsSigner.Form;
import io.bulwark.gateway.s3.signature.OneKey;
import io.micrometer.core.instrument.simple.SimpleMeterRegistry;
import java.io.IOException;
import java.io.OutputStream;
import java.io.UncheckedIOException;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.net.URI;
import java.nio.charset.StandardCharsets;
import java.time.Clock;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.OptionalLong;
import java.util.Random;
import java.util.TreeMap;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.atomic.AtomicReference;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.ValueSource;

/** Clients that break rules, on raw connections. Requests without a signature are served, to keep the bytes readable. */
class HostileClientTest {
    private static final long SEED = Long.getLong("bulwark.seed", 20261129L);
    private static final String DELETE = "DELETE /b/k HTTP/1.1\r\nHost: a\r\n\r\n";
    private static final S3Limits.Times TIMES = new S3Limits.Times(60_000, 60_000, 60_000, 60_000, 60_000);

    private final MemoryOperations operations = new MemoryOperations();
    private final SimpleMeterRegistry registry = new SimpleMeterRegistry();
    private final List<S3Server> servers = new ArrayList<>();

    @AfterEach
    void stop() {
        servers.forEach(S3Server::close);
    }

    private S3Server start(S3Limits limits, Operations served) throws IOException {
        S3Server server = S3Server.start(
                new S3Settings(
                        new InetSocketAddress(InetAddress.getLoopbackAddress(), 0),
                        Optional.empty(),
                        List.of(),
                        limits),
                OneKey.withAnonymous(),
                served,
                registry);
        servers.add(server);
        return server;
    }

    private S3Server start() throws IOException {
        return start(limits(TIMES), operations);
    }

    private static S3Limits limits(S3Limits.Times times) {
        return new S3Limits(8, 2, S3Limits.Head.standard(), times);
    }

    private static S3Limits.Times times(int headMillis, int idleMillis, int stallMillis) {
        return new S3Limits.Times(headMillis, idleMillis, stallMillis, 60_000, 60_000);
    }

    private RawClient.Response ask(String request) throws IOException {
        try (RawClient client = new RawClient(start().boundAddress())) {
            return client.send(request).read();
        }
    }

    @ParameterizedTest
    @CsvSource(delimiter = '|', textBlock = """
        GET /b/%zz HTTP/1.1\\r\\nHost: a\\r\\n\\r\\n|400|InvalidURI
        GET /b/k HTTP/1.1\\r\\n\\r\\n|400|InvalidRequest
        GET /b/k HTTP/1.1\\r\\nHost: a\\r\\nHost: b\\r\\n\\r\\n|400|InvalidRequest
        GET /b/k HTTP/1.1\\r\\nHost: a b\\r\\n\\r\\n|400|InvalidRequest
        GET http://a/b HTTP/1.1\\r\\nHost: a\\r\\n\\r\\n|400|InvalidURI
        GET /b?a=1&a=2 HTTP/1.1\\r\\nHost: a\\r\\n\\r\\n|400|InvalidArgument
        GET /b/k HTTP/2.0\\r\\nHost: a\\r\\n\\r\\n|505|HttpVersionNotSupported
        get /b/k HTTP/1.1\\r\\nHost: a\\r\\n\\r\\n|405|MethodNotAllowed
        TRACE /b/k HTTP/1.1\\r\\nHost: a\\r\\n\\r\\n|405|MethodNotAllowed
        PUT /b/k HTTP/1.1\\r\\nHost: a\\r\\n\\r\\n|411|MissingContentLength
        PUT /b/k HTTP/1.1\\r\\nHost: a\\r\\nContent-Length: -1\\r\\n\\r\\n|400|BadRequest
        PUT /b/k HTTP/1.1\\r\\nHost: a\\r\\nContent-Length: x\\r\\n\\r\\n|400|BadRequest
        PUT /b/k HTTP/1.1\\r\\nHost: a\\r\\nContent-Length: 1\\r\\nContent-Length: 2\\r\\n\\r\\na|400|BadRequest
        PUT /b/k HTTP/1.1\\r\\nHost: a\\r\\nContent-Length: 5\\r\\nTransfer-Encoding: chunked\\r\\n\\r\\n0\\r\\n\\r\\n|400|BadRequest
        PUT /b/k HTTP/1.1\\r\\nHost: a\\r\\nTransfer-Encoding: chunked\\r\\n\\r\\nzz\\r\\n|400|IncompleteBody
        PUT /b/k HTTP/1.1\\r\\nHost: a\\r\\nContent-Length: 5368709121\\r\\n\\r\\n|400|EntityTooLarge
        PUT /b/k HTTP/1.1\\r\\nHost: a\\r\\nContent-Length: 3\\r\\nContent-MD5: AAAAAAAAAAAAAAAAAAAAAA==\\r\\n\\r\\nabc|400|BadDigest
        PUT /b/k HTTP/1.1\\r\\nHost: a\\r\\nContent-Length: 3\\r\\nContent-Encoding: aws-chunked\\r\\n\\r\\nabc|400|InvalidRequest
        GET /b/k HTTP/1.1\\r\\nHost: a\\r\\nRange: bytes=0-1\\r\\nRange: bytes=5-6\\r\\n\\r\\n|400|InvalidRequest
        nonsense\\r\\n\\r\\n|400|BadRequest
        """)
    void badRequestsHaveTheirErrorAndStoreNothing(String request, int status, String code) throws IOException {
        RawClient.Response response = ask(request.replace("\\r\\n", "\r\n"));
        assertThat(response.status()).as(response.text()).isEqualTo(status);
        assertThat(response.text()).contains("<Code>" + code + "</Code>", response.header("x-amz-request-id"));
        assertThat(operations.objects).isEmpty();
    }

    @Test
    void longHeadsAreRefused() throws IOException {
        assertThat(ask("GET /" + "a".repeat(40_000) + " HTTP/1.1\r\nHost: a\r\n\r\n")
                        .status())
                .isEqualTo(414);
        assertThat(ask("GET / HTTP/1.1\r\nHost: a\r\nA: " + "a".repeat(40_000) + "\r\n\r\n")
                        .text())
                .contains("RequestHeaderSectionTooLarge");
        assertThat(ask("GET / HTTP/1.1\r\nHost: a\r\n" + "A: b\r\n".repeat(300) + "\r\n")
                        .text())
                .contains("RequestHeaderSectionTooLarge");
    }

    @Test
    void aFloodOfHeadersEndsTheConnection() throws IOException {
        try (RawClient client = new RawClient(start().boundAddress())) {
            byte[] flood = "X-Flood: 0123456789\r\n".repeat(1_000).getBytes(StandardCharsets.US_ASCII);
            client.send("GET / HTTP/1.1\r\n");
            try {
                for (int i = 0; i < 20_000; i++) {
                    client.send(flood);
                }
                assertThat(client.read().status()).isEqualTo(400);
            } catch (IOException e) {
                // The server does not read on for ever.
                assertThat(e).isInstanceOf(IOException.class);
            }
        }
        await().until(() -> registry.get("bulwark.s3.connections").gauge().value() == 0);
    }

    @Test
    void aSlowHeadIsNotAwaited() throws IOException {
        S3Server server = start(limits(times(200, 60_000, 60_000)), operations);
        try (RawClient client = new RawClient(server.boundAddress())) {
            client.send("GET /b/k HTTP/1.1\r\nHost");
            assertThat(client.isClosedByServer()).isTrue();
        }
    }

    @Test
    void anIdleConnectionIsClosed() throws IOException {
        S3Server server = start(limits(times(60_000, 200, 60_000)), operations);
        try (RawClient client = new RawClient(server.boundAddress())) {
            assertThat(client.send("DELETE /b/k HTTP/1.1\r\nHost: a\r\n\r\n")
                            .read()
                            .status())
                    .isEqualTo(204);
            assertThat(client.isClosedByServer()).isTrue();
        }
    }

    @Test
    void aSlowBodyIsRefused() throws IOException {
        S3Server server = start(limits(times(60_000, 60_000, 200)), operations);
        try (RawClient client = new RawClient(server.boundAddress())) {
            RawClient.Response response = client.send(
                            "PUT /b/k HTTP/1.1\r\nHost: a\r\nContent-Length: 1000000\r\n\r\nab")
                    .read();
            assertThat(response.text()).contains("<Code>RequestTimeout</Code>");
            assertThat(response.header("connection")).isEqualTo("close");
            assertThat(operations.objects).isEmpty();
        }
    }

    @Test
    void aClientThatTakesNothingLosesItsConnection() throws IOException {
        operations.objects.put("b/k", new byte[64 << 20]);
        S3Server server = start(limits(times(60_000, 60_000, 300)), operations);
        try (RawClient client = new RawClient(server.boundAddress())) {
            client.send("GET /b/k HTTP/1.1\r\nHost: a\r\n\r\n");
            await().until(() ->
                    registry.find("bulwark.s3.requests").tag("status", "0").counter() != null);
        }
    }

    @Test
    void aCutBodyStoresNothing() throws IOException {
        S3Server server = start();
        try (RawClient client = new RawClient(server.boundAddress())) {
            client.send("PUT /b/k HTTP/1.1\r\nHost: a\r\nContent-Length: 10\r\n\r\nabc");
        }
        await().until(() ->
                registry.find("bulwark.s3.requests").tag("status", "0").counter() != null);
        assertThat(operations.objects).isEmpty();
    }

    @Test
    void aConnectionTakesThePlaceOfTheOneThatIsSilentForLongest() throws IOException {
        // A request counts until just after its response: the limit of requests must not refuse the next one.
        S3Server server = start(new S3Limits(3, 16, S3Limits.Head.standard(), TIMES), operations);
        List<RawClient> clients = new ArrayList<>();
        for (int i = 0; i < 3; i++) {
            RawClient client = new RawClient(server.boundAddress());
            clients.add(client);
            int count = i + 1;
            await().until(() -> registry.get("bulwark.s3.connections").gauge().value() == count);
        }
        assertIsServed(clients.get(0));
        try (RawClient more = new RawClient(server.boundAddress())) {
            assertIsServed(more);
            assertThat(clients.get(1).isClosedByServer()).isTrue();
            assertIsServed(clients.get(0));
            assertIsServed(clients.get(2));
        }
        assertThat(registry.get("bulwark.s3.connections.refused").counter().count())
                .isZero();
        for (RawClient client : clients) {
            client.close();
        }
    }

    @Test
    void aConnectionMoreThanRequestsInProcessingIsClosed() throws IOException {
        CountDownLatch go = new CountDownLatch(1);
        S3Server server = start(new S3Limits(2, 16, S3Limits.Head.standard(), TIMES), exchange -> {
            awaitLatch(go);
            operations.handle(exchange);
        });
        try (RawClient one = new RawClient(server.boundAddress());
                RawClient two = new RawClient(server.boundAddress())) {
            one.send(DELETE);
            two.send(DELETE);
            await().until(() ->
                    registry.get("bulwark.s3.requests.active").gauge().value() == 2);
            try (RawClient more = new RawClient(server.boundAddress())) {
                assertThat(more.isClosedByServer()).isTrue();
            }
            go.countDown();
            assertThat(one.read().status()).isEqualTo(204);
            assertThat(two.read().status()).isEqualTo(204);
        }
        assertThat(registry.get("bulwark.s3.connections.refused").counter().count())
                .isEqualTo(1);
    }

    private static void assertIsServed(RawClient client) throws IOException {
        assertThat(client.send(DELETE).read().status()).isEqualTo(204);
    }

    @Test
    void tooManyRequestsAreToldToSlowDown() throws IOException {
        CountDownLatch go = new CountDownLatch(1);
        S3Server server = start(limits(TIMES), exchange -> {
            awaitLatch(go);
            operations.handle(exchange);
        });
        try (RawClient one = new RawClient(server.boundAddress());
                RawClient two = new RawClient(server.boundAddress());
                RawClient three = new RawClient(server.boundAddress())) {
            one.send("DELETE /b/k HTTP/1.1\r\nHost: a\r\n\r\n");
            two.send("DELETE /b/k HTTP/1.1\r\nHost: a\r\n\r\n");
            await().until(() ->
                    registry.get("bulwark.s3.requests.active").gauge().value() == 2);
            RawClient.Response refused =
                    three.send("GET /b/k HTTP/1.1\r\nHost: a\r\n\r\n").read();
            assertThat(refused.status()).isEqualTo(503);
            assertThat(refused.text()).contains("<Code>SlowDown</Code>");
            go.countDown();
            assertThat(one.read().status()).isEqualTo(204);
            assertThat(two.read().status()).isEqualTo(204);
        }
    }

    @Test
    void oneSenderLeavesAQuarterOfTheRequestsToOthers() throws IOException {
        CountDownLatch go = new CountDownLatch(1);
        S3Server server = start(new S3Limits(8, 4, S3Limits.Head.standard(), TIMES), exchange -> {
            awaitLatch(go);
            operations.handle(exchange);
        });
        List<RawClient> clients = new ArrayList<>();
        for (int i = 0; i < 3; i++) {
            RawClient client = new RawClient(server.boundAddress());
            clients.add(client);
            client.send("DELETE /b/k HTTP/1.1\r\nHost: a\r\n\r\n");
        }
        await().until(() -> registry.get("bulwark.s3.requests.active").gauge().value() == 3);
        try (RawClient fourth = new RawClient(server.boundAddress())) {
            RawClient.Response refused =
                    fourth.send("GET /b/k HTTP/1.1\r\nHost: a\r\n\r\n").read();
            assertThat(refused.text()).contains("<Code>SlowDown</Code>");
        }
        go.countDown();
        for (RawClient client : clients) {
            assertThat(client.read().status()).isEqualTo(204);
            client.close();
        }
        try (RawClient again = new RawClient(server.boundAddress())) {
            assertThat(again.send("DELETE /b/k HTTP/1.1\r\nHost: a\r\n\r\n")
                            .read()
                            .status())
                    .isEqualTo(204);
        }
    }

    private static void awaitLatch(CountDownLatch latch) {
        try {
            latch.await();
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
            throw new IllegalStateException(e);
        }
    }

    @Test
    void aPipelineIsAnsweredInOrder() throws IOException {
        operations.objects.put("b/1", new byte[] {1});
        operations.objects.put("b/2", new byte[200_000]);
        try (RawClient client = new RawClient(start().boundAddress())) {
            client.send("""
                GET /b/1 HTTP/1.1\r
                Host: a\r
                \r
                PUT /b/3 HTTP/1.1\r
                Host: a\r
                Content-Length: 3\r
                \r
                abcGET /b/2 HTTP/1.1\r
                Host: a\r
                \r
                HEAD /b/2 HTTP/1.1\r
                Host: a\r
                \r
                GET /b/3 HTTP/1.1\r
                Host: a\r
                \r
                GET /b/1?unknown-length HTTP/1.1\r
                Host: a\r
                \r
                """);
            assertThat(client.read().body()).containsExactly(1);
            assertThat(client.read().status()).isEqualTo(200);
            assertThat(client.read().body()).hasSize(200_000);
            assertThat(client.read(true).header("content-length")).isEqualTo("200000");
            assertThat(client.read().text()).isEqualTo("abc");
            assertThat(client.read().body()).containsExactly(1);
        }
    }

    @Test
    void aClientThatExpectsItIsToldToContinue() throws IOException {
        try (RawClient client = new RawClient(start().boundAddress())) {
            client.send("PUT /b/k HTTP/1.1\r\nHost: a\r\nContent-Length: 3\r\nExpect: 100-continue\r\n\r\n");
            assertThat(client.read().status()).isEqualTo(100);
            assertThat(client.send("abc").read().status()).isEqualTo(200);
            client.send("PUT /b/empty HTTP/1.1\r\nHost: a\r\nContent-Length: 0\r\nExpect: 100-continue\r\n\r\n");
            assertThat(client.read().status()).isEqualTo(100);
            assertThat(client.read().status()).isEqualTo(200);
            client.send("""
                PUT /b/k HTTP/1.1\r
                Host: a\r
                Content-Length: 3\r
                Expect: 100-continue\r
                Content-MD5: x\r
                \r
                """);
            RawClient.Response refused = client.read();
            assertThat(refused.status()).isEqualTo(400);
            assertThat(refused.header("connection")).isEqualTo("close");
            assertThat(client.isClosedByServer()).isTrue();
        }
    }

    @Test
    void chunksOfOneByteArrive() throws IOException {
        try (RawClient client = new RawClient(start().boundAddress())) {
            client.send("PUT /b/k HTTP/1.1\r\nHost: a\r\nTransfer-Encoding: chunked\r\n\r\n"
                    + "1\r\nx\r\n".repeat(300_000) + "0\r\n\r\n");
            assertThat(client.read().status()).isEqualTo(200);
            assertThat(new String(operations.objects.get("b/k"), StandardCharsets.US_ASCII))
                    .isEqualTo("x".repeat(300_000));
        }
    }

    @Test
    void aRefusedBodyIsTheReasonWhateverTheOperationThrows() throws IOException {
        S3Server server = start(limits(TIMES), exchange -> {
            try {
                operations.handle(exchange);
            } catch (RuntimeException e) {
                throw new S3Exception(503, "ServiceUnavailable", "the put has failed");
            }
        });
        try (RawClient client = new RawClient(server.boundAddress())) {
            client.send("PUT /b/k HTTP/1.1\r\nHost: a\r\nContent-Length: 3\r\n"
                    + "Content-MD5: AAAAAAAAAAAAAAAAAAAAAA==\r\n\r\nabc");
            assertThat(client.read().text()).contains("<Code>BadDigest</Code>");
        }
    }

    @Test
    void aFailureOfTheClusterIsTranslated() throws IOException {
        S3Server server = start(limits(TIMES), new Operations() {
            @Override
            public void handle(Exchange exchange) {
                throw new IllegalStateException("no quorum");
            }

            @Override
            public Optional<S3Exception> refusalOf(RuntimeException failure) {
                return Optional.of(new S3Exception(503, "ServiceUnavailable", "Please try again."));
            }
        });
        try (RawClient client = new RawClient(server.boundAddress())) {
            assertThat(client.send("GET /b/k HTTP/1.1\r\nHost: a\r\n\r\n")
                            .read()
                            .status())
                    .isEqualTo(503);
        }
    }

    @Test
    void aRefusedBodyIsDiscardedIfItIsSmall() throws IOException {
        try (RawClient client = new RawClient(start().boundAddress())) {
            client.send("PUT /b/k HTTP/1.1\r\nHost: a\r\nContent-MD5: x\r\nContent-Length: 3\r\n\r\nabc");
            assertThat(client.read().text()).contains("InvalidDigest");
            assertThat(client.send("DELETE /b/k HTTP/1.1\r\nHost: a\r\n\r\n")
                            .read()
                            .status())
                    .isEqualTo(204);
        }
    }

    @Test
    void aRefusedLargeBodyEndsTheConnectionAfterTheResponse() throws IOException {
        try (RawClient client = new RawClient(start().boundAddress())) {
            client.send("PUT /b/k HTTP/1.1\r\nHost: a\r\nContent-MD5: x\r\nContent-Length: 2000000\r\n\r\n");
            // A server that happened to have read the whole body would keep the connection.
            client.send(new byte[1_000_000]);
            RawClient.Response response = client.read();
            assertThat(response.text()).contains("InvalidDigest");
            assertThat(response.header("connection")).isEqualTo("close");
            assertThat(client.isClosedByServer()).isTrue();
        }
    }

    @Test
    void anOldClientGetsABodyWithoutChunks() throws IOException {
        operations.objects.put("b/k", "content".getBytes(StandardCharsets.US_ASCII));
        try (RawClient client = new RawClient(start().boundAddress())) {
            client.send("GET /b/k?unknown-length HTTP/1.0\r\nHost: a\r\n\r\n");
            assertThat(new String(client.socket().getInputStream().readAllBytes(), StandardCharsets.US_ASCII))
                    .doesNotContainIgnoringCase("transfer-encoding")
                    .endsWith("\r\n\r\ncontent");
        }
    }

    @Test
    void aBrokenResponseIsNotTakenForTheWhole() throws IOException {
        S3Server server = start(limits(TIMES), exchange -> {
            try {
                OptionalLong length =
                        exchange.query().containsKey("chunked") ? OptionalLong.empty() : OptionalLong.of(10);
                OutputStream out = exchange.respond(200, new TreeMap<>(), length);
                out.write(new byte[5]);
                out.flush();
            } catch (IOException e) {
                throw new UncheckedIOException(e);
            }
            throw new IllegalStateException("the store has failed");
        });
        for (String target : List.of("/b/k", "/b/k?chunked")) {
            try (RawClient client = new RawClient(server.boundAddress())) {
                client.send("GET " + target + " HTTP/1.1\r\nHost: a\r\n\r\n");
                assertThat(catchThrowable(client::read)).isInstanceOf(IOException.class);
            }
        }
    }

    @Test
    void anUnexpectedFailureIsAnInternalError() throws IOException {
        S3Server server = start(limits(TIMES), exchange -> {
            if (exchange.query().containsKey("silent")) {
                return;
            }
            throw new IllegalStateException("secret detail");
        });
        try (RawClient client = new RawClient(server.boundAddress())) {
            for (String target : List.of("/b/k", "/b/k?silent")) {
                RawClient.Response response = client.send("GET " + target + " HTTP/1.1\r\nHost: a\r\n\r\n")
                        .read();
                assertThat(response.status()).isEqualTo(500);
                assertThat(response.text())
                        .contains("<Code>InternalError</Code>")
                        .doesNotContain("secret");
            }
        }
    }

    @Test
    void headersCannotBeSmuggledIntoAResponse() throws IOException {
        S3Server server = start(limits(TIMES), exchange -> {
            TreeMap<String, String> headers = new TreeMap<>(Map.of("x-amz-meta-a", "b\r\nSet-Cookie: c"));
            exchange.respond(200, headers, OptionalLong.of(0));
        });
        try (RawClient client = new RawClient(server.boundAddress())) {
            RawClient.Response response =
                    client.send("GET /b/k HTTP/1.1\r\nHost: a\r\n\r\n").read();
            assertThat(response.headers()).doesNotContainKey("set-cookie");
            assertThat(response.status()).isEqualTo(500);
        }
    }

    @Test
    void metadataBeyondAsciiComesBackAsUtf8() throws IOException {
        AtomicReference<String> seen = new AtomicReference<>("");
        S3Server server = start(limits(TIMES), exchange -> {
            seen.set(exchange.header("X-Amz-Meta-A").orElse(""));
            try {
                exchange.respond(200, new TreeMap<>(Map.of("x-amz-meta-a", seen.get())), OptionalLong.of(0))
                        .close();
            } catch (IOException e) {
                throw new UncheckedIOException(e);
            }
        });
        String wire = new String("grün €".getBytes(StandardCharsets.UTF_8), StandardCharsets.ISO_8859_1);
        try (RawClient client = new RawClient(server.boundAddress())) {
            RawClient.Response response = client.send(
                            "GET /b/k HTTP/1.1\r\nHost: a\r\nx-amz-meta-a: " + wire + "\r\n\r\n")
                    .read();
            assertThat(response.header("x-amz-meta-a")).isEqualTo(wire);
            assertThat(seen.get()).isEqualTo("grün €");
        }
    }

    @Test
    void aStoppingServerFinishesItsRequests() throws Exception {
        CountDownLatch begun = new CountDownLatch(1);
        CountDownLatch go = new CountDownLatch(1);
        S3Server server = start(limits(TIMES), exchange -> {
            begun.countDown();
            awaitLatch(go);
            operations.handle(exchange);
        });
        try (RawClient busy = new RawClient(server.boundAddress());
                RawClient idle = new RawClient(server.boundAddress())) {
            busy.send("PUT /b/k HTTP/1.1\r\nHost: a\r\nContent-Length: 3\r\n\r\nabc");
            begun.await();
            Thread closing = Thread.ofVirtual().start(server::close);
            assertThat(idle.isClosedByServer()).isTrue();
            go.countDown();
            assertThat(busy.read().status()).isEqualTo(200);
            assertThat(busy.isClosedByServer()).isTrue();
            closing.join();
            assertThat(operations.objects).containsKey("b/k");
        }
    }

    @Test
    void aStoppingServerInterruptsRequestsThatDoNotEnd() throws Exception {
        CountDownLatch never = new CountDownLatch(1);
        S3Server server =
                start(limits(new S3Limits.Times(60_000, 60_000, 60_000, 60_000, 100)), exchange -> awaitLatch(never));
        try (RawClient client = new RawClient(server.boundAddress())) {
            client.send("GET /b/k HTTP/1.1\r\nHost: a\r\n\r\n");
            await().until(() ->
                    registry.get("bulwark.s3.requests.active").gauge().value() == 1);
            server.close();
            assertThat(client.isClosedByServer()).isTrue();
        }
    }

    @Test
    void aPreflightNeedsNoPerson() throws IOException {
        S3Server server = S3Server.start(
                new S3Settings(
                        new InetSocketAddress(InetAddress.getLoopbackAddress(), 0),
                        Optional.empty(),
                        List.of(),
                        limits(TIMES)),
                OneKey.signedOnly(),
                operations,
                registry);
        servers.add(server);
        try (RawClient client = new RawClient(server.boundAddress())) {
            assertThat(client.send("OPTIONS /b/k HTTP/1.1\r\nHost: a\r\nOrigin: http://o\r\n\r\n")
                            .read()
                            .status())
                    .isEqualTo(200);
            assertThat(client.send("GET /b/k HTTP/1.1\r\nHost: a\r\n\r\n")
                            .read()
                            .status())
                    .isEqualTo(403);
        }
    }

    @ParameterizedTest
    @ValueSource(booleans = {true, false})
    void aFormStoresItsFile(boolean isWhole) throws IOException {
        String form = String.join(
                "\r\n",
                "--x",
                "Content-Disposition: form-data; name=\"key\"",
                "",
                "up/${filename}",
                "--x",
                "Content-Disposition: form-data; name=\"file\"; filename=\"a.txt\"",
                "",
                "hello",
                "--x--",
                "");
        try (RawClient client = new RawClient(start().boundAddress())) {
            client.send("POST /b HTTP/1.1\r\nHost: a\r\nContent-Type: multipart/form-data; boundary=x\r\n"
                    + "Content-Length: " + form.length() + "\r\n\r\n"
                    + (isWhole ? form : form.replace("--x--", "--y--")));
            RawClient.Response response = client.read();
            assertThat(response.status()).isEqualTo(isWhole ? 200 : 400);
            assertThat(operations.objects.containsKey("b/up/a.txt")).isEqualTo(isWhole);
        }
    }

    @Test
    void slowFormsLeaveRoomForOtherRequests() throws IOException {
        S3Server server = start();
        String head = "POST /b HTTP/1.1\r\nHost: a\r\nContent-Type: multipart/form-data; boundary=x\r\n";
        try (RawClient slow = new RawClient(server.boundAddress())) {
            slow.send(head + "Content-Length: 1000\r\n\r\n--x\r\n");
            await().untilAsserted(() -> {
                try (RawClient second = new RawClient(server.boundAddress())) {
                    RawClient.Response refused =
                            second.send(head + "Content-Length: 1\r\n\r\n-").read();
                    assertThat(refused.text()).contains("<Code>SlowDown</Code>");
                }
            });
            try (RawClient other = new RawClient(server.boundAddress())) {
                other.send("DELETE /b/k HTTP/1.1\r\nHost: a\r\n\r\n");
                assertThat(other.read().status()).isEqualTo(204);
            }
        }
    }

    @Test
    void damagedRequestsNeverHarmTheServer() throws IOException {
        Random random = new Random(SEED);
        S3Server server = start(limits(times(60_000, 60_000, 60_000)), operations);
        AwsSigner signer = new AwsSigner(Clock.systemUTC());
        byte[] content = new byte[500];
        random.nextBytes(content);
        Form[] forms = Form.values();
        for (int run = 0; run < 300; run++) {
            operations.objects.clear();
            AwsSigner.Signed put = signer.sign(
                    forms[run % forms.length],
                    "PUT",
                    URI.create("https://localhost/b/k"),
                    Map.of("x-amz-meta-a", List.of("b")),
                    content,
                    "SHA256");
            byte[] head = put.head().getBytes(StandardCharsets.ISO_8859_1);
            byte[] wire = new byte[head.length + put.body().length];
            System.arraycopy(head, 0, wire, 0, head.length);
            System.arraycopy(put.body(), 0, wire, head.length, put.body().length);
            for (int i = 1 + random.nextInt(3); i > 0; i--) {
                wire[random.nextInt(wire.length)] ^= (byte) (1 << random.nextInt(8));
            }
            try (RawClient client = new RawClient(server.boundAddress())) {
                client.send(wire);
                client.socket().shutdownOutput();
                var _ = client.socket().getInputStream().readAllBytes();
            } catch (IOException e) {
                // A reset is an answer, too.
                assertThat(e).isInstanceOf(IOException.class);
            }
        }
        await().until(() -> registry.get("bulwark.s3.connections").gauge().value() == 0);
        assertThat(registry.get("bulwark.s3.requests.active").gauge().value()).isZero();
        try (RawClient client = new RawClient(server.boundAddress())) {
            assertThat(client.send("DELETE /b/k HTTP/1.1\r\nHost: a\r\n\r\n")
                            .read()
                            .status())
                    .isEqualTo(204);
        }
    }
}
