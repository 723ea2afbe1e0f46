package io.bulwark.gateway.s3.http;

import static org.assertj.core.api.Assertions.assertThat;

import io.bulwark.gateway.s3.signature.AwsSigner;
import io.bulwark.gateway.s3.signature.AwsSigner.Form;
import io.bulwark.gateway.s3.signature.OneKey;
import io.micrometer.core.instrument.simple.SimpleMeterRegistry;
import java.io.IOException;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.net.URI;
import java.nio.charset.StandardCharsets;
import java.time.Clock;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Random;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;

/** Requests of well-behaved clients over a real connection. */
class S3ServerTest {
    private final MemoryOperations operations = new MemoryOperations();
    private final SimpleMeterRegistry registry = new SimpleMeterRegistry();
    private final AwsSigner signer = new AwsSigner(Clock.systemUTC());
    private S3Server server;

    @BeforeEach
    void start() throws IOException {
        server = S3Server.start(
                new S3Settings(
                        new InetSocketAddress(InetAddress.getLoopbackAddress(), 0),
                        Optional.empty(),
                        List.of("s3.example.com"),
                        S3Limits.standard()),
                OneKey.signedOnly(),
                operations,
                registry);
    }

    @AfterEach
    void stop() {
        server.close();
    }

    private URI uri(String pathAndQuery) {
        return URI.create("https://localhost:" + server.boundAddress().getPort() + pathAndQuery);
    }

    private AwsSigner.Signed get(String target) {
        return signer.sign(Form.HEADER_SIGNED_PAYLOAD, "GET", uri(target), Map.of(), new byte[0], "CRC32");
    }

    @ParameterizedTest
    @EnumSource(Form.class)
    void anObjectGoesInAndComesOutInEachForm(Form form) throws IOException {
        byte[] content = new byte[300_000];
        new Random(7).nextBytes(content);
        AwsSigner.Signed put = signer.sign(form, "PUT", uri("/bucket/a/b%20c"), Map.of(), content, "CRC32C");
        try (RawClient client = new RawClient(server.boundAddress())) {
            RawClient.Response stored = client.send(put.head()).send(put.body()).read();
            assertThat(stored.status()).as(stored.text()).isEqualTo(200);
            assertThat(operations.objects.get("bucket/a/b c")).isEqualTo(content);
            RawClient.Response read = client.send(get("/bucket/a/b%20c").head()).read();
            assertThat(read.status()).isEqualTo(200);
            assertThat(read.body()).isEqualTo(content);
        }
    }

    @Test
    void eachResponseNamesItsRequest() throws IOException {
        try (RawClient client = new RawClient(server.boundAddress())) {
            RawClient.Response first = client.send(get("/bucket/none").head()).read();
            RawClient.Response second = client.send(get("/bucket/none").head()).read();
            assertThat(first.status()).isEqualTo(404);
            assertThat(first.text())
                    .contains("<Code>NoSuchKey</Code>", "<RequestId>" + first.header("x-amz-request-id"));
            assertThat(first.header("date")).endsWith("GMT");
            assertThat(first.header("server")).isEqualTo("Bulwark");
            assertThat(first.header("x-amz-id-2")).isNotEmpty();
            assertThat(second.header("x-amz-request-id")).isNotEqualTo(first.header("x-amz-request-id"));
        }
    }

    @Test
    void aPageMayReadWhyItsSignatureWasRefused() throws IOException {
        AwsSigner.Signed signed = signer.sign(
                Form.PRESIGNED,
                "GET",
                uri("/bucket/key"),
                Map.of("Origin", List.of("https://page.example")),
                new byte[0],
                "CRC32");
        String head = signed.head().replaceFirst("X-Amz-Signature=[0-9a-f]{64}", "X-Amz-Signature=" + "0".repeat(64));
        try (RawClient client = new RawClient(server.boundAddress())) {
            RawClient.Response refused = client.send(head).read();
            assertThat(refused.text()).contains("SignatureDoesNotMatch");
            assertThat(refused.header("access-control-allow-origin")).isEqualTo("https://page.example");
            assertThat(refused.header("x-asked"))
                    .contains(OneKey.EXAMPLE.person().toString())
                    .endsWith("bucket GET");
        }
    }

    @Test
    void aHeadHasTheLengthButNoBody() throws IOException {
        operations.objects.put("bucket/key", "content".getBytes(StandardCharsets.UTF_8));
        AwsSigner.Signed head =
                signer.sign(Form.HEADER_SIGNED_PAYLOAD, "HEAD", uri("/bucket/key"), Map.of(), new byte[0], "CRC32");
        try (RawClient client = new RawClient(server.boundAddress())) {
            assertThat(client.send(head.head()).read(true).header("content-length"))
                    .isEqualTo("7");
            assertThat(client.send(get("/bucket/key").head()).read().text()).isEqualTo("content");
        }
    }
}
