package io.bulwark.it;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import io.bulwark.appliance.boot.RoleFile;
import io.bulwark.appliance.cluster.ClusterShape;
import io.bulwark.appliance.cluster.JavaCommand;
import io.bulwark.appliance.cluster.Member;
import io.bulwark.appliance.cluster.ProcessMember;
import io.bulwark.client.Bulwark;
import io.bulwark.client.VolumeSpec;
import io.bulwark.console.ConsoleServer;
import io.bulwark.console.account.SetupLink;
import io.bulwark.protocol.cluster.ProtectionPolicy;
import io.bulwark.transport.Destination;
import java.io.IOException;
import java.net.InetSocketAddress;
import java.net.URI;
import java.net.http.HttpClient;
import java.net.http.HttpRequest;
import java.net.http.HttpResponse;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Clock;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.TimeUnit;
import java.util.stream.IntStream;
import org.jspecify.annotations.NullMarked;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.RegisterExtension;
import org.junit.jupiter.api.io.TempDir;
import tools.jackson.databind.json.JsonMapper;

/**
 * SIGTERM to running members while clients write and read: a rolling restart as docs/how-to/upgrade.md has it, a node and a replica at a
 * time, first the primary, and a console with requests in hand. Each process ends with 0, and no operation of a client fails.
 */
@NullMarked
@Tag("long")
class ShutdownIT {
    private static final int CLIENTS = 4;
    private static final int BLOCK_BYTES = 4096;
    private static final int OPERATIONS = 10;
    private static final long PAUSE_MILLIS = 20;
    private static final int CONSOLE_HEAP_MEBIBYTES = 256;
    private static final int REQUESTS = 6;
    private static final int OK = 200;
    private static final int UNAVAILABLE = 503;
    private static final Duration LONG = Duration.ofMinutes(3);
    private static final Duration POLL = Duration.ofMillis(200);

    /** Requests are in hand by then. */
    private static final Duration ARRIVED = Duration.ofSeconds(2);

    private static final Duration KNOWN = Duration.ofMillis(2_200);

    /** Longer than a process gives itself, on a busy machine too: its exit code and its log tell whether it kept to that. */
    private static final Duration END_MAX = Duration.ofMinutes(1);

    private static final JsonMapper JSON = JsonMapper.builder().build();

    @RegisterExtension
    static final LiveCluster CLUSTER = LiveCluster.ofReplicaProcesses(4, 1);

    @TempDir
    Path directory = Path.of("");

    private final long began = System.nanoTime();
    private final HttpClient http = HttpClient.newHttpClient();

    @AfterEach
    void close() {
        http.close();
    }

    @Test
    void whoeverIsToldToEndFinishesWhatItHasInHandAndNoClientNoticesIt() throws Exception {
        Bulwark client = CLUSTER.client();
        client.createBucket("files");
        client.createVolume(VolumeSpec.registers(
                "disk", new ProtectionPolicy(1, 2, 4, BLOCK_BYTES), CLIENTS * FileLoad.BLOCKS_EACH));
        FileLoad load = new FileLoad(
                "files", "disk", BLOCK_BYTES, Files.createDirectory(directory.resolve("load")), PAUSE_MILLIS);
        ProcessMember console = console();
        try (load) {
            console.start();
            IntStream.range(0, CLIENTS).forEach(_ -> load.start(client));
            load.awaitOperations("before", OPERATIONS);
            int first = primary();
            endAndStart(load, "node-0", "replica-" + first);
            int second = primary();
            assertThat(second).as("the view was handed over").isNotEqualTo(first);
            endAndStart(load, "node-0", "replica-" + (second + 1) % CLUSTER.replicas());
            load.awaitOperations("at the end", OPERATIONS);
            load.stop();
            tell("the end: " + load);
            assertThat(load.readAll(client)).isEmpty();
            assertThat(load.failures()).as("no operation failed").isEmpty();
            aConsoleAnswersWhatItWasAsked(console);
        } finally {
            load.stop();
            console.stop();
        }
    }

    /** SIGTERM to both at once, while clients go on; then both are started again. */
    private void endAndStart(FileLoad load, String... names) throws Exception {
        List<Member> members = List.of(names).stream().map(CLUSTER::member).toList();
        for (Member member : members) {
            terminate(member);
        }
        for (Member member : members) {
            assertEnded(member);
            assertThat(Files.readString(CLUSTER.plan().data().log(member.name())))
                    .contains(member.name() + " is down")
                    .doesNotContain("did not stop", "requests unanswered");
        }
        load.awaitOperations(
                "without " + members.get(0).name() + " and " + members.get(1).name(), OPERATIONS);
        for (Member member : members) {
            member.start();
        }
        for (Member member : members) {
            await().atMost(LONG).pollInterval(POLL).until(() -> readiness(adminOf(member)) == OK);
        }
        CLUSTER.awaitFullFaults();
        tell(String.join(" and ", names) + " are back: " + load);
    }

    /** Checks that more than f frozen replicas keep a console's requests waiting until all of them continue. */
    private void aConsoleAnswersWhatItWasAsked(ProcessMember console) throws Exception {
        InetSocketAddress admin = adminOf(console);
        await().atMost(LONG).pollInterval(POLL).until(() -> readiness(admin) == OK);
        ConsoleUser user = ConsoleUser.setUp(ConsoleServer.setupUrl(
                "http://" + console.address(), new SetupLink(accounts(), Clock.systemUTC()).make()));
        List<Member> frozen = List.of(CLUSTER.member("replica-0"), CLUSTER.member("replica-1"));
        List<CompletableFuture<HttpResponse<String>>> asked = new ArrayList<>();
        for (Member replica : frozen) {
            Nemesis.signal(replica, "STOP");
        }
        try {
            // The console answers from what it knows if that is two seconds old at most.
            Thread.sleep(KNOWN);
            for (int i = 0; i < REQUESTS; i++) {
                HttpRequest request = user.request(i % 2 == 0 ? "/api/v1/status" : "/api/v1/map")
                        .build();
                asked.add(http.sendAsync(request, HttpResponse.BodyHandlers.ofString()));
            }
            Thread.sleep(ARRIVED);
            terminate(console);
            await().atMost(END_MAX).pollInterval(POLL).until(() -> readiness(admin) == UNAVAILABLE);
            assertThat(asked).as("all in hand").noneMatch(CompletableFuture::isDone);
            assertThat(console.isRunning()).isTrue();
        } finally {
            for (Member replica : frozen) {
                Nemesis.signal(replica, "CONT");
            }
        }
        for (CompletableFuture<HttpResponse<String>> each : asked) {
            HttpResponse<String> answer = each.get(END_MAX.toSeconds(), TimeUnit.SECONDS);
            assertThat(answer.statusCode()).as(answer.body()).isEqualTo(OK);
            assertThat(JSON.readTree(answer.body()).isEmpty()).isFalse();
        }
        assertEnded(console);
    }

    private Path accounts() {
        return directory.resolve("accounts");
    }

    private ProcessMember console() throws IOException {
        Path role = directory.resolve("console.yaml");
        Path client = directory.resolve("console.properties");
        CLUSTER.clientConfig(1).store(client);
        InetSocketAddress listen =
                Destination.of("127.0.0.1", CLUSTER.plan().shape().consolePort() + 2);
        RoleFile.writeConsole(
                new RoleFile.Configured<>(
                        RoleFile.ConsoleSetup.plain(listen, false, client, accounts()),
                        Optional.of(CLUSTER.plan().adminAddress(listen))),
                role);
        return new ProcessMember(
                "console",
                listen,
                Optional.of(CLUSTER.plan().data().log("console")),
                JavaCommand.member(CONSOLE_HEAP_MEBIBYTES),
                List.of("console", "--config", role.toString()));
    }

    private void terminate(Member member) throws IOException, InterruptedException {
        tell("SIGTERM to " + member.name());
        Nemesis.signal(member, "TERM");
    }

    private void assertEnded(Member member) {
        await().atMost(END_MAX).pollInterval(Duration.ofMillis(50)).until(() -> !member.isRunning());
        tell(member.name() + " has ended " + member.ended());
        assertThat(member.ended().orElseThrow()).startsWith("with exit code 0;");
    }

    /** Returns the replica that reports that it leads. */
    private int primary() throws Exception {
        return await().atMost(LONG)
                .pollInterval(POLL)
                .until(
                        () -> {
                            for (int replica = 0; replica < CLUSTER.replicas(); replica++) {
                                InetSocketAddress admin = adminOf(CLUSTER.member("replica-" + replica));
                                if (Scrape.of(http, admin).sum("bulwark_replica_leads") > 0) {
                                    return replica;
                                }
                            }
                            return -1;
                        },
                        replica -> replica >= 0);
    }

    private static InetSocketAddress adminOf(Member member) {
        int port = Integer.parseInt(member.address().substring(member.address().lastIndexOf(':') + 1));
        return Destination.of("127.0.0.1", ClusterShape.adminPort(port));
    }

    /** 0 if nobody answers. */
    private int readiness(InetSocketAddress admin) throws InterruptedException {
        URI ready = URI.create("http://127.0.0.1:" + admin.getPort() + "/actuator/health/readiness");
        try {
            return http.send(HttpRequest.newBuilder(ready).build(), HttpResponse.BodyHandlers.discarding())
                    .statusCode();
        } catch (IOException e) {
            return 0;
        }
    }

    private void tell(String what) {
        System.out.printf(
                "%4d s: %s%n", Duration.ofNanos(System.nanoTime() - began).toSeconds(), what);
    }
}
