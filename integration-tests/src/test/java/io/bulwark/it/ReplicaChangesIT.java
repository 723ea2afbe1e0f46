package io.bulwark.it;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import io.bulwark.appliance.cli.CommandFailure;
import io.bulwark.client.Bucket;
import io.bulwark.client.Bulwark;
import io.bulwark.client.ClusterStatus;
import io.bulwark.client.config.ConfigurationChainFile;
import io.bulwark.client.config.GenesisFile;
import io.bulwark.client.error.BulwarkException;
import io.bulwark.protocol.id.PrincipalId;
import io.bulwark.protocol.metadata.Rights;
import io.bulwark.protocol.metadata.Scope;
import io.bulwark.transport.Destination;
import io.bulwark.transport.identity.Identity;
import java.nio.file.Files;
import java.nio.file.Path;
import java.security.SecureRandom;
import java.time.Duration;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Random;
import java.util.concurrent.ConcurrentSkipListMap;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.stream.Stream;
import org.jspecify.annotations.NullMarked;
import org.junit.jupiter.api.Order;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.RegisterExtension;
import org.junit.jupiter.api.io.TempDir;
import tools.jackson.databind.JsonNode;

/**
 * A cluster of processes loses a replica for good and replaces it under load. It continues while one of the old
 * replicas is down, too, and all acknowledged data is there. Finally that one is removed, too, and its supervisor ends.
 */
@NullMarked
@Tag("long")
class ReplicaChangesIT {
    private static final int BYTES_MAX = 20_000;
    private static final Duration LONG = Duration.ofMinutes(3);
    private static final Duration POLL = Duration.ofMillis(300);

    @RegisterExtension
    @Order(1)
    static final LiveCluster CLUSTER = LiveCluster.ofReplicaProcesses(4, 0);

    @RegisterExtension
    @Order(2)
    static final NewReplicas NEW = new NewReplicas(CLUSTER);

    /** Exit code of `supervise` once its replica was removed. */
    private static final int REMOVED = 78;

    private final Map<String, byte[]> written = new ConcurrentSkipListMap<>();

    @Test
    void anotherReplicaTakesThePlaceOfOneThatIsLost(@TempDir Path directory) throws Exception {
        CLUSTER.client().createBucket("kept");
        AtomicBoolean over = new AtomicBoolean();
        Thread load = Thread.ofVirtual().start(() -> write(over));
        awaitMore();
        LiveCluster.kill(CLUSTER.member("replica-2"));
        LiveCluster.deleteTree(CLUSTER.plan().data().replica(2));

        String key = NEW.keygen(4);
        Process supervisor = NEW.supervise(4);
        await().atMost(LONG).pollInterval(POLL).until(() -> NEW.listens(4));
        String address = Destination.text(NEW.addressOf(4));
        refused(CommandFailure.USAGE, "not a replica", "replace", "node-2", "4", "--key", key, "--address", address);
        refused(CommandFailure.USAGE, "replica-4", "replace", "2", "4", "--key", "nonsense", "--address", address);
        refused(CommandFailure.FAILED, "is a replica already", "replace", "2", "3", "--key", key, "--address", address);
        refused(
                CommandFailure.FAILED,
                address + " identifies itself as replica-4, not replica-5",
                "replace",
                "2",
                "5",
                "--key",
                key,
                "--address",
                address);
        refused(CommandFailure.USAGE, "is none of", "remove", "14", "15", "16");
        refused(
                CommandFailure.UNAVAILABLE,
                "start replica-4 first",
                "replace",
                "2",
                "4",
                "--key",
                key,
                "--address",
                "127.0.0.1:1");
        aWrongKeyIsRefusedAndNothingChanges(key, address);
        JsonNode replaced = replica("replace", "replica-2", "replica-4", "--key", key, "--address", address)
                .json();
        assertThat(replaced.get("over").asBoolean()).isTrue();
        assertThat(replaced.get("configuration").asLong()).isEqualTo(1);
        assertThat(replica("list").json().get("replicas").findValuesAsString("replica"))
                .containsExactly("replica-0", "replica-1", "replica-4", "replica-3");
        awaitMore();
        await().atMost(LONG).pollInterval(POLL).until(() -> joined().equals(List.of(4)));

        CLUSTER.member("replica-0").stop();
        awaitMore();
        CLUSTER.member("replica-0").start();
        await().atMost(LONG).pollInterval(POLL).until(() -> reachable().equals(List.of(0, 1, 4, 3)));
        over.set(true);
        load.join();
        readAll();
        assertThat(CLUSTER.client().audit().verify(Optional.empty(), _ -> {}).problem())
                .isEmpty();
        aMachineJoins(directory);
        assertThat(replica("replace", "replica-2", "replica-4", "--key", key, "--address", address)
                        .json()
                        .get("configuration")
                        .asLong())
                .as("said again, it is done")
                .isEqualTo(1);
        aSupervisorEndsWithItsReplica(supervisor, directory);
    }

    /** With a token that names those who follow, and with what it learns it begins there. */
    private void aMachineJoins(Path directory) throws Exception {
        PrincipalId guest = PrincipalId.client(20);
        String token =
                CLUSTER.client().principals().invite(guest, Duration.ofHours(1)).text();
        CLUSTER.client().principals().grant(guest, new Scope.All(), new Rights(true, true, false));
        CommandRun join = new CommandRun(CLUSTER, "join", token, "--out", directory.toString()).go();
        assertThat(join.exitCode()).as(join.err()).isZero();
        Path registry = directory.resolve("client-20.pem.registry");
        assertThat(registry).exists();
        assertThat(ConfigurationChainFile.beside(registry)
                        .last(GenesisFile.load(directory.resolve("genesis.properties"))
                                .genesisKeys()
                                .configuration())
                        .number())
                .isEqualTo(1);
        String key = written.keySet().iterator().next();
        try (Bulwark client = Bulwark.connect(directory.resolve("client.properties"))) {
            assertThat(client.bucket("kept").getBytes(key)).isEqualTo(written.get(key));
        }
    }

    /** Replica-4 has to go, too. An operator who signed in at a console with a key replaces it. */
    private static void aSupervisorEndsWithItsReplica(Process supervisor, Path directory) throws Exception {
        assertThat(supervisor.isAlive()).isTrue();
        String key = NEW.keygen(5);
        NEW.start(5);
        replaceInAConsole(directory, key);
        assertThat(replica("list").json().get("replicas").findValuesAsString("replica"))
                .containsExactly("replica-0", "replica-1", "replica-5", "replica-3");
        Path log = NEW.log(4);
        await().atMost(LONG)
                .pollInterval(POLL)
                .until(() -> Files.readString(log).contains("stop the supervisor, and wipe the disk"));
        assertThat(supervisor.isAlive()).as("as long as its replica runs").isTrue();
        supervisor.children().forEach(ProcessHandle::destroyForcibly);
        assertThat(supervisor.waitFor(LONG.toSeconds(), TimeUnit.SECONDS)).isTrue();
        assertThat(supervisor.exitValue()).isEqualTo(REMOVED);
        Process again = NEW.supervise(4);
        assertThat(again.waitFor(LONG.toSeconds(), TimeUnit.SECONDS)).isTrue();
        assertThat(again.exitValue()).as("started again").isEqualTo(REMOVED);
        assertThat(Files.readString(log)).contains("and is not started: wipe its disk");
    }

    /** The console may not do it on behalf of anybody: the operator's own signature proves it. */
    private static void replaceInAConsole(Path directory, String key) throws Exception {
        try (AloneConsole console = new AloneConsole(CLUSTER, directory);
                CheckedApi api = new CheckedApi(console.user());
                CheckedApi.Session operator = api.signInWithKey(
                                OperatorKey.of(CLUSTER, PrincipalId.client(0)).pem(), "")
                        .orElseThrow()) {
            long job = operator.send(
                            api.call("POST", "/api/v1/replicas/replica-4/replace")
                                    .json(Map.of(
                                            "replica",
                                            "replica-5",
                                            "key",
                                            key,
                                            "address",
                                            Destination.text(NEW.addressOf(5)))),
                            202)
                    .json()
                    .get("id")
                    .asLong();
            await().atMost(LONG)
                    .pollInterval(POLL)
                    .until(() -> stateOf(api, operator, job).equals("SUCCEEDED"));
        }
    }

    private static String stateOf(CheckedApi api, CheckedApi.Session operator, long job) throws Exception {
        JsonNode view =
                operator.send(api.call("GET", "/api/v1/jobs/" + job), 200).json();
        assertThat(view.get("state").asString()).as(view.toString()).isNotEqualTo("FAILED");
        return view.get("state").asString();
    }

    private static void aWrongKeyIsRefusedAndNothingChanges(String key, String address) {
        String other = Identity.generate(PrincipalId.replica(4), new SecureRandom())
                .publicKey()
                .text();
        refused(CommandFailure.FAILED, other, "replace", "2", "4", "--key", other, "--address", address);
        refused(CommandFailure.FAILED, key, "replace", "2", "4", "--key", other, "--address", address);
        refused(
                CommandFailure.FAILED,
                "has a different key",
                "add",
                "replica-4=" + key + "@" + address,
                "replica-5=" + other + "@" + address,
                "replica-6=" + other + "@" + address);
        String replica0 = Destination.text(NEW.addressOf(0));
        refused(CommandFailure.FAILED, "has a different key", "replace", "2", "4", "--key", key, "--address", replica0);
        assertThat(replica("list").json().get("configuration").asLong()).isZero();
    }

    /**
     * Returns the replicas that the status reports as replacements: they count for the window of vulnerability from
     * then on.
     */
    private static List<Integer> joined() {
        return CLUSTER.client().status().recoveries().replicas().stream()
                .filter(each -> each.joined().isPresent())
                .map(ClusterStatus.Recovery::replica)
                .toList();
    }

    private static List<Integer> reachable() {
        try {
            return CLUSTER.client().status().replicas().stream()
                    .filter(ClusterStatus.ReplicaStatus::reachable)
                    .map(ClusterStatus.ReplicaStatus::replica)
                    .toList();
        } catch (BulwarkException e) {
            return List.of();
        }
    }

    private static void refused(int code, String why, String... arguments) {
        CommandRun run = replica(arguments).go();
        assertThat(run.exitCode()).as("%s: %s", List.of(arguments), run.err()).isEqualTo(code);
        assertThat(run.err()).containsIgnoringCase(why);
    }

    private static CommandRun replica(String... arguments) {
        return new CommandRun(
                CLUSTER,
                Stream.concat(Stream.of("replica"), Stream.of(arguments)).toArray(String[]::new));
    }

    /** Writes objects; a failed write is retried under the next name. */
    private void write(AtomicBoolean over) {
        Random random = new Random(LiveCluster.SEED);
        Bucket bucket = CLUSTER.client().bucket("kept");
        for (int i = 0; !over.get(); i++) {
            byte[] bytes = new byte[random.nextInt(BYTES_MAX)];
            random.nextBytes(bytes);
            try {
                bucket.put("object-" + i, bytes);
                written.put("object-" + i, bytes);
            } catch (BulwarkException e) {
                System.out.println("object-" + i + ": " + e.getMessage());
            }
        }
    }

    private void awaitMore() {
        int before = written.size();
        await().atMost(LONG).pollInterval(POLL).until(() -> written.size() > before + 10);
    }

    /** By somebody who knows nothing but the genesis, and where its replicas were. */
    private void readAll() {
        try (Bulwark reader = CLUSTER.freshClient()) {
            Bucket bucket = reader.bucket("kept");
            written.forEach(
                    (key, bytes) -> assertThat(bucket.getBytes(key)).as(key).isEqualTo(bytes));
        }
    }
}
