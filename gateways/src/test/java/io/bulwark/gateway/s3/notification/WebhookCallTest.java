package io.bulwark.gateway.s3.notification;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import com.sun.net.httpserver.HttpServer;
import io.bulwark.gateway.s3.notification.WebhookCall.Receiver;
import java.io.IOException;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.net.URI;
import java.nio.charset.StandardCharsets;
import java.time.Duration;
import java.time.Instant;
import java.util.List;
import java.util.concurrent.CopyOnWriteArrayList;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.Executors;
import org.jspecify.annotations.NullMarked;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;

/** Calls of a server that answers with the status that its path names, or not at all. */
@NullMarked
class WebhookCallTest {
    private static final byte[] MESSAGE = "{}".getBytes(StandardCharsets.UTF_8);
    private static final Instant NOW = Instant.ofEpochSecond(1_700_000_000);

    private final List<String> received = new CopyOnWriteArrayList<>();
    private final CountDownLatch end = new CountDownLatch(1);
    private HttpServer server;
    private WebhookCall call;

    WebhookCallTest() throws IOException {
        server = HttpServer.create(new InetSocketAddress(InetAddress.getLoopbackAddress(), 0), 0);
        call = new WebhookCall(Duration.ofMinutes(1));
    }

    @BeforeEach
    void start() {
        server.setExecutor(Executors.newVirtualThreadPerTaskExecutor());
        server.createContext("/", exchange -> {
            String path = exchange.getRequestURI().getPath().substring(1);
            received.add(path + " " + exchange.getRequestHeaders().getFirst(WebhookCall.KEY_HEADER) + " "
                    + exchange.getRequestHeaders().getFirst(WebhookCall.TIME_HEADER) + " "
                    + exchange.getRequestHeaders().getFirst(WebhookCall.SIGNATURE_HEADER) + " "
                    + new String(exchange.getRequestBody().readAllBytes(), StandardCharsets.UTF_8));
            if (path.equals("silent")) {
                try {
                    end.await();
                } catch (InterruptedException e) {
                    Thread.currentThread().interrupt();
                }
            }
            if (path.equals("302")) {
                exchange.getResponseHeaders().add("location", "/200");
            }
            if (path.equals("endless")) {
                exchange.sendResponseHeaders(200, 0);
                exchange.getResponseBody().write(new byte[100]);
                exchange.getResponseBody().flush();
                return;
            }
            exchange.sendResponseHeaders(path.equals("silent") ? 200 : Integer.parseInt(path), -1);
            exchange.close();
        });
        server.start();
    }

    @AfterEach
    void stop() {
        end.countDown();
        call.close();
        server.stop(0);
    }

    private Receiver receiver(String path) {
        return new Receiver(
                URI.create("http://127.0.0.1:" + server.getAddress().getPort() + "/" + path), "BWKKEY", "secret");
    }

    @Test
    void messageIsSignedWithItsTime() throws IOException, InterruptedException {
        call.post(receiver("200"), MESSAGE, NOW);
        call.post(receiver("204"), MESSAGE, NOW);
        // echo -n '1700000000.{}' | openssl dgst -sha256 -hmac secret
        String signature = "b8569b78799ff9e3cbff0fc2d63a33a2b57f3282abd07c37ae5e8e7d79a5f163";
        assertThat(received)
                .containsExactly(
                        "200 BWKKEY 1700000000 sha256=" + signature + " {}",
                        "204 BWKKEY 1700000000 sha256=" + signature + " {}");
    }

    @Test
    void onlySuccessCountsAndNoRedirectIsFollowed() {
        for (String status : List.of("302", "400", "404", "500", "503")) {
            assertThatThrownBy(() -> call.post(receiver(status), MESSAGE, NOW))
                    .isInstanceOf(IOException.class)
                    .hasMessageContaining(status);
        }
        assertThat(received).hasSize(5);
    }

    @Test
    void silentReceiverAndEndlessAnswerEndWithTheTime() {
        try (WebhookCall hasty = new WebhookCall(Duration.ofSeconds(1))) {
            for (String path : List.of("silent", "endless")) {
                assertThatThrownBy(() -> hasty.post(receiver(path), MESSAGE, NOW))
                        .as(path)
                        .isInstanceOf(IOException.class)
                        .hasMessageContaining("did not answer within 1 s");
            }
        }
        server.stop(0);
        assertThatThrownBy(() -> call.post(receiver("200"), MESSAGE, NOW))
                .isInstanceOf(IOException.class)
                .hasMessageContaining("cannot be reached");
    }
}
