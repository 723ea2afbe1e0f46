package io.bulwark.gateway.s3;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.bulwark.client.AccessKeys;
import io.bulwark.client.Bulwark;
import io.bulwark.client.Locks;
import io.bulwark.client.error.Subject;
import io.bulwark.client.error.UnavailableException;
import io.bulwark.protocol.id.PrincipalId;
import io.bulwark.protocol.metadata.Gateways;
import io.bulwark.transport.identity.Identity;
import io.micrometer.core.instrument.simple.SimpleMeterRegistry;
import java.io.IOException;
import java.lang.reflect.InvocationHandler;
import java.lang.reflect.Proxy;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.net.URI;
import java.net.http.HttpClient;
import java.net.http.HttpRequest;
import java.net.http.HttpResponse;
import java.nio.file.Path;
import java.security.SecureRandom;
import java.util.List;
import java.util.Optional;
import java.util.function.Supplier;
import javax.net.ssl.SSLHandshakeException;
import org.jspecify.annotations.NullMarked;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** A gateway in front of a cluster of which only the gateways are known. */
@NullMarked
class S3GatewayTest {
    private static final PrincipalId SELF = PrincipalId.client(15);
    private static final InetSocketAddress FREE = new InetSocketAddress(InetAddress.getLoopbackAddress(), 0);

    private static <T> T proxy(Class<T> type, InvocationHandler handler) {
        return type.cast(Proxy.newProxyInstance(type.getClassLoader(), new Class<?>[] {type}, handler));
    }

    private static Bulwark door(Supplier<Gateways> gateways) {
        AccessKeys keys = proxy(AccessKeys.class, (_, method, _) -> {
            if (method.getName().equals("gateways")) {
                return gateways.get();
            }
            throw new UnsupportedOperationException(method.getName());
        });
        // Its meters are registered, and nobody reads them.
        Locks locks = proxy(Locks.class, (_, method, _) -> {
            throw new UnsupportedOperationException(method.getName());
        });
        return proxy(Bulwark.class, (_, method, _) -> {
            if (method.getName().equals("accessKeys")) {
                return keys;
            }
            if (method.getName().equals("locks")) {
                return locks;
            }
            throw new UnsupportedOperationException(method.getName());
        });
    }

    private static HttpResponse<String> get(S3Gateway gateway) throws IOException, InterruptedException {
        URI uri = URI.create("http://127.0.0.1:" + gateway.address().getPort() + "/films/a");
        try (HttpClient http = HttpClient.newHttpClient()) {
            return http.send(HttpRequest.newBuilder(uri).build(), HttpResponse.BodyHandlers.ofString());
        }
    }

    private static S3Gateway start(Supplier<Gateways> gateways, S3Gateway.Settings settings) throws IOException {
        return S3Gateway.start(door(gateways), SELF, settings, new SimpleMeterRegistry());
    }

    @Test
    void unsignedRequestIsRefusedWithoutAnAnonymousPerson() throws IOException, InterruptedException {
        try (S3Gateway gateway = start(() -> Gateways.NONE, S3Gateway.Settings.plain(FREE))) {
            HttpResponse<String> answer = get(gateway);
            assertThat(answer.statusCode()).isEqualTo(403);
            assertThat(answer.body()).contains("<Code>AccessDenied</Code>");
        }
    }

    @Test
    void gatewayWithoutReplicasAsksToComeAgain() throws IOException, InterruptedException {
        Supplier<Gateways> failing = () -> {
            throw new UnavailableException("1 of 4 replicas answers", Subject.NONE);
        };
        try (S3Gateway gateway = start(failing, S3Gateway.Settings.plain(FREE))) {
            HttpResponse<String> answer = get(gateway);
            assertThat(answer.statusCode()).isEqualTo(503);
            assertThat(answer.body()).contains("<Code>ServiceUnavailable</Code>");
        }
    }

    /** A client that does not know the certificate must not go on, which shows that there is one. */
    @Test
    void gatewayShowsTheIdentityOfItsClient(@TempDir Path directory) throws IOException {
        Path file = Identity.file(directory, SELF);
        Identity.generate(SELF, new SecureRandom()).store(file);
        S3Gateway.Settings settings =
                new S3Gateway.Settings(FREE, Optional.of(new S3Gateway.Tls(file, file)), List.of());
        try (S3Gateway gateway = start(() -> Gateways.NONE, settings);
                HttpClient http = HttpClient.newHttpClient()) {
            URI uri = URI.create("https://127.0.0.1:" + gateway.address().getPort() + "/");
            assertThatThrownBy(
                            () -> http.send(HttpRequest.newBuilder(uri).build(), HttpResponse.BodyHandlers.ofString()))
                    .isInstanceOf(SSLHandshakeException.class);
        }
    }
}
