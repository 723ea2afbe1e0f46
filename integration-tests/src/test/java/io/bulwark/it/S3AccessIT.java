package io.bulwark.it;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;
import static org.awaitility.Awaitility.await;

import io.bulwark.appliance.boot.RoleFile;
import io.bulwark.appliance.cluster.JavaCommand;
import io.bulwark.appliance.cluster.ProcessMember;
import io.bulwark.transport.Destination;
import java.io.IOException;
import java.net.InetSocketAddress;
import java.net.URI;
import java.nio.file.Path;
import java.time.Duration;
import java.util.List;
import java.util.Optional;
import org.assertj.core.api.ThrowableAssert.ThrowingCallable;
import org.jspecify.annotations.NullMarked;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.RegisterExtension;
import org.junit.jupiter.api.io.TempDir;
import software.amazon.awssdk.auth.credentials.AwsBasicCredentials;
import software.amazon.awssdk.auth.credentials.StaticCredentialsProvider;
import software.amazon.awssdk.core.sync.RequestBody;
import software.amazon.awssdk.http.urlconnection.UrlConnectionHttpClient;
import software.amazon.awssdk.regions.Region;
import software.amazon.awssdk.services.s3.S3Client;
import software.amazon.awssdk.services.s3.model.S3Exception;
import tools.jackson.databind.JsonNode;

/** Access keys from the command line to the gateway: limits, rotation, revocation, and a second gateway in a process of its own. */
@NullMarked
class S3AccessIT {
    @RegisterExtension
    static final LiveCluster CLUSTER = LiveCluster.shared();

    /** Longer than a gateway remembers a key, on a busy machine too. */
    private static final Duration FORGOTTEN_MAX = Duration.ofMinutes(1);

    private static final Duration STARTED_MAX = Duration.ofMinutes(2);
    private static final int HEAP_MEBIBYTES = 256;

    @TempDir
    Path directory = Path.of("");

    private static JsonNode created(String... options) {
        return new CommandRun(CLUSTER, "access-key", "create").with(options).json();
    }

    private static String id(JsonNode key) {
        return key.get("id").asString();
    }

    private static S3Client client(JsonNode key, int port) {
        return S3Client.builder()
                .endpointOverride(URI.create("http://127.0.0.1:" + port))
                .region(Region.US_EAST_1)
                .forcePathStyle(true)
                .httpClient(UrlConnectionHttpClient.create())
                .credentialsProvider(StaticCredentialsProvider.create(
                        AwsBasicCredentials.create(id(key), key.get("secret").asString())))
                .build();
    }

    private static S3Client client(JsonNode key) {
        return client(key, CLUSTER.plan().s3Address().getPort());
    }

    private static void put(S3Client s3, String bucket, String key) {
        s3.putObject(request -> request.bucket(bucket).key(key), RequestBody.fromString("content of " + key));
    }

    private static String get(S3Client s3, String bucket, String key) {
        return s3.getObjectAsBytes(request -> request.bucket(bucket).key(key)).asUtf8String();
    }

    private static void assertRefused(String code, ThrowingCallable call) {
        assertThatThrownBy(call)
                .isInstanceOfSatisfying(
                        S3Exception.class,
                        e -> assertThat(e.awsErrorDetails().errorCode()).isEqualTo(code));
    }

    @Test
    void keyReachesItsPrefixAndNothingElse() {
        CLUSTER.client().createBucket("key-limits");
        CLUSTER.client().createBucket("key-others").put("a/x", new byte[1]);
        try (S3Client s3 = client(created("limited", "--bucket", "key-limits", "--prefix", "a/"))) {
            put(s3, "key-limits", "a/x");
            assertThat(get(s3, "key-limits", "a/x")).isEqualTo("content of a/x");
            assertRefused("AccessDenied", () -> put(s3, "key-limits", "b/x"));
            assertRefused("AccessDenied", () -> get(s3, "key-others", "a/x"));
        }
        try (S3Client s3 = client(created("reader", "--bucket", "key-limits", "--rights", "read"))) {
            assertThat(get(s3, "key-limits", "a/x")).isEqualTo("content of a/x");
            assertRefused("AccessDenied", () -> put(s3, "key-limits", "a/y"));
        }
    }

    @Test
    void oldKeyEndsAfterTheRotationAndARevokedOneSoon() {
        CLUSTER.client().createBucket("key-rotation");
        JsonNode old = created("rotated", "--bucket", "key-rotation");
        JsonNode fresh = new CommandRun(CLUSTER, "access-key", "rotate", id(old)).json();
        try (S3Client before = client(old);
                S3Client after = client(fresh)) {
            put(before, "key-rotation", "x");
            assertThat(get(after, "key-rotation", "x")).isEqualTo("content of x");
            new CommandRun(CLUSTER, "access-key", "revoke", id(old)).json();
            await().atMost(FORGOTTEN_MAX)
                    .untilAsserted(() -> assertRefused("InvalidAccessKeyId", () -> get(before, "key-rotation", "x")));
            assertThat(get(after, "key-rotation", "x")).isEqualTo("content of x");
        }
    }

    @Test
    void secondGatewayServesTheSameKeysAndEndsWhenItIsTold() throws Exception {
        CLUSTER.client().createBucket("key-gateways");
        JsonNode key = created("shared", "--bucket", "key-gateways");
        new CommandRun(CLUSTER, "s3", "enable", "--door", "client-13").json();
        InetSocketAddress listen =
                Destination.of("127.0.0.1", CLUSTER.plan().s3Address().getPort() + 1);
        ProcessMember gateway = gateway(listen);
        try (S3Client s3 = client(key, listen.getPort())) {
            gateway.start();
            await().atMost(STARTED_MAX).ignoreExceptions().untilAsserted(() -> put(s3, "key-gateways", "x"));
            assertThat(get(s3, "key-gateways", "x")).isEqualTo("content of x");
            Nemesis.signal(gateway, "TERM");
            await().atMost(FORGOTTEN_MAX).until(() -> !gateway.isRunning());
            assertThat(gateway.ended().orElseThrow()).startsWith("with exit code 0;");
        } finally {
            gateway.stop();
            new CommandRun(CLUSTER, "s3", "disable", "--door", "client-13").json();
        }
    }

    private ProcessMember gateway(InetSocketAddress listen) throws IOException {
        Path role = directory.resolve("s3.yaml");
        Path client = directory.resolve("s3.properties");
        CLUSTER.clientConfig(13).store(client);
        RoleFile.writeS3(
                new RoleFile.Configured<>(RoleFile.S3Setup.plain(listen, false, client), Optional.empty()), role);
        return new ProcessMember(
                "s3",
                listen,
                Optional.of(CLUSTER.plan().data().log("s3")),
                JavaCommand.member(HEAP_MEBIBYTES),
                List.of("s3", "--config", role.toString()));
    }
}
