package io.bulwark.it;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import io.bulwark.client.Bulwark;
import io.bulwark.client.VolumeSpec;
import io.bulwark.protocol.cluster.ProtectionPolicy;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import java.util.concurrent.TimeUnit;
import org.jspecify.annotations.NullMarked;
import org.junit.jupiter.api.Order;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.RegisterExtension;
import org.junit.jupiter.api.io.TempDir;
import tools.jackson.databind.JsonNode;

/**
 * An operator adds three replicas, each with its supervisor, to four while clients write and read. Then two of the
 * seven are killed at once, one old and one new. The new ones are removed again, including the dead one, and one of the
 * four remaining is killed. All acknowledged data is there after each step.
 */
@NullMarked
@Tag("nightly")
class MoreReplicasIT {
    private static final int BLOCK_BYTES = 4096;
    private static final int OPERATIONS = 15;
    private static final long PAUSE_MILLIS = 50;
    private static final Duration LONG = Duration.ofMinutes(3);
    private static final Duration POLL = Duration.ofMillis(300);
    private static final List<Integer> FIRST = List.of(0, 1, 2, 3);
    private static final List<Integer> ALL = List.of(0, 1, 2, 3, 4, 5, 6);

    @RegisterExtension
    @Order(1)
    static final LiveCluster CLUSTER = LiveCluster.ofReplicaProcesses(4, 0);

    @RegisterExtension
    @Order(2)
    static final NewReplicas NEW = new NewReplicas(CLUSTER);

    @TempDir
    Path directory = Path.of("");

    private final long began = System.nanoTime();

    @Test
    void threeMoreBearTheLossOfTwoAndAreRemovedAgain() throws Exception {
        Bulwark client = CLUSTER.client();
        client.createBucket("files");
        client.createVolume(
                VolumeSpec.registers("disk", new ProtectionPolicy(1, 2, 4, BLOCK_BYTES), FileLoad.BLOCKS_EACH));
        FileLoad load = new FileLoad(
                "files", "disk", BLOCK_BYTES, Files.createDirectory(directory.resolve("load")), PAUSE_MILLIS);
        try (load) {
            load.start(client);
            load.awaitOperations("with four", OPERATIONS);
            shows(FIRST, 1, List.of());
            List<Process> supervisors = threeAreAdded();
            goesOn("with seven", load);

            LiveCluster.kill(CLUSTER.member("replica-0"));
            NewReplicas.kill(supervisors.get(1));
            goesOn("with five of seven", load);
            shows(ALL, 2, List.of(0, 5));
            CLUSTER.member("replica-0").start();
            await().atMost(LONG)
                    .pollInterval(POLL)
                    .until(() -> unreachable(status()).equals(List.of(5)));

            threeAreRemoved(supervisors);
            goesOn("with four again", load);
            LiveCluster.kill(CLUSTER.member("replica-1"));
            goesOn("with three of four", load);
            shows(FIRST, 1, List.of(1));
            load.stop();
            tell("the end: " + load);
            assertThat(readAll(load)).isEmpty();
            assertThat(load.failures()).as("no operation failed").isEmpty();
        } finally {
            load.stop();
        }
        assertThat(client.audit().verify(Optional.empty(), _ -> {}).problem()).isEmpty();
    }

    /**
     * Adds three replicas as docs/how-to/grow-and-shrink.md describes. The addresses have no ports: these follow from the others'
     * ports.
     */
    private List<Process> threeAreAdded() throws Exception {
        List<Process> supervisors = new ArrayList<>();
        List<String> arguments = new ArrayList<>(List.of("replica", "add"));
        for (int number = 4; number <= 6; number++) {
            arguments.add("replica-" + number + "=" + NEW.keygen(number) + "@127.0.0.1");
            supervisors.add(NEW.supervise(number));
        }
        for (int number = 4; number <= 6; number++) {
            int each = number;
            await().atMost(LONG).pollInterval(POLL).until(() -> NEW.listens(each));
        }
        tell("three listen");
        JsonNode added = run(arguments).json();
        tell("added: " + added);
        assertThat(added.get("over").asBoolean()).isTrue();
        assertThat(added.get("configuration").asLong()).isEqualTo(1);
        assertThat(numbers(added.get("replicas"))).isEqualTo(ALL);
        shows(ALL, 2, List.of());
        assertThat(run(arguments).json().get("configuration").asLong())
                .as("said again, it is done")
                .isEqualTo(1);
        return supervisors;
    }

    /** Replica-5 is dead. */
    private void threeAreRemoved(List<Process> supervisors) throws Exception {
        List<String> arguments = List.of("replica", "remove", "replica-4", "replica-5", "replica-6");
        JsonNode removed = run(arguments).json();
        tell("removed: " + removed);
        assertThat(removed.get("over").asBoolean()).isTrue();
        assertThat(removed.get("configuration").asLong()).isEqualTo(2);
        assertThat(numbers(removed.get("replicas"))).isEqualTo(FIRST);
        shows(FIRST, 1, List.of());
        assertThat(run(arguments).json().get("configuration").asLong())
                .as("said again, it is done")
                .isEqualTo(2);
        for (int number : List.of(4, 6)) {
            await().atMost(LONG)
                    .pollInterval(POLL)
                    .until(() -> Files.readString(NEW.log(number)).contains("no longer a member of the group"));
            Process supervisor = supervisors.get(number - 4);
            supervisor.toHandle().destroy();
            assertThat(supervisor.waitFor(LONG.toSeconds(), TimeUnit.SECONDS)).isTrue();
            assertThat(supervisor.exitValue()).as("turned off").isZero();
            assertThat(NEW.listens(number)).as("its replica with it").isFalse();
        }
        tell("turned off");
    }

    private void goesOn(String when, FileLoad load) throws InterruptedException {
        load.awaitOperations(when, OPERATIONS);
        assertThat(readAll(load)).as(when).isEmpty();
        tell(when + ": " + load);
    }

    /** By somebody who knows nothing but the genesis, and where its replicas were. */
    private static List<String> readAll(FileLoad load) {
        try (Bulwark reader = CLUSTER.freshClient()) {
            return load.readAll(reader);
        }
    }

    /** Checks the status that an operator sees. */
    private static void shows(List<Integer> replicas, int faults, List<Integer> dead) {
        JsonNode status = status();
        List<Integer> shown = new ArrayList<>();
        status.get("replicas")
                .forEach(replica -> shown.add(replica.get("number").asInt()));
        assertThat(shown).isEqualTo(replicas);
        assertThat(unreachable(status)).isEqualTo(dead);
        assertThat(status.get("replicaFaults").asInt()).isEqualTo(faults);
        assertThat(status.get("replicaFaultsLeft").asInt()).isEqualTo(faults - dead.size());
        JsonNode list = run(List.of("replica", "list")).json();
        assertThat(numbers(list.get("replicas").findValuesAsString("replica"))).isEqualTo(replicas);
        assertThat(list.get("next")).isEmpty();
        for (JsonNode replica : list.get("replicas")) {
            int number = numbers(List.of(replica.get("replica").asString())).getFirst();
            assertThat(replica.get("state").asString())
                    .as("replica-%d", number)
                    .isEqualTo(dead.contains(number) ? "unreachable" : "up");
        }
    }

    /**
     * Returns the status and ignores the exit code: it is about volumes, some of which may have incomplete blocks while
     * clients write.
     */
    private static JsonNode status() {
        return run(List.of("status")).go().printed().get("cluster");
    }

    private static List<Integer> unreachable(JsonNode status) {
        List<Integer> numbers = new ArrayList<>();
        for (JsonNode replica : status.get("replicas")) {
            if (!replica.get("reachable").asBoolean()) {
                numbers.add(replica.get("number").asInt());
            }
        }
        return numbers;
    }

    private static List<Integer> numbers(JsonNode names) {
        List<String> all = new ArrayList<>();
        names.forEach(name -> all.add(name.asString()));
        return numbers(all);
    }

    private static List<Integer> numbers(List<String> names) {
        return names.stream()
                .map(name -> Integer.parseInt(name.substring("replica-".length())))
                .toList();
    }

    private static CommandRun run(List<String> arguments) {
        return new CommandRun(CLUSTER, arguments.toArray(String[]::new));
    }

    private void tell(String what) {
        System.out.printf(
                "%4d s: %s%n", Duration.ofNanos(System.nanoTime() - began).toSeconds(), what);
    }
}
