package io.bulwark.it;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import io.bulwark.appliance.cli.CommandFailure;
import io.bulwark.appliance.cluster.JavaCommand;
import io.bulwark.appliance.cluster.Member;
import io.bulwark.appliance.cluster.ProcessMember;
import io.bulwark.client.Bucket;
import io.bulwark.client.BucketSpec;
import io.bulwark.client.Bulwark;
import io.bulwark.client.GetOptions;
import io.bulwark.client.Volume;
import io.bulwark.client.VolumeSpec;
import io.bulwark.client.error.BulwarkException;
import io.bulwark.protocol.cluster.ClusterMap;
import io.bulwark.protocol.cluster.PlacementGroup;
import io.bulwark.protocol.cluster.ProtectionPolicy;
import io.bulwark.protocol.cluster.Verification;
import io.bulwark.transport.Destination;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Random;
import java.util.TreeMap;
import java.util.stream.Stream;
import org.jspecify.annotations.NullMarked;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.RegisterExtension;
import tools.jackson.databind.JsonNode;

/**
 * A cluster of processes with one node more than the policy needs grows, loses a disk, shrinks, and readmits a node
 * that was away. All objects and registers stay, and new holders have their fragments.
 */
@NullMarked
@Tag("long")
class NodeChangesIT {
    private static final int NODES = 5;
    private static final int HEAP_MEBIBYTES = 256;
    private static final int BYTES_MAX = 60_000;
    private static final int BLOCKS = 24;
    private static final int BLOCK_BYTES = 4096;
    private static final Duration LONG = Duration.ofMinutes(3);
    private static final Duration POLL = Duration.ofMillis(300);

    @RegisterExtension
    static final LiveCluster CLUSTER = LiveCluster.ofNodeProcesses(NODES, NODES);

    private static final List<Member> JOINED = new ArrayList<>();

    private final Random random = new Random(LiveCluster.SEED);
    private final Map<String, byte[]> written = new TreeMap<>();
    /** By volume. */
    private final Map<String, Map<Long, byte[]>> blocks = new TreeMap<>();

    @AfterAll
    static void endJoined() throws Exception {
        for (Member member : JOINED) {
            member.stop();
        }
    }

    @Test
    void objectsOutliveTheNodesThatHeldThem() throws Exception {
        Bulwark client = CLUSTER.client();
        ProtectionPolicy policy = new ProtectionPolicy(1, 2, 4, BLOCK_BYTES);
        client.createVolume(VolumeSpec.objects("things", policy));
        client.createBucket(BucketSpec.of("kept").inVolume("things"));
        client.createVolume(VolumeSpec.registers("disk", policy, BLOCKS));
        client.createVolume(VolumeSpec.registers(
                "versions", ProtectionPolicy.pasis(1, 2, NODES, BLOCK_BYTES, Verification.LAZY), BLOCKS));
        // Opened once: it follows what changes.
        Volume disk = client.volume("disk");
        Volume versions = client.volume("versions");
        write("before");
        write(disk, BLOCKS);
        write(versions, BLOCKS);
        aNodeJoinsAndIsASpare(5);

        LiveCluster.kill(CLUSTER.member("node-4"));
        LiveCluster.deleteTree(CLUSTER.plan().data().node(4));
        write("without");
        write(disk, BLOCKS / 2);
        write(versions, BLOCKS / 2);
        changed("replace", "node-4", "5");
        assertThat(holders()).doesNotContain(4).contains(5);
        changed("remove", "4");
        assertThat(client.nodes().map().nodes()).hasSize(NODES);
        write("replaced");
        readBlocks(disk);
        readBlocks(versions);
        write(disk, BLOCKS / 2);
        write(versions, BLOCKS / 2);

        aNodeJoinsAndIsASpare(6);
        whatCannotOpenIsGivenUp();
        aNodeComesBackWithItsOldDisk();

        readBlocks(versions);
        write(versions, BLOCKS / 2);
        oneOfFiveNodesWithSlotsOfAVolumeUnderPasisIsNotDrained();
        changed("drain", "0");
        assertThat(holders()).doesNotContain(0);
        changed("remove", "node-0");
        refused(CommandFailure.FAILED, "needs 4 nodes", "drain", "1");
        refused(CommandFailure.FAILED, "holds a slot", "remove", "5");
        write("drained");
        readBlocks(disk);
        write(disk, BLOCKS / 2);
        CLUSTER.member("node-1").stop();
        readAll();
        readBlocks(disk);
        CLUSTER.member("node-1").start();
        assertThat(client.audit().verify(Optional.empty(), _ -> {}).problem()).isEmpty();
        assertThat(client.status().faults()).as("nobody is accused").isEmpty();
        CLUSTER.down();
        CLUSTER.up();
        assertThat(CLUSTER.member("node-0").isRunning()).as("it was removed").isFalse();
        readAll();
        try (Bulwark reader = CLUSTER.freshClient()) {
            readBlocks(reader.volume("disk"));
        }
    }

    private void aNodeJoinsAndIsASpare(int number) throws Exception {
        String node = "node-" + number;
        Path directory = CLUSTER.root().resolve("joined").resolve(node);
        String address = "127.0.0.1:" + CLUSTER.plan().shape().nodePort(number);
        refused(CommandFailure.USAGE, "has not joined", "add", node, "--address", address);
        String token = new CommandRun(CLUSTER, "principal", "invite", node)
                .json()
                .get("token")
                .asString();
        refused(CommandFailure.USAGE, "has not joined yet", "add", node, "--address", address);
        new CommandRun(CLUSTER, "join", token, "--out", directory.toString(), "--listen", address).json();
        Member member = new ProcessMember(
                node,
                Destination.of("127.0.0.1", CLUSTER.plan().shape().nodePort(number)),
                Optional.of(CLUSTER.plan().data().log(node)),
                JavaCommand.member(HEAP_MEBIBYTES),
                List.of("node", "--config", directory.resolve("role.yaml").toString(), "--end-with-input"));
        JOINED.add(member);
        member.start();
        member.awaitListening();
        changed("add", node, "--address", address, "--spare");
        await().atMost(LONG).pollInterval(POLL).until(() -> reachable(number));
        assertThat(holders()).doesNotContain(number);
    }

    private static boolean reachable(int number) {
        return CLUSTER.client().status().nodes().stream().anyMatch(each -> each.node() == number && each.reachable());
    }

    private void oneOfFiveNodesWithSlotsOfAVolumeUnderPasisIsNotDrained() {
        refused(CommandFailure.FAILED, "needs 5 nodes", "drain", "0");
        assertThat(holders()).contains(0);
        CLUSTER.client().deleteVolume("versions");
    }

    /**
     * Checks that no change opens with two of four holders away. The announced change is cancelled, and a holder that
     * comes back agrees to that.
     */
    private void whatCannotOpenIsGivenUp() throws Exception {
        CLUSTER.member("node-0").stop();
        CLUSTER.member("node-1").stop();
        readAll(GetOptions.DEFAULT.withSalvage(true));
        refused(CommandFailure.UNAVAILABLE, "no slot was moved", "replace", "2", "6");
        PlacementGroup before = group();
        int spare = before.slotOf(5) < 0 ? 5 : 2;
        int from = before.holders().getFirst();
        CLUSTER.client().nodes().change("things", 0, before.epoch(), from, spare);
        refused(CommandFailure.FAILED, "already", "replace", "" + from, "3", "--volume", "things");
        changed("abort", "things", "0");
        assertThat(group().epoch()).isEqualTo(before.epoch());
        CLUSTER.member("node-0").start();
        CLUSTER.member("node-1").start();
        await().atMost(LONG).pollInterval(POLL).until(() -> settled());
        assertThat(group()).isEqualTo(new PlacementGroup(before.epoch() + 1, before.holders()));
        refused(CommandFailure.FAILED, "no change", "abort", "things");
        CLUSTER.awaitFullFaults();
    }

    /**
     * Checks the return of a node with its old disk. Its old data does not count until it is checked, and it makes up
     * for the writes and deletions of the meantime.
     */
    private void aNodeComesBackWithItsOldDisk() throws Exception {
        CLUSTER.member("node-2").stop();
        changed("replace", "2", "6", "--volume", "things");
        write("away");
        delete("before");
        CLUSTER.member("node-2").start();
        CLUSTER.member("node-2").awaitListening();
        await().atMost(LONG).pollInterval(POLL).until(() -> reachable(2));
        changed("replace", "6", "2", "--volume", "things", "--no-wait");
        changed("replace", "6", "2");
        changed("remove", "6");
        assertThat(holders()).contains(2).doesNotContain(6);
        CLUSTER.awaitFullFaults();
        CLUSTER.member("node-1").stop();
        CLUSTER.member("node-3").stop();
        readAll(GetOptions.DEFAULT.withSalvage(true));
        CLUSTER.member("node-1").start();
        CLUSTER.member("node-3").start();
        CLUSTER.awaitFullFaults();
    }

    private static PlacementGroup group() {
        return CLUSTER.client()
                .nodes()
                .map()
                .volume("things")
                .orElseThrow()
                .groups()
                .getFirst();
    }

    private static boolean settled() {
        try {
            return groups(CLUSTER.client().nodes().map())
                    .allMatch(group ->
                            group.change().isEmpty() && group.unconfirmed().isEmpty());
        } catch (BulwarkException e) {
            return false;
        }
    }

    /** Returns the holders of all slots. */
    private static List<Integer> holders() {
        return groups(CLUSTER.client().nodes().map())
                .flatMap(group -> group.holders().stream())
                .distinct()
                .toList();
    }

    private static Stream<PlacementGroup> groups(ClusterMap map) {
        return map.volumes().stream().flatMap(volume -> volume.groups().stream());
    }

    private static JsonNode changed(String... arguments) {
        JsonNode json = node(arguments).json();
        System.out.println(String.join(" ", arguments) + ": " + json);
        return json;
    }

    private static void refused(int code, String why, String... arguments) {
        CommandRun run = node(arguments).go();
        assertThat(run.exitCode()).as("%s: %s", List.of(arguments), run.err()).isEqualTo(code);
        assertThat(run.err()).containsIgnoringCase(why);
    }

    private static CommandRun node(String... arguments) {
        return new CommandRun(
                CLUSTER, Stream.concat(Stream.of("node"), Stream.of(arguments)).toArray(String[]::new));
    }

    private void write(String prefix) {
        Bucket bucket = CLUSTER.client().bucket("kept");
        for (int i = 0; i < 12; i++) {
            byte[] bytes = new byte[random.nextInt(BYTES_MAX)];
            random.nextBytes(bytes);
            bucket.put(prefix + "/" + i, bytes);
            written.put(prefix + "/" + i, bytes);
        }
        readAll();
    }

    /** Writes so many blocks, at random. */
    private void write(Volume disk, int count) {
        Map<Long, byte[]> known = blocks.computeIfAbsent(disk.info().name(), _ -> new TreeMap<>());
        for (int i = 0; i < count; i++) {
            long block = count == BLOCKS ? i : random.nextInt(BLOCKS);
            byte[] content = new byte[BLOCK_BYTES];
            random.nextBytes(content);
            disk.writeBlock(block, content);
            known.put(block, content);
        }
    }

    private void readBlocks(Volume disk) {
        blocks.getOrDefault(disk.info().name(), Map.of())
                .forEach((block, content) ->
                        assertThat(disk.readBlock(block)).as("block %d", block).isEqualTo(content));
    }

    private void delete(String prefix) {
        Bucket bucket = CLUSTER.client().bucket("kept");
        for (String key : List.copyOf(written.keySet())) {
            if (key.startsWith(prefix + "/")) {
                bucket.delete(key);
                written.remove(key);
            }
        }
    }

    /** Reads everything with a client that has seen nothing yet. */
    private void readAll() {
        readAll(GetOptions.DEFAULT);
    }

    private void readAll(GetOptions options) {
        try (Bulwark reader = CLUSTER.freshClient()) {
            Bucket bucket = reader.bucket("kept");
            written.forEach((key, bytes) ->
                    assertThat(bucket.getBytes(key, options)).as(key).isEqualTo(bytes));
        }
    }
}
