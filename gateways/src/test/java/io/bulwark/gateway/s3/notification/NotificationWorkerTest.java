package io.bulwark.gateway.s3.notification;

import static org.awaitility.Awaitility.await;

import com.sun.net.httpserver.HttpServer;
import io.bulwark.client.AccessKeys;
import io.bulwark.client.Bucket;
import io.bulwark.client.BucketDocument;
import io.bulwark.client.Bulwark;
import io.bulwark.client.EventLogs;
import io.bulwark.client.Webhooks;
import io.bulwark.gateway.s3.ScriptedAnswers;
import io.bulwark.protocol.id.PrincipalId;
import io.bulwark.protocol.metadata.AccessKey;
import io.bulwark.protocol.metadata.ObjectEvent;
import io.bulwark.protocol.metadata.Webhook;
import io.micrometer.core.instrument.simple.SimpleMeterRegistry;
import java.io.IOException;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.nio.charset.StandardCharsets;
import java.time.Duration;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.Executors;
import java.util.stream.IntStream;
import java.util.stream.Stream;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;

/** Many buckets with notifications, of which the last one in their order has only one event. */
class NotificationWorkerTest {
    private static final PrincipalId PERSON = PrincipalId.client(7);
    private static final int OTHERS = 40;
    private static final String LAST = "z";
    private static final Duration SOON = Duration.ofMillis(10);

    private final Set<String> acknowledged = ConcurrentHashMap.newKeySet();
    private final CountDownLatch end = new CountDownLatch(1);
    private final HttpServer receiver = start();

    private static HttpServer start() {
        try {
            return HttpServer.create(new InetSocketAddress(InetAddress.getLoopbackAddress(), 0), 0);
        } catch (IOException e) {
            throw new IllegalStateException(e);
        }
    }

    @BeforeEach
    void listen() {
        receiver.setExecutor(Executors.newVirtualThreadPerTaskExecutor());
        receiver.createContext("/prompt", exchange -> {
            exchange.sendResponseHeaders(200, -1);
            exchange.close();
        });
        receiver.createContext("/silent", exchange -> {
            try {
                end.await();
            } catch (InterruptedException e) {
                throw new IOException(e);
            }
            exchange.close();
        });
        receiver.start();
    }

    @AfterEach
    void stop() {
        end.countDown();
        receiver.stop(0);
    }

    private static EventLogs.EventLog log(String bucket) {
        return new EventLogs.EventLog(bucket, PERSON, 1, 0, Optional.empty(), 0);
    }

    private static List<EventLogs.Entry> event(long position) {
        return List.of(new EventLogs.Entry(
                position, new ObjectEvent(ObjectEvent.Kind.PUT, "key", 1, false, 1, "", PERSON, 1)));
    }

    /** Starts a worker whose buckets, but for the last one, have an endless log and this receiver. */
    private NotificationWorker worker(String path, Duration call, Duration turn) {
        EventLogs logs = ScriptedAnswers.of(
                EventLogs.class,
                Map.of(
                        "list/0",
                        _ -> Stream.concat(
                                        IntStream.range(0, OTHERS)
                                                .mapToObj(i -> String.format(Locale.ROOT, "bucket-%02d", i)),
                                        Stream.of(LAST).filter(name -> !acknowledged.contains(name)))
                                .map(NotificationWorkerTest::log)
                                .toList(),
                        "claim/3",
                        arguments -> {
                            if ((long) arguments[2] > 0) {
                                acknowledged.add((String) arguments[0]);
                            }
                            return new EventLogs.Claim(true, 1, 0);
                        },
                        "read/3",
                        arguments -> {
                            long after = (long) arguments[1];
                            return arguments[0].equals(LAST) && after > 0 ? List.of() : event(after + 1);
                        }));
        Bulwark view = ScriptedAnswers.of(Bulwark.class, Map.of("eventLogs/0", _ -> logs, "bucket/1", arguments -> {
            String name = arguments[0].equals(LAST) ? "last" : "others";
            byte[] rules = ("<NotificationConfiguration><QueueConfiguration><Queue>arn:bulwark:sqs:::" + name
                            + "</Queue><Event>s3:ObjectCreated:*</Event></QueueConfiguration></NotificationConfiguration>")
                    .getBytes(StandardCharsets.UTF_8);
            return ScriptedAnswers.of(
                    Bucket.class, Map.of("setting/1", _ -> Optional.of(new BucketDocument(EventLogs.RULES, 1, rules))));
        }));
        String address = "http://127.0.0.1:" + receiver.getAddress().getPort();
        Webhooks webhooks = ScriptedAnswers.of(
                Webhooks.class,
                Map.of(
                        "list/0",
                        _ -> List.of(
                                new Webhook("last", address + "/prompt", "BWK"),
                                new Webhook("others", address + path, "BWK"))));
        AccessKeys keys = ScriptedAnswers.of(
                AccessKeys.class,
                Map.of(
                        "open/1",
                        _ -> Optional.of(
                                new AccessKeys.Issued(new AccessKey("BWK", PERSON, "hook", List.of(), 0), "secret"))));
        Bulwark door = ScriptedAnswers.of(
                Bulwark.class,
                Map.of(
                        "eventLogs/0",
                        _ -> logs,
                        "onBehalfOf/1",
                        _ -> view,
                        "webhooks/0",
                        _ -> webhooks,
                        "accessKeys/0",
                        _ -> keys));
        return NotificationWorker.start(
                door, new NotificationWorker.Settings(SOON, call, SOON, SOON, turn), new SimpleMeterRegistry());
    }

    @Test
    void silentReceiversDoNotKeepOthersWaiting() {
        try (NotificationWorker _ = worker("/silent", Duration.ofMillis(100), Duration.ofSeconds(10))) {
            await().until(() -> acknowledged.contains(LAST));
        }
    }

    @Test
    void bucketsWithEndlessEventsDoNotKeepOthersWaiting() {
        try (NotificationWorker _ = worker("/prompt", Duration.ofSeconds(10), Duration.ofMillis(100))) {
            await().until(() -> acknowledged.contains(LAST));
        }
    }
}
