package io.bulwark.it;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;
import static org.awaitility.Awaitility.await;

import io.bulwark.client.Bucket;
import io.bulwark.client.Bulwark;
import io.bulwark.client.error.BulwarkException;
import io.bulwark.client.error.UnavailableException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.attribute.PosixFilePermissions;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Random;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.stream.Stream;
import org.jspecify.annotations.NullMarked;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/**
 * A cluster of containers over its life, as docs/operations.md tells it: it grows by a node, loses one with its disk, replaces it, puts a
 * client out that is writing, and exchanges all keys, while another client goes on writing. Needs what {@link ContainersIT} needs.
 */
@NullMarked
@Tag("containers")
class StoryIT {
    private static final Duration LONG = Duration.ofMinutes(3);
    private static final int BYTES_MAX = 60_000;

    /** Until all members have learnt of a key, and have read their new identity. */
    private static final long LEARNT_MILLIS = 5_000;

    private final Path outside;
    private final ComposedCluster cluster;
    private final Compose compose;
    private final List<Compose> joined = new ArrayList<>();

    StoryIT(@TempDir Path outside) {
        this.outside = outside;
        cluster = new ComposedCluster(outside);
        compose = cluster.compose();
    }

    @AfterEach
    void removeAll() throws Exception {
        for (Compose each : joined) {
            each.run("down", "--volumes", "--timeout", "5");
        }
        compose.run("down", "--volumes", "--timeout", "5");
    }

    @Test
    void objectsOutliveWhatBefallsTheirCluster() throws Exception {
        compose.build();
        compose.run("up", "-d");
        Load load = new Load();
        try (Bulwark operator = cluster.connect(0)) {
            operator.createBucket("outside");
            compose.client("grant", "client-1", "read", "write", "--bucket", "outside");
            compose.client("grant", "client-2", "read", "write", "--bucket", "outside");
            try (Bulwark writer = cluster.connect(1)) {
                load.start(writer);
                aNodeJoins(5);
                compose.client("node", "add", "node-5", "--address", cluster.addressOfNode(5));
                load.awaitMore();
                aNodeIsLostAndReplaced();
                load.awaitMore();
                aClientIsPutOutWhileItWrites(operator);
                load.awaitMore();
                allKeysAreExchanged();
                load.awaitMore();
                load.stop();
                load.check(operator.bucket("outside"));
                assertThat(operator.status().faults()).as("nobody is accused").isEmpty();
            }
        }
        compose.run("down", "--timeout", "20");
        for (Compose each : joined) {
            each.run("restart");
        }
        compose.run("up", "-d");
        compose.run("stop", "node-2");
        try (Bulwark reader = cluster.connect(1)) {
            load.check(reader.bucket("outside"));
        }
        compose.client("verify", "outside");
        compose.client("audit", "verify");
    }

    /** A host of its own: compose.hosts.yaml, and beside it what `join` made there. */
    private void aNodeJoins(int number) throws Exception {
        String node = "node-" + number;
        String token = compose.client("principal", "invite", node).strip();
        Path host = Files.createDirectory(outside.resolve(node));
        Path file = Files.copy(Compose.file("compose.hosts.yaml"), host.resolve("compose.hosts.yaml"));
        Path member = Files.createDirectory(host.resolve("member"));
        Files.setPosixFilePermissions(member, PosixFilePermissions.fromString("rwxrwxrwx"));
        Compose own = new Compose(compose.project() + "-" + node, file, Map.of("ROLE", "node"), host.resolve("stderr"));
        joined.add(own);
        own.run(inContainer(
                member,
                "join",
                token,
                "--out",
                "/joined",
                "--member-data",
                "/data",
                "--listen",
                cluster.addressOfNode(number)));
        own.run("up", "-d");
    }

    private static String[] inContainer(Path member, String... command) {
        return Stream.concat(Stream.of("run", "--rm", "-T", "-v", member + ":/joined", "member"), Stream.of(command))
                .toArray(String[]::new);
    }

    private void aNodeIsLostAndReplaced() throws Exception {
        compose.run("kill", "-s", "SIGKILL", "node-2");
        compose.run("run", "--rm", "-T", "--entrypoint", "sh", "node-2", "-c", "rm -rf /data/*");
        aNodeJoins(6);
        compose.client("node", "add", "node-6", "--address", cluster.addressOfNode(6), "--spare");
        compose.client("node", "replace", "node-2", "node-6");
        compose.client("node", "remove", "node-2");
    }

    private void aClientIsPutOutWhileItWrites(Bulwark operator) throws Exception {
        Map<String, Integer> acknowledged = new ConcurrentHashMap<>();
        try (Bulwark guest = cluster.connect(2)) {
            Bucket bucket = guest.bucket("outside");
            Thread writing = Thread.ofVirtual().start(() -> {
                try {
                    for (int i = 0; ; i++) {
                        bucket.put("guest/" + i, new byte[i]);
                        acknowledged.put("guest/" + i, i);
                    }
                } catch (BulwarkException e) {
                    System.out.println("the guest's writes end: " + e.getMessage());
                }
            });
            await().atMost(LONG).until(() -> acknowledged.size() > 5);
            compose.client("principal", "revoke", "client-2");
            List<String> seen = guests(operator);
            writing.join();
            assertThat(guests(operator)).as("nothing appears any more").isEqualTo(seen);
            assertThat(seen).containsAll(acknowledged.keySet());
            assertThatThrownBy(() -> bucket.put("guest/again", new byte[1])).isInstanceOf(BulwarkException.class);
        }
        for (Map.Entry<String, Integer> each : acknowledged.entrySet()) {
            assertThat(operator.bucket("outside").getBytes(each.getKey())).hasSize(each.getValue());
        }
    }

    private static List<String> guests(Bulwark client) {
        try (var objects = client.bucket("outside").stream("guest/")) {
            return objects.map(object -> object.key()).sorted().toList();
        }
    }

    /** Of members, of the client that writes, and of the operator who does it. */
    private void allKeysAreExchanged() throws Exception {
        List<String> made = List.of(
                "node-0",
                "node-1",
                "node-3",
                "node-4",
                "replica-0",
                "replica-1",
                "replica-2",
                "replica-3",
                "client-1",
                "client-0");
        List<String> all =
                Stream.concat(made.stream(), Stream.of("node-5", "node-6")).toList();
        inShell("for each in " + String.join(" ", all) + "; do"
                + " bulwark keygen $each --out /cluster/keys/$each.fresh | sed -n 's/^key[.][^=]*=//p' > /tmp/$each &&"
                + " bulwark principal rotate $each --key $(cat /tmp/$each) &&"
                + " cp /tmp/$each /cluster/keys/$each.public || exit 1; done");
        Thread.sleep(LEARNT_MILLIS);
        for (Compose each : joined) {
            int number = 5 + joined.indexOf(each);
            String pem = compose.run(
                    "run", "--rm", "-T", "--entrypoint", "cat", "client", "/cluster/keys/node-" + number + ".fresh");
            each.run(
                    "run",
                    "--rm",
                    "-T",
                    "-v",
                    outside.resolve("node-" + number).resolve("member") + ":/joined",
                    "--entrypoint",
                    "sh",
                    "member",
                    "-c",
                    "umask 077; echo '" + pem + "' > /joined/fresh && mv /joined/fresh /joined/node-" + number
                            + ".pem");
        }
        inShell("cd /cluster/keys; for each in " + String.join(" ", made) + "; do mv $each.fresh $each.pem; done");
        cluster.takeIdentity(0);
        cluster.takeIdentity(1);
        Thread.sleep(LEARNT_MILLIS);
        inShell("for each in " + String.join(" ", all)
                + "; do bulwark principal rotate $each --final --key $(cat /cluster/keys/$each.public) || exit"
                + " 1; done");
    }

    private void inShell(String script) throws Exception {
        compose.run("run", "--rm", "-T", "--entrypoint", "sh", "client", "-c", script);
    }

    /** Puts objects under new names, and others over and over; remembers what was acknowledged. */
    private static final class Load {
        private static final int SHARED_NAMES = 4;
        private static final int MORE = 20;

        private final Map<String, byte[]> written = new ConcurrentHashMap<>();
        private final Random random = new Random(LiveCluster.SEED);
        private volatile boolean stopped;
        private final AtomicInteger done = new AtomicInteger();
        private volatile @Nullable Throwable failure;
        private @Nullable Thread running;

        void start(Bulwark client) {
            Bucket bucket = client.bucket("outside");
            running = Thread.ofVirtual().start(() -> {
                try {
                    while (!stopped) {
                        step(bucket);
                    }
                } catch (BulwarkException | InterruptedException e) {
                    failure = e;
                }
            });
        }

        private void step(Bucket bucket) throws InterruptedException {
            byte[] bytes = new byte[random.nextInt(BYTES_MAX)];
            random.nextBytes(bytes);
            String name = random.nextBoolean() ? "new/" + done.get() : "shared/" + random.nextInt(SHARED_NAMES);
            long end = System.nanoTime() + LONG.toNanos();
            while (true) {
                try {
                    bucket.put(name, bytes);
                    break;
                } catch (UnavailableException e) {
                    if (System.nanoTime() > end) {
                        throw e;
                    }
                    Thread.sleep(200);
                }
            }
            written.put(name, bytes);
            done.incrementAndGet();
        }

        void awaitMore() {
            int from = done.get();
            await().atMost(LONG).until(() -> failure != null || done.get() > from + MORE);
            assertThat(failure).isNull();
        }

        void stop() throws InterruptedException {
            stopped = true;
            if (running != null) {
                running.join();
            }
            assertThat(failure).isNull();
            System.out.println(done.get() + " puts were acknowledged meanwhile");
        }

        void check(Bucket bucket) {
            written.forEach(
                    (name, bytes) -> assertThat(bucket.getBytes(name)).as(name).isEqualTo(bytes));
        }
    }
}
