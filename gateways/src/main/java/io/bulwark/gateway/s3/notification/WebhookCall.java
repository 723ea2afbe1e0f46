package io.bulwark.gateway.s3.notification;

import java.io.IOException;
import java.net.URI;
import java.net.http.HttpClient;
import java.net.http.HttpRequest;
import java.net.http.HttpResponse;
import java.nio.charset.StandardCharsets;
import java.security.GeneralSecurityException;
import java.time.Duration;
import java.time.Instant;
import java.util.HexFormat;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.TimeoutException;
import javax.crypto.Mac;
import javax.crypto.spec.SecretKeySpec;

/** Posts messages to webhooks, and signs them. Follows no redirect, and reads no answer but its status. */
final class WebhookCall implements AutoCloseable {
    static final String KEY_HEADER = "x-bulwark-key";
    static final String TIME_HEADER = "x-bulwark-timestamp";
    static final String SIGNATURE_HEADER = "x-bulwark-signature";

    private static final Duration CONNECT_TIMEOUT = Duration.ofSeconds(5);

    private final HttpClient http = HttpClient.newBuilder()
            .version(HttpClient.Version.HTTP_1_1)
            .followRedirects(HttpClient.Redirect.NEVER)
            .connectTimeout(CONNECT_TIMEOUT)
            .build();
    private final Duration timeout;

    /** @param timeout for a whole call, below the time for which a gateway may deliver without another claim */
    WebhookCall(Duration timeout) {
        this.timeout = timeout;
    }

    /**
     * Receiver of a message.
     *
     * @param keyId names the secret
     */
    record Receiver(URI url, String keyId, String secret) {
        @Override
        public String toString() {
            return url.getHost() + " with key " + keyId;
        }
    }

    /**
     * Posts a message.
     *
     * @throws IOException unless the receiver has answered with 2xx in time
     */
    void post(Receiver receiver, byte[] message, Instant now) throws IOException, InterruptedException {
        String seconds = Long.toString(now.getEpochSecond());
        HttpRequest request = HttpRequest.newBuilder(receiver.url)
                .header("content-type", "application/json")
                .header(KEY_HEADER, receiver.keyId)
                .header(TIME_HEADER, seconds)
                .header(SIGNATURE_HEADER, "sha256=" + signature(receiver.secret, seconds, message))
                .POST(HttpRequest.BodyPublishers.ofByteArray(message))
                .build();
        CompletableFuture<HttpResponse<Void>> answer =
                http.sendAsync(request, HttpResponse.BodyHandlers.discarding());
        try {
            int status = answer.get(timeout.toMillis(), TimeUnit.MILLISECONDS).statusCode();
            if (status < 200 || status > 299) {
                throw new IOException("it answered with status " + status);
            }
        } catch (TimeoutException e) {
            throw new IOException("it did not answer within " + timeout.toSeconds() + " s", e);
        } catch (ExecutionException e) {
            throw new IOException("it cannot be reached: " + e.getCause(), e);
        } finally {
            answer.cancel(true);
        }
    }

    /** Returns the HMAC-SHA-256 of the time, a dot and the message, in hexadecimal. */
    static String signature(String secret, String seconds, byte[] message) {
        try {
            Mac mac = Mac.getInstance("HmacSHA256");
            mac.init(new SecretKeySpec(secret.getBytes(StandardCharsets.UTF_8), "HmacSHA256"));
            mac.update((seconds + ".").getBytes(StandardCharsets.UTF_8));
            return HexFormat.of().formatHex(mac.doFinal(message));
        } catch (GeneralSecurityException e) {
            throw new IllegalStateException("every Java platform has HmacSHA256", e);
        }
    }

    @Override
    public void close() {
        http.shutdownNow();
    }
}
