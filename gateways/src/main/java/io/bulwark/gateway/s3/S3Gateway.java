package io.bulwark.gateway.s3;

import io.bulwark.client.Bulwark;
import io.bulwark.client.Locks;
import io.bulwark.client.error.BulwarkException;
import io.bulwark.gateway.s3.access.AccessKey;
import io.bulwark.gateway.s3.access.AccessKeys;
import io.bulwark.gateway.s3.access.ReplicatedAccessKeys;
import io.bulwark.gateway.s3.call.SdkFailures;
import io.bulwark.gateway.s3.expiration.LifecycleWorker;
import io.bulwark.gateway.s3.http.S3Limits;
import io.bulwark.gateway.s3.http.S3Server;
import io.bulwark.gateway.s3.http.S3Settings;
import io.bulwark.gateway.s3.http.ServerCertificate;
import io.bulwark.gateway.s3.notification.NotificationWorker;
import io.bulwark.protocol.id.PrincipalId;
import io.bulwark.transport.identity.Identity;
import io.micrometer.core.instrument.FunctionCounter;
import io.micrometer.core.instrument.MeterRegistry;
import java.io.IOException;
import java.net.InetSocketAddress;
import java.nio.file.Path;
import java.util.List;
import java.util.Optional;
import java.util.function.Supplier;

/** A running gateway: the HTTP server, the access keys of the cluster and the operations over them. */
public final class S3Gateway implements AutoCloseable {
    private final S3Server server;
    private final LifecycleWorker lifecycle;
    private final NotificationWorker notifications;

    private S3Gateway(S3Server server, LifecycleWorker lifecycle, NotificationWorker notifications) {
        this.server = server;
        this.lifecycle = lifecycle;
        this.notifications = notifications;
    }

    /**
     * Settings of a gateway.
     *
     * @param listen its address; port 0 takes a free one
     * @param tls plain HTTP if empty
     * @param domains names of its hosts, below which names of buckets may stand
     */
    public record Settings(InetSocketAddress listen, Optional<Tls> tls, List<String> domains) {
        public Settings {
            domains = List.copyOf(domains);
        }

        /** Returns the settings of a gateway without TLS and names. */
        public static Settings plain(InetSocketAddress listen) {
            return new Settings(listen, Optional.empty(), List.of());
        }
    }

    /**
     * Files of the certificate that clients see.
     *
     * @param certificate chain in PEM, or the identity of a principal
     * @param key in PEM; the same file for an identity
     */
    public record Tls(Path certificate, Path key) {
        private ServerCertificate load() throws IOException {
            return certificate.equals(key)
                    ? ServerCertificate.of(Identity.load(certificate))
                    : ServerCertificate.ofFiles(certificate, key);
        }
    }

    /** Access keys whose failures have error codes of S3, such as that the client should come again. */
    private record TranslatedAccessKeys(AccessKeys keys) implements AccessKeys {
        @Override
        public Optional<AccessKey> find(String id) {
            return translated(() -> keys.find(id));
        }

        @Override
        public Optional<PrincipalId> anonymous() {
            return translated(keys::anonymous);
        }

        private static <T> T translated(Supplier<T> question) {
            try {
                return question.get();
            } catch (BulwarkException e) {
                throw SdkFailures.of(e)
                        .<RuntimeException>map(refusal -> refusal)
                        .orElse(e);
            }
        }
    }

    /**
     * Starts one.
     *
     * @param door the gateway's own client, which stays the caller's to close
     * @param self the principal of that client
     * @throws IOException if it cannot listen, or the certificate cannot be read
     */
    public static S3Gateway start(Bulwark door, PrincipalId self, Settings settings, MeterRegistry meters)
            throws IOException {
        Optional<ServerCertificate> certificate = Optional.empty();
        if (settings.tls().isPresent()) {
            certificate = Optional.of(settings.tls().get().load());
        }
        S3Server server = S3Server.start(
                new S3Settings(settings.listen(), certificate, settings.domains(), S3Limits.standard()),
                new TranslatedAccessKeys(new ReplicatedAccessKeys(door.accessKeys())),
                new S3Operations(door),
                meters);
        measureLocks(door.locks(), meters);
        return new S3Gateway(
                server,
                LifecycleWorker.start(door, self),
                NotificationWorker.start(door, NotificationWorker.Settings.standard(), meters));
    }

    private static void measureLocks(Locks locks, MeterRegistry meters) {
        String name = "bulwark.s3.lockable";
        String description =
                "Changes of metadata that a log could take, by whether one took them or they were ordered.";
        FunctionCounter.builder(name, locks, known -> known.use().logged())
                .description(description)
                .tag("way", "logged")
                .register(meters);
        FunctionCounter.builder(name, locks, known -> known.use().ordered())
                .description(description)
                .tag("way", "ordered")
                .register(meters);
    }

    /** Returns the address on which it listens, with the port that it really got. */
    public InetSocketAddress address() {
        return server.boundAddress();
    }

    /** Lets requests in progress finish for some seconds. */
    @Override
    public void close() {
        server.close();
        lifecycle.close();
        notifications.close();
    }
}
