package io.bulwark.gateway.s3.http;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.catchThrowable;

import io.bulwark.gateway.s3.signature.OneKey;
import io.bulwark.protocol.id.PrincipalId;
import io.bulwark.transport.identity.Identity;
import io.micrometer.core.instrument.simple.SimpleMeterRegistry;
import java.io.IOException;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.net.Socket;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.security.KeyStore;
import java.security.SecureRandom;
import java.util.List;
import java.util.Optional;
import javax.net.ssl.SSLContext;
import javax.net.ssl.SSLSocket;
import javax.net.ssl.TrustManagerFactory;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

class TlsTest {
    private final MemoryOperations operations = new MemoryOperations();
    private final Identity identity = Identity.generate(PrincipalId.node(3), new SecureRandom());

    private void serve(ServerCertificate certificate) throws Exception {
        KeyStore trusted = KeyStore.getInstance(KeyStore.getDefaultType());
        trusted.load(null, null);
        trusted.setCertificateEntry("server", identity.certificate());
        TrustManagerFactory trust = TrustManagerFactory.getInstance(TrustManagerFactory.getDefaultAlgorithm());
        trust.init(trusted);
        SSLContext context = SSLContext.getInstance("TLS");
        context.init(null, trust.getTrustManagers(), null);
        try (S3Server server = S3Server.start(
                new S3Settings(
                        new InetSocketAddress(InetAddress.getLoopbackAddress(), 0),
                        Optional.of(certificate),
                        List.of(),
                        S3Limits.standard()),
                OneKey.withAnonymous(),
                operations,
                new SimpleMeterRegistry())) {
            InetSocketAddress address = server.boundAddress();
            SSLSocket socket =
                    (SSLSocket) context.getSocketFactory().createSocket(address.getAddress(), address.getPort());
            try (RawClient client = new RawClient(socket)) {
                client.send("PUT /b/k HTTP/1.1\r\nHost: a\r\nContent-Length: 400000\r\n\r\n")
                        .send(new byte[400_000]);
                assertThat(client.read().status()).isEqualTo(200);
                assertThat(client.send("GET /b/k HTTP/1.1\r\nHost: a\r\n\r\n")
                                .read()
                                .body())
                        .hasSize(400_000);
                assertThat(socket.getSession().getProtocol()).isEqualTo("TLSv1.3");
            }
            try (RawClient plain = new RawClient(new Socket(address.getAddress(), address.getPort()))) {
                plain.send("GET /b/k HTTP/1.1\r\nHost: a\r\n\r\n");
                assertThat(plain.socket().getInputStream().readAllBytes())
                        .doesNotContain("HTTP".getBytes(StandardCharsets.US_ASCII));
            } catch (IOException e) {
                // A reset is a refusal, too.
                assertThat(e).isInstanceOf(IOException.class);
            }
        }
    }

    @Test
    void theIdentityOfTheApplianceServes() throws Exception {
        serve(ServerCertificate.of(identity));
    }

    @Test
    void aCertificateInFilesServes(@TempDir Path directory) throws Exception {
        Path file = directory.resolve("node-3.pem");
        identity.store(file);
        serve(ServerCertificate.ofFiles(file, file));
    }

    @Test
    void filesWithoutACertificateAreRefused(@TempDir Path directory) throws IOException {
        Path file = Files.writeString(directory.resolve("empty.pem"), "nothing");
        assertThat(catchThrowable(() -> ServerCertificate.ofFiles(file, file))).isInstanceOf(IOException.class);
    }
}
