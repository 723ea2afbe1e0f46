package io.bulwark.it;

import static org.assertj.core.api.Assertions.assertThat;

import io.bulwark.appliance.cluster.ClusterShape;
import io.bulwark.appliance.cluster.Member;
import io.bulwark.appliance.cluster.ProcessMember;
import io.bulwark.client.Bucket;
import io.bulwark.client.Bulwark;
import io.bulwark.transport.Destination;
import java.io.IOException;
import java.nio.file.Path;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.TreeMap;
import java.util.concurrent.CompletableFuture;
import java.util.stream.IntStream;
import org.jspecify.annotations.NullMarked;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/**
 * A cluster of processes of an older build, on its own data directory and with its own role files, is upgraded under load as docs/operations.md says: replicas,
 * nodes, clients, one after the other. One of each kind goes back and forth again. After each step all is well, and nothing that was acknowledged is lost.
 */
@NullMarked
@Tag("long")
class MixedBuildsIT {
    private static final int HEAP_MEBIBYTES = 256;
    private static final int MORE = 5;
    private static final long FIRST_OLDER = 32;
    private static final long FIRST_CURRENT = 40;

    @TempDir
    Path directory = Path.of("");

    private final Map<String, Member> members = new TreeMap<>();

    @Test
    void aClusterIsUpgradedMemberByMemberUnderLoad() throws Exception {
        Build older = Build.older();
        OlderData data = OlderData.unpack(directory);
        System.out.println("data of " + data.contents().build() + ", served by " + older.name() + "; -Dbulwark.seed="
                + LiveCluster.SEED);
        try {
            upgrade(data, older);
        } catch (Exception | AssertionError e) {
            LoadProcess.showLogs(data.root());
            throw e;
        } finally {
            for (Member member : members.values()) {
                member.stop();
            }
        }
    }

    private void upgrade(OlderData data, Build older) throws Exception {
        List<String> replicas = names("replica-", data.plan().shape().replicas());
        List<String> nodes = names("node-", data.plan().shape().nodes());
        for (List<String> kind : List.of(replicas, nodes)) {
            for (String name : kind) {
                members.put(name, member(data, name, older));
                member(name).start();
            }
            for (String name : kind) {
                member(name).awaitListening();
            }
        }
        try (Bulwark status = data.operator()) {
            data.awaitWell(status);
            status.createBucket(UpgradeLoad.BUCKET);
            try (LoadProcess load = LoadProcess.start(data, older, "older", FIRST_OLDER)) {
                load.awaitMore(MORE);
                step(data, status, load, replicas);
                back(data, status, load, replicas.getLast(), older);
                CompletableFuture<Void> people = CompletableFuture.runAsync(data::checkPeople);
                step(data, status, load, nodes);
                people.join();
                back(data, status, load, nodes.getLast(), older);
                try (LoadProcess current = LoadProcess.start(data, Build.current(), "current", FIRST_CURRENT)) {
                    current.awaitMore(MORE);
                    load.awaitMore(MORE);
                    current.end();
                    load.end();
                    data.awaitWell(status);
                    readAll(data, load, current);
                }
            }
            assertThat(status.replicas().history()).as("what is new is there").hasSize(1);
        }
        data.check();
    }

    /** Each of these becomes one of this build. */
    private void step(OlderData data, Bulwark status, LoadProcess load, List<String> names) throws Exception {
        for (String name : names) {
            exchange(data, status, load, name, Build.current());
        }
    }

    /** Until clients are upgraded each may go back. */
    private void back(OlderData data, Bulwark status, LoadProcess load, String name, Build older) throws Exception {
        exchange(data, status, load, name, older);
        exchange(data, status, load, name, Build.current());
    }

    private void exchange(OlderData data, Bulwark status, LoadProcess load, String name, Build build) throws Exception {
        long begun = System.nanoTime();
        member(name).stop();
        Member next = member(data, name, build);
        members.put(name, next);
        next.start();
        next.awaitListening();
        data.awaitWell(status);
        load.awaitMore(MORE);
        System.out.println(
                name + " is of " + build.name() + " after " + (System.nanoTime() - begun) / 1_000_000 + " ms");
    }

    private Member member(String name) {
        return Optional.ofNullable(members.get(name)).orElseThrow();
    }

    /** With the role file that the older build has written. */
    private static Member member(OlderData data, String name, Build build) throws IOException {
        ClusterShape shape = data.plan().shape();
        String[] parts = name.split("-", 2);
        int number = Integer.parseInt(parts[1]);
        boolean isReplica = parts[0].equals("replica");
        return new ProcessMember(
                name,
                Destination.of("127.0.0.1", isReplica ? shape.replicaPort(number) : shape.nodePort(number)),
                Optional.of(data.plan().data().log(name)),
                build.bulwark(HEAP_MEBIBYTES),
                List.of(
                        parts[0],
                        "--config",
                        data.root().resolve("config").resolve(name + ".yaml").toString(),
                        "--end-with-input"));
    }

    private static List<String> names(String kind, int count) {
        return IntStream.range(0, count).mapToObj(i -> kind + i).toList();
    }

    /** By somebody who knows nothing but the genesis. */
    private static void readAll(OlderData data, LoadProcess... loads) {
        Map<String, String> objects = new HashMap<>();
        Map<String, String> registers = new HashMap<>();
        for (LoadProcess load : loads) {
            objects.putAll(load.objects());
            registers.putAll(load.registers());
            System.out.println(load.summary());
        }
        try (Bulwark client = data.operator()) {
            Bucket bucket = client.bucket(UpgradeLoad.BUCKET);
            objects.forEach((key, hash) -> assertThat(OlderContents.sha256(bucket.getBytes(key)))
                    .as(key)
                    .isEqualTo(hash));
            registers.forEach((block, hash) -> {
                String[] parts = block.split(" ", 2);
                byte[] read = client.volume(parts[0]).readBlock(Long.parseLong(parts[1]));
                assertThat(OlderContents.sha256(read)).as(block).isEqualTo(hash);
            });
        }
    }
}
