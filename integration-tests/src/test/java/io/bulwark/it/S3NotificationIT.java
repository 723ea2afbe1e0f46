package io.bulwark.it;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;
import static org.awaitility.Awaitility.await;

import com.sun.net.httpserver.HttpExchange;
import com.sun.net.httpserver.HttpServer;
import io.bulwark.client.AccessKeySpec;
import io.bulwark.client.AccessKeys;
import io.bulwark.client.Bulwark;
import io.bulwark.protocol.metadata.Rights;
import java.io.IOException;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.net.URI;
import java.nio.charset.StandardCharsets;
import java.security.GeneralSecurityException;
import java.time.Duration;
import java.util.ArrayList;
import java.util.HexFormat;
import java.util.List;
import java.util.concurrent.CopyOnWriteArrayList;
import java.util.concurrent.Executors;
import java.util.concurrent.atomic.AtomicInteger;
import javax.crypto.Mac;
import javax.crypto.spec.SecretKeySpec;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.TestInstance;
import org.junit.jupiter.api.extension.RegisterExtension;
import software.amazon.awssdk.auth.credentials.AwsBasicCredentials;
import software.amazon.awssdk.auth.credentials.StaticCredentialsProvider;
import software.amazon.awssdk.core.sync.RequestBody;
import software.amazon.awssdk.http.urlconnection.UrlConnectionHttpClient;
import software.amazon.awssdk.regions.Region;
import software.amazon.awssdk.services.s3.S3Client;
import software.amazon.awssdk.services.s3.model.Event;
import software.amazon.awssdk.services.s3.model.FilterRule;
import software.amazon.awssdk.services.s3.model.FilterRuleName;
import software.amazon.awssdk.services.s3.model.GetBucketNotificationConfigurationResponse;
import software.amazon.awssdk.services.s3.model.QueueConfiguration;
import software.amazon.awssdk.services.s3.model.S3Exception;
import tools.jackson.databind.JsonNode;
import tools.jackson.databind.json.JsonMapper;

/** A webhook that fails, is slow and restarts hears of each change at least once, in order. */
@TestInstance(TestInstance.Lifecycle.PER_CLASS)
class S3NotificationIT {
    @RegisterExtension
    static final LiveCluster CLUSTER = LiveCluster.shared();

    private static final String BUCKET = "it-notified";
    private static final JsonMapper JSON = new JsonMapper();
    private static final Duration LONG = Duration.ofMinutes(2);

    private final List<JsonNode> events = new CopyOnWriteArrayList<>();
    private volatile int status = 200;
    private volatile long pauseMillis;
    private final AtomicInteger calls = new AtomicInteger();
    private AccessKeys.@Nullable Issued webhook;
    private @Nullable HttpServer server;
    private int port;
    private S3Client s3 = S3Client.builder().region(Region.US_EAST_1).build();

    @BeforeAll
    void connect() throws IOException {
        Bulwark operator = CLUSTER.client();
        AccessKeys.Issued key =
                operator.accessKeys().create(AccessKeySpec.of("it").withRights(Rights.ALL));
        s3 = S3Client.builder()
                .endpointOverride(URI.create(
                        "http://127.0.0.1:" + CLUSTER.plan().s3Address().getPort()))
                .region(Region.US_EAST_1)
                .forcePathStyle(true)
                .httpClient(UrlConnectionHttpClient.create())
                .credentialsProvider(StaticCredentialsProvider.create(
                        AwsBasicCredentials.create(key.key().id(), key.secret())))
                .build();
        start();
        webhook = operator.webhooks().create("it-hooks", "http://127.0.0.1:" + port + "/events");
    }

    @AfterAll
    void close() {
        s3.close();
        stop();
        CLUSTER.client().webhooks().remove("it-hooks");
    }

    private void start() throws IOException {
        HttpServer next = HttpServer.create(new InetSocketAddress(InetAddress.getLoopbackAddress(), port), 0);
        next.setExecutor(Executors.newVirtualThreadPerTaskExecutor());
        next.createContext("/events", this::receive);
        next.start();
        port = next.getAddress().getPort();
        server = next;
    }

    private void stop() {
        HttpServer running = server;
        if (running != null) {
            running.stop(0);
            server = null;
        }
    }

    private void receive(HttpExchange exchange) throws IOException {
        byte[] body = exchange.getRequestBody().readAllBytes();
        calls.incrementAndGet();
        try {
            Thread.sleep(pauseMillis);
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
        }
        int answer = isSigned(exchange, body) ? status : 403;
        if (answer == 200) {
            JSON.readTree(body).get("Records").forEach(events::add);
        }
        exchange.sendResponseHeaders(answer, -1);
        exchange.close();
    }

    private boolean isSigned(HttpExchange exchange, byte[] body) {
        AccessKeys.Issued issued = webhook;
        String seconds = exchange.getRequestHeaders().getFirst("x-bulwark-timestamp");
        if (issued == null
                || !issued.key().id().equals(exchange.getRequestHeaders().getFirst("x-bulwark-key"))) {
            return false;
        }
        try {
            Mac mac = Mac.getInstance("HmacSHA256");
            mac.init(new SecretKeySpec(issued.secret().getBytes(StandardCharsets.UTF_8), "HmacSHA256"));
            mac.update((seconds + ".").getBytes(StandardCharsets.UTF_8));
            return ("sha256=" + HexFormat.of().formatHex(mac.doFinal(body)))
                    .equals(exchange.getRequestHeaders().getFirst("x-bulwark-signature"));
        } catch (GeneralSecurityException e) {
            throw new IllegalStateException(e);
        }
    }

    private void configure(String arn, Event... wanted) {
        QueueConfiguration queue = QueueConfiguration.builder()
                .id("images")
                .queueArn(arn)
                .events(wanted)
                .filter(filter -> filter.key(key -> key.filterRules(FilterRule.builder()
                        .name(FilterRuleName.PREFIX)
                        .value("in/")
                        .build())))
                .build();
        s3.putBucketNotificationConfiguration(
                request -> request.bucket(BUCKET).notificationConfiguration(all -> all.queueConfigurations(queue)));
    }

    private void put(String key) {
        s3.putObject(request -> request.bucket(BUCKET).key(key), RequestBody.fromString(key));
    }

    /** Returns the distinct events, in the order in which they first came. */
    private List<String> heard() {
        return events.stream()
                .map(event -> event.get("eventName").asString() + " "
                        + event.get("s3").get("object").get("key").asString())
                .distinct()
                .toList();
    }

    @Test
    void eachChangeIsHeardOfAtLeastOnceAndInOrder() throws IOException {
        s3.createBucket(request -> request.bucket(BUCKET));
        assertThatThrownBy(() -> configure("arn:bulwark:sqs:::nobody", Event.S3_OBJECT_CREATED))
                .isInstanceOfSatisfying(
                        S3Exception.class, e -> assertThat(e.statusCode()).isEqualTo(400));
        assertThatThrownBy(() -> configure("arn:bulwark:sqs:::it-hooks", Event.S3_OBJECT_RESTORE_POST))
                .isInstanceOfSatisfying(
                        S3Exception.class, e -> assertThat(e.statusCode()).isEqualTo(501));
        configure("arn:bulwark:sqs:::it-hooks", Event.S3_OBJECT_CREATED, Event.S3_OBJECT_REMOVED);
        GetBucketNotificationConfigurationResponse stored =
                s3.getBucketNotificationConfiguration(request -> request.bucket(BUCKET));
        assertThat(stored.queueConfigurations()).singleElement().satisfies(queue -> {
            assertThat(queue.id()).isEqualTo("images");
            assertThat(queue.events()).containsExactly(Event.S3_OBJECT_CREATED, Event.S3_OBJECT_REMOVED);
        });

        List<String> expected = new ArrayList<>();
        put("in/first one");
        put("elsewhere");
        expected.add("ObjectCreated:Put in/first+one");
        await().atMost(LONG).untilAsserted(() -> assertThat(heard()).isEqualTo(expected));
        JsonNode first = events.getFirst();
        assertThat(first.get("s3").get("bucket").get("name").asString()).isEqualTo(BUCKET);
        assertThat(first.get("s3").get("configurationId").asString()).isEqualTo("images");
        assertThat(first.get("s3").get("object").get("size").asLong()).isEqualTo("in/first one".length());
        assertThat('"' + first.get("s3").get("object").get("eTag").asString() + '"')
                .isEqualTo(s3.headObject(request -> request.bucket(BUCKET).key("in/first one"))
                        .eTag());

        status = 500;
        for (int i = 0; i < 5; i++) {
            put("in/failing-" + i);
            expected.add("ObjectCreated:Put in/failing-" + i);
        }
        int before = calls.get();
        await().atMost(LONG).until(() -> calls.get() > before + 1);
        assertThat(heard()).hasSize(1);
        assertThat(CLUSTER.client().status().eventLogs())
                .filteredOn(log -> log.bucket().equals(BUCKET))
                .singleElement()
                .satisfies(log -> {
                    assertThat(log.pending()).isEqualTo(5);
                    assertThat(log.dropped()).isZero();
                });
        status = 200;
        pauseMillis = 500;
        await().atMost(LONG).untilAsserted(() -> assertThat(heard()).isEqualTo(expected));

        stop();
        pauseMillis = 0;
        s3.deleteObject(request -> request.bucket(BUCKET).key("in/first one"));
        s3.copyObject(request -> request.sourceBucket(BUCKET)
                .sourceKey("elsewhere")
                .destinationBucket(BUCKET)
                .destinationKey("in/copy"));
        expected.add("ObjectRemoved:Delete in/first+one");
        expected.add("ObjectCreated:Copy in/copy");
        start();
        await().atMost(LONG).untilAsserted(() -> assertThat(heard()).isEqualTo(expected));

        s3.putBucketNotificationConfiguration(request -> request.bucket(BUCKET).notificationConfiguration(all -> {}));
        assertThat(s3.getBucketNotificationConfiguration(request -> request.bucket(BUCKET))
                        .queueConfigurations())
                .isEmpty();
        assertThat(CLUSTER.client().status().eventLogs())
                .noneMatch(log -> log.bucket().equals(BUCKET));
    }
}
