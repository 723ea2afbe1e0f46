package io.bulwark.it;

import static org.assertj.core.api.Assertions.assertThat;

import io.bulwark.it.CheckedApi.Session;
import io.bulwark.protocol.id.PrincipalId;
import io.bulwark.protocol.id.PrincipalKey;
import io.bulwark.protocol.metadata.Rights;
import io.bulwark.protocol.metadata.Scope;
import io.bulwark.transport.identity.Identity;
import io.bulwark.transport.identity.OpenedDevice;
import io.bulwark.transport.identity.Pkcs11Token;
import java.io.IOException;
import java.net.http.HttpClient;
import java.net.http.HttpRequest;
import java.net.http.HttpResponse;
import java.nio.file.Files;
import java.nio.file.Path;
import java.security.SecureRandom;
import java.time.Duration;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import org.jspecify.annotations.NullMarked;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.RegisterExtension;
import org.junit.jupiter.api.io.TempDir;

/** A console with a configuration of its own beside the shared cluster: it sends traces, and has a device. */
@NullMarked
class ConsoleAloneIT {
    @RegisterExtension
    static final LiveCluster CLUSTER = LiveCluster.shared();

    private static final String BUCKET = "traced-" + Long.toString(System.nanoTime() & 0xfffffffL, 36);
    private static final String PIN = "123456";
    private static final String WRONG_PIN = "654321";
    private static final String ENDPOINT = "management.opentelemetry.tracing.export.otlp.endpoint";

    @TempDir
    Path directory = Path.of("");

    @Test
    void aTraceReachesFromARequestToTheMembers() throws Exception {
        try (SpanCollector collector = new SpanCollector()) {
            try (AloneConsole console = new AloneConsole(CLUSTER, directory, "traces: " + collector.url())) {
                putAnObject(console.user());
            }
            assertThat(collector.spans()).isNotEmpty().allSatisfy(span -> {
                boolean request = span.name().startsWith("http ");
                assertThat(request || collector.parentOf(span).isPresent())
                        .as("%s belongs to what somebody asked for", span)
                        .isTrue();
            });
            String upload = "http put /api/v1/buckets/{bucket}/object";
            assertThat(belowOf(collector, upload, "ExtentWrite", "request to node-"))
                    .as("fragments go to the nodes: %s", collector.spans())
                    .hasSizeGreaterThanOrEqualTo(3);
            assertThat(belowOf(collector, upload, "GroupCall", "request to replica-"))
                    .as("the inode goes to the replicas: %s", collector.spans())
                    .hasSizeGreaterThanOrEqualTo(3);
        }
    }

    /** Returns the requests of an operation within a request to the console. */
    private static List<String> belowOf(SpanCollector collector, String request, String operation, String name) {
        return collector.spans().stream()
                .filter(span -> span.name().startsWith(name))
                .filter(span -> collector
                        .parentOf(span)
                        .filter(parent -> parent.name().equals(operation))
                        .flatMap(collector::parentOf)
                        .filter(parent ->
                                parent.name().equals(request) && parent.trace().equals(span.trace()))
                        .isPresent())
                .map(SpanCollector.Span::name)
                .distinct()
                .toList();
    }

    /** Not even where the environment of the process names a collector. */
    @Test
    void nothingIsSentUnlessTheFileSaysSo() throws Exception {
        try (SpanCollector collector = new SpanCollector()) {
            System.setProperty(ENDPOINT, collector.url().toString());
            try (AloneConsole console = new AloneConsole(CLUSTER, directory)) {
                putAnObject(console.user());
            } finally {
                System.clearProperty(ENDPOINT);
            }
            assertThat(collector.requests()).isZero();
        }
    }

    private static void putAnObject(ConsoleUser user) throws IOException, InterruptedException {
        try (HttpClient http = HttpClient.newHttpClient()) {
            send(
                    http,
                    user.request("/api/v1/buckets")
                            .header("Content-Type", "application/json")
                            .POST(HttpRequest.BodyPublishers.ofString("{\"name\": \"" + BUCKET + "\"}")),
                    List.of(201, 409));
            send(
                    http,
                    user.request("/api/v1/buckets/" + BUCKET + "/object?key=boat")
                            .PUT(HttpRequest.BodyPublishers.ofByteArray(new byte[100_000])),
                    List.of(201));
        }
    }

    private static void send(HttpClient http, HttpRequest.Builder request, List<Integer> wanted)
            throws IOException, InterruptedException {
        HttpResponse<String> answer = http.send(request.build(), HttpResponse.BodyHandlers.ofString());
        assertThat(answer.statusCode()).as(answer.body()).isIn(wanted);
    }

    @Test
    void anOperatorSignsInWithADeviceAndItsPin() throws Exception {
        SoftHsm.makeToken("operator", PIN);
        Pkcs11Token token = new Pkcs11Token(SoftHsm.MODULE, "operator", "operator", Optional.empty());
        PrincipalId operator = CLUSTER.client().principals().nextClient();
        PrincipalKey key;
        try (OpenedDevice made = token.generate(operator, Duration.ofDays(1), PIN.toCharArray())) {
            key = made.identity().publicKey();
        }
        CLUSTER.client().principals().add(operator, key);
        PrincipalId guest = CLUSTER.client().principals().nextClient();
        CLUSTER.client().principals().add(guest, freshKey(guest));
        CLUSTER.client().principals().grant(operator, new Scope.All(), new Rights(true, true, true));
        Files.writeString(directory.resolve("operator.pkcs11"), token.text());
        try (AloneConsole console = new AloneConsole(CLUSTER, directory, "key-device: operator.pkcs11");
                CheckedApi api = new CheckedApi(console.user())) {
            assertThat(api.signInWithDevice(WRONG_PIN)).isEmpty();
            for (int i = 0; i < 2; i++) {
                try (Session session = api.signInWithDevice(PIN).orElseThrow()) {
                    assertThat(session.send(api.call("GET", "/api/v1/account"), 200)
                                    .json()
                                    .get("principal")
                                    .asString())
                            .isEqualTo(operator.toString());
                    // No door may do this: the operator's own signature, made in the device, proves it.
                    session.send(
                            api.call("PUT", "/api/v1/principals/" + guest + "/key")
                                    .json(Map.of("key", freshKey(guest).text())),
                            200);
                    assertThat(api.signInWithDevice(PIN)).as("it is open").isEmpty();
                    session.signOut();
                }
            }
            for (int i = 0; i < 2; i++) {
                assertThat(api.signInWithDevice(WRONG_PIN)).isEmpty();
            }
            assertThat(api.signInWithDevice(PIN))
                    .as("the device is asked no more, so that it does not lock itself")
                    .isEmpty();
        }
        CLUSTER.client().principals().revoke(operator);
        CLUSTER.client().principals().revoke(guest);
    }

    private static PrincipalKey freshKey(PrincipalId principal) {
        return Identity.generate(principal, new SecureRandom()).publicKey();
    }
}
