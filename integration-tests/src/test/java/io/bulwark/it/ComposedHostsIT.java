package io.bulwark.it;

import static org.assertj.core.api.Assertions.assertThat;

import io.bulwark.client.Bulwark;
import io.bulwark.client.ClusterStatus;
import io.bulwark.client.error.BulwarkException;
import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.concurrent.Callable;
import java.util.concurrent.Future;
import java.util.concurrent.FutureTask;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.function.Predicate;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import java.util.stream.IntStream;
import java.util.stream.Stream;
import org.jspecify.annotations.NullMarked;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Assumptions;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/**
 * A cluster on several hosts by compose.hosts.yaml, set up as docs/how-to/install.md describes. A member at its memory
 * limit serves under heavy load. The kernel kills a node beyond its limit, which comes back. It also kills a replica
 * with a far too small limit, until that is raised. Finally a host is lost with everything on it. Needs what {@link
 * ContainersIT} needs, and root, iproute2 and podman.
 */
@NullMarked
@Tag("containers")
@Tag("nightly")
class ComposedHostsIT {
    private static final int NODES = 4;
    private static final int REPLICAS = 4;

    /** Memory limit of a member in compose.hosts.yaml. */
    private static final long LIMIT = 1280L << 20;

    private static final String JAVA = "BULWARK_MEMBER_JAVA_OPTIONS";
    private static final String MEMORY = "BULWARK_MEMBER_MEMORY";

    /** All of its heap is there from the start, and it has the limit that all have. */
    private static final String FULL = "node-0";

    /** It has room for its heap and all that it does, but not for a full /tmp beside that. */
    private static final String TIGHT = "node-1";

    private static final String SMALL_REPLICA = "replica-2";
    private static final Map<String, Map<String, String>> SETTINGS =
            Map.of(FULL, Map.of(JAVA, heap(512, 256)), TIGHT, Map.of(JAVA, heap(256, 128), MEMORY, "560m"));

    /** Fills most of the 256 MiB of /tmp, which also holds the unpacked files and the member's health file. */
    private static final String FILL = "head -c 220M /dev/zero >/tmp/fill";

    /**
     * Prints how often the container reached its limit, and how many processes were killed for that, with cgroups of
     * either version.
     */
    private static final String COUNTS = "cd /sys/fs/cgroup; if [ -d memory ]; then"
            + " echo max $(cat memory/memory.failcnt); cat memory/memory.oom_control; else cat memory.events; fi";

    private static final String LOST = "node-2";
    private static final int CONNECTIONS = 12;
    private static final int FEW = 2;
    private static final Duration HEAVY = Duration.ofSeconds(10);
    private static final String BUCKET = "files";

    private final long began = System.nanoTime();
    private final Path outside;
    private final Path cluster;
    private final Path bundles;
    private final List<AutoCloseable> made = new ArrayList<>();

    ComposedHostsIT(@TempDir Path outside) {
        this.outside = outside;
        cluster = outside.resolve("cluster");
        bundles = outside.resolve("hosts");
    }

    @AfterEach
    void removeAll() throws Exception {
        for (AutoCloseable each : made) {
            each.close();
        }
        tell("all is removed");
    }

    @Test
    void hostsBearTheirLimitsAndTheLossOfOne() throws Exception {
        System.out.println("-Dbulwark.seed=" + LiveCluster.SEED);
        String missing = ComposedHosts.missing();
        if (!missing.isEmpty()) {
            System.out.println(
                    "LEFT OUT: containers on several hosts, and limits of memory that are reached, since " + missing);
        }
        Assumptions.assumeTrue(missing.isEmpty(), missing);
        new Compose("bulwark-image", Compose.file("compose.yaml"), Map.of(), outside.resolve("stderr")).build();
        ComposedHosts hosts = new ComposedHosts(outside);
        made.add(hosts::removeAll);
        try {
            allStart(hosts);
            tell("all are healthy");
            command("mb", BUCKET);
            Path file = Files.write(outside.resolve("file"), new byte[70_000]);
            command("put", file.toString(), BUCKET + "/small");
            Path client = cluster.resolve("client.properties");
            LargeObjects load = new LargeObjects(client, CONNECTIONS, BUCKET);
            made.addFirst(load);
            Bulwark operator = Bulwark.connect(client);
            made.addFirst(operator);
            aMemberAtItsLimitServes(hosts, load);
            thoseBeyondTheirLimitsAreKilledAndComeBack(hosts, load, operator);
            aLostHostIsRebuilt(hosts, load, operator);
        } catch (Exception | AssertionError e) {
            showWhatWasSeen(hosts);
            throw e;
        }
    }

    /** The commands of docs/how-to/install.md and at the head of compose.hosts.yaml. */
    private void allStart(ComposedHosts hosts) throws Exception {
        List<String> addresses = new ArrayList<>();
        for (String member : members().toList()) {
            addresses.add(member + "=" + hosts.add(member).address());
        }
        hosts.add("console");
        Path file = Files.write(outside.resolve("hosts.properties"), addresses);
        command(
                "init",
                "--nodes",
                "" + NODES,
                "--addresses",
                file.toString(),
                "--member-data",
                "/data",
                "--bundles",
                bundles.toString());
        hosts.onEach(host -> {
            host.supply(bundles.resolve(host.member()));
            host.up(SETTINGS.getOrDefault(host.member(), Map.of()));
        });
        hosts.onEach(ComposedHosts.One::awaitHealthy);
    }

    private static String heap(int mebibytes, int direct) {
        return "-Xms%1$dm -Xmx%1$dm -XX:+AlwaysPreTouch -XX:MaxDirectMemorySize=%2$dm -XX:+UseSerialGC"
                .formatted(mebibytes, direct);
    }

    private static Stream<String> members() {
        return Stream.concat(
                IntStream.range(0, REPLICAS).mapToObj(i -> "replica-" + i),
                IntStream.range(0, NODES).mapToObj(i -> "node-" + i));
    }

    /**
     * Checks a member that uses all memory that can be charged to it. This is the whole heap, a full /tmp, and files as
     * far as there is room.
     */
    private void aMemberAtItsLimitServes(ComposedHosts hosts, LargeObjects load) throws Exception {
        ComposedHosts.One full = hosts.of(FULL);
        full.exec("sh", "-c", FILL);
        long end = System.nanoTime() + HEAVY.toNanos();
        load.run(CONNECTIONS, () -> System.nanoTime() < end);
        full.exec("sh", "-c", "dd if=/dev/zero of=/data/fill bs=1M count=512 && rm /data/fill");
        tell(load.toString());
        assertThat(ContainerEngine.memoryLimit(full.project(), ComposedHosts.SERVICE))
                .isEqualTo(LIMIT);
        String kernel = full.exec("sh", "-c", COUNTS);
        assertThat(count(kernel, "max"))
                .as("how often it was at its limit: %s", kernel)
                .isPositive();
        assertThat(count(kernel, "oom_kill")).as("killed: %s", kernel).isZero();
        int meanwhile = load.acknowledged();
        load.run(FEW, () -> load.acknowledged() == meanwhile);
        for (String member : members().toList()) {
            assertThat(hosts.of(member).restarts()).as("starts of %s", member).isZero();
        }
        full.awaitHealthy();
        full.exec("rm", "/tmp/fill");
    }

    private static long count(String counts, String what) {
        Matcher found = Pattern.compile("(?m)^" + what + " (\\d+)$").matcher(counts);
        assertThat(found.find()).as("%s in %s", what, counts).isTrue();
        return Long.parseLong(found.group(1));
    }

    /**
     * Checks the kills at a memory limit. A full /tmp takes a node beyond its limit while it serves; it restarts by
     * itself, with /tmp empty. A replica whose limit is far too small does not start, however often the engine tries,
     * until the limit is raised.
     */
    private void thoseBeyondTheirLimitsAreKilledAndComeBack(ComposedHosts hosts, LargeObjects load, Bulwark operator)
            throws Exception {
        ComposedHosts.One node = hosts.of(TIGHT);
        ComposedHosts.One replica = hosts.of(SMALL_REPLICA);
        AtomicBoolean goesOn = new AtomicBoolean(true);
        Future<?> clients = watch(() -> load.run(FEW, goesOn::get));
        try {
            // It may be back before one has asked for all of this in turn.
            Future<?> health = watch(() -> awaitUnhealthy(node));
            Future<?> status = watch(() -> awaitStatus(
                    operator, "status says so", all -> !all.nodes().get(1).reachable()));
            node.attempt("sh", "-c", FILL);
            await("the kernel kills " + TIGHT, () -> killed(node) && node.restarts() > 0);
            tell(TIGHT + " is killed");
            health.get();
            status.get();
            int meanwhile = load.acknowledged();
            await("the others go on", () -> load.acknowledged() > meanwhile || clients.isDone());
            node.awaitHealthy();
            tell(TIGHT + " is back");

            replica.up(Map.of(MEMORY, "160m"));
            await("the kernel kills " + SMALL_REPLICA, () -> killed(replica));
            tell(SMALL_REPLICA + " is killed");
            awaitStatus(
                    operator, "status says so", all -> !all.replicas().get(2).reachable());
            awaitUnhealthy(replica);
            int without = load.acknowledged();
            await("the others go on", () -> load.acknowledged() > without || clients.isDone());
        } finally {
            goesOn.set(false);
        }
        clients.get();
        tell(load.toString());
        replica.up(Map.of());
        replica.awaitHealthy();
        awaitWhole(operator, "with more memory");
        tell("all are well again");
    }

    private interface Step {
        void run() throws Exception;
    }

    private static Future<?> watch(Step step) {
        FutureTask<Void> watching = new FutureTask<>(() -> {
            step.run();
            return null;
        });
        Thread.ofVirtual().start(watching);
        return watching;
    }

    private static void awaitUnhealthy(ComposedHosts.One host) throws Exception {
        await("health of " + host.member() + " says so", () -> !host.health().equals("healthy"));
    }

    /** Returns whether the kernel's log shows that Java in this container was killed for the container's limit. */
    private static boolean killed(ComposedHosts.One host) throws IOException {
        Process log = new ProcessBuilder("dmesg").redirectErrorStream(true).start();
        String said = new String(log.getInputStream().readAllBytes(), StandardCharsets.UTF_8);
        return Pattern.compile("oom-kill:.*" + host.container() + ".*task=java")
                .matcher(said)
                .find();
    }

    private void aLostHostIsRebuilt(ComposedHosts hosts, LargeObjects load, Bulwark operator) throws Exception {
        ComposedHosts.One lost = hosts.of(LOST);
        lost.lose();
        tell("lost");
        awaitStatus(operator, "it is away", all -> !all.nodes().get(2).reachable());
        command("put", outside.resolve("file").toString(), BUCKET + "/meanwhile");
        lost.replaceMachine();
        lost.supply(bundles.resolve(LOST));
        lost.up(Map.of());
        lost.awaitHealthy();
        tell("healthy");
        awaitWhole(operator, "after it was rebuilt");
        tell("rebuilt");
        command("verify", BUCKET);
        tell("verified");
        // Two of the four holders of a fragment of everything remain: one was killed, the other was rebuilt.
        hosts.of("node-0").stop();
        hosts.of("node-3").stop();
        try (Bulwark fresh = Bulwark.connect(cluster.resolve("client.properties"))) {
            load.check(fresh);
            assertThat(fresh.bucket(BUCKET).getBytes("meanwhile")).isEqualTo(new byte[70_000]);
        }
        tell("all read");
    }

    private void awaitWhole(Bulwark operator, String when) throws Exception {
        awaitStatus(
                operator,
                when,
                status -> status.nodes().stream().allMatch(ClusterStatus.NodeStatus::reachable)
                        && status.replicas().stream().allMatch(each -> each.reachable() && each.agrees())
                        && status.volumes().stream().allMatch(each -> each.moreFaults() == each.policyFaults()));
    }

    private void awaitStatus(Bulwark operator, String what, Predicate<ClusterStatus> wanted) throws Exception {
        await(what, () -> {
            try {
                return wanted.test(operator.status());
            } catch (BulwarkException e) {
                return false;
            }
        });
    }

    private static void await(String what, Callable<Boolean> wanted) throws Exception {
        long end = System.nanoTime() + Compose.READY_MILLIS_MAX * 1_000_000;
        while (!wanted.call()) {
            assertThat(System.nanoTime()).as(what).isLessThan(end);
            Thread.sleep(300);
        }
    }

    private void command(String... arguments) {
        new CommandRun(cluster, arguments).json();
    }

    private void showWhatWasSeen(ComposedHosts hosts) throws Exception {
        System.out.println(new CommandRun(cluster, "status").goForPeople().out());
        hosts.onEach(host -> System.out.println(host.member() + ": " + host.health() + "\n" + host.logs()));
    }

    private void tell(String what) {
        System.out.printf(
                "hosts %4d s: %s%n", Duration.ofNanos(System.nanoTime() - began).toSeconds(), what);
    }
}
