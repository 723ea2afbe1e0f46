package io.bulwark.it;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import io.bulwark.appliance.drill.Lie;
import io.bulwark.client.VolumeInfo;
import io.bulwark.protocol.effect.Loaded;
import io.bulwark.protocol.effect.RecordKey;
import io.bulwark.protocol.effect.RecordKind;
import io.bulwark.protocol.effect.Verdict;
import io.bulwark.protocol.wire.Bytes;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Random;
import java.util.Set;
import java.util.stream.Collectors;
import org.jspecify.annotations.NullMarked;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.RegisterExtension;
import org.junit.jupiter.api.io.TempDir;
import tools.jackson.databind.JsonNode;

/** Buckets under PASIS, by the command line, on files: while all is well, while one node is down, and while one lies. */
@NullMarked
@Tag("long")
class PasisObjectsIT {
    private static final int FILES = 12;
    private static final int LOST = 2;

    @RegisterExtension
    static final LiveCluster CLUSTER = LiveCluster.embedded(5);

    @TempDir
    Path directory = Path.of("");

    @Test
    void filesComeBackWhileANodeIsDownAndWhileOneLies() throws Exception {
        Path source = Files.createDirectory(directory.resolve("source"));
        for (int i = 0; i < FILES; i++) {
            file(source.resolve("file-" + i), i * 37_003);
        }
        run(
                        "mb",
                        "fresh-objects",
                        "--volume",
                        "fresh-objects",
                        "--protocol",
                        "pasis",
                        "--faults",
                        "1",
                        "--data-fragments",
                        "2")
                .with("--verification", "lazy", "--block-size", "65536")
                .json();
        run("sync", source.toString(), "fresh-objects").json();
        comesBack(source, "first");
        await().untilAsserted(() -> {
            JsonNode versions = stat().get("versions");
            assertThat(versions.get("verifications").asLong()).isGreaterThanOrEqualTo(3L * (FILES - 1));
            assertThat(versions.get("poisonous").asLong()).isZero();
            assertThat(stat().get("faultsLeft").asInt()).isOne();
        });

        CLUSTER.stopNode(1);
        comesBack(source, "down");
        file(source.resolve("late"), 200_000);
        run("sync", source.toString(), "fresh-objects").json();
        comesBack(source, "late");
        CLUSTER.startNode(1);
        await().untilAsserted(() -> assertThat(stat().get("faultsLeft").asInt()).isOne());

        CLUSTER.lie(0, Lie.GARBLE);
        comesBack(source, "lied");
        // The status names the liar, whether a reader, a peer or the node's own scrub detects the lie first.
        await().untilAsserted(() -> assertThat(
                        CLUSTER.client().status().nodes().get(0).seen().keySet())
                .containsAnyOf(Verdict.CORRUPT, Verdict.DAMAGED));
        await().untilAsserted(() -> assertThat(stat().get("faultsLeft").asInt()).isOne());
        JsonNode verified = run("verify", "fresh-objects").json();
        assertThat(verified.get("objects").asInt()).isEqualTo(FILES + 1);
        assertThat(verified.get("unreadable")).isEmpty();
    }

    @Test
    void everyVerificationButNoneKeepsObjects() throws Exception {
        Path file = file(directory.resolve("one"), 150_000);
        for (String when : List.of("read-time", "write-time")) {
            run("mb", "bucket-" + when, "--volume", "volume-" + when, "--protocol", "pasis")
                    .with("--verification", when)
                    .json();
            run("put", file.toString(), "bucket-" + when + "/one").json();
            Path back = directory.resolve("back-" + when);
            run("get", "bucket-" + when + "/one", back.toString()).json();
            assertThat(Files.mismatch(back, file)).isEqualTo(-1);
        }
        CommandRun none = run("mb", "careless", "--volume", "careless", "--protocol", "pasis")
                .with("--verification", "none")
                .go();
        assertThat(none.exitCode()).isEqualTo(2);
        assertThat(none.err()).contains("keeps no objects");
    }

    @Test
    void aNodeThatLostItsDiskGetsAllOfItBackFromItsPeers() throws Exception {
        run("mb", "kept", "--volume", "kept", "--protocol", "pasis", "--faults", "1", "--data-fragments", "2")
                .with("--verification", "lazy", "--block-size", "65536")
                .json();
        run("volume", "create", "kept-blocks", "--blocks", "40", "--protocol", "pasis", "--faults", "1")
                .with("--data-fragments", "2", "--verification", "lazy", "--block-size", "32768")
                .json();
        Path object = file(directory.resolve("object"), 600_000);
        Path blocks = file(directory.resolve("blocks"), 20 * 32_768);
        run("put", object.toString(), "kept/object").json();
        run("volume", "write", "kept-blocks", "0", blocks.toString()).json();
        await().untilAsserted(() -> {
            assertThat(stat("kept-blocks").get("versions").get("unverified").asLong())
                    .isZero();
            assertThat(stat("kept").get("faultsLeft").asInt()).isOne();
        });
        Map<RecordKey, Bytes> before = fragments(LOST, Set.of("kept-blocks", "kept"));
        assertThat(before).hasSizeGreaterThanOrEqualTo(20 + 10);

        CLUSTER.loseDisk(LOST);
        await().untilAsserted(() -> {
            assertThat(CLUSTER.client().status().nodes().get(LOST).background().repaired())
                    .isGreaterThanOrEqualTo(20);
            assertThat(stat("kept").get("faultsLeft").asInt()).isOne();
            assertThat(stat("kept-blocks").get("faultsLeft").asInt()).isOne();
        });
        assertThat(fragments(LOST, Set.of("kept-blocks", "kept"))).isEqualTo(before);

        CLUSTER.stopNode((LOST + 1) % 5);
        Path back = directory.resolve("object-back");
        run("get", "kept/object", back.toString()).json();
        assertThat(Files.mismatch(back, object)).isEqualTo(-1);
        Path blocksBack = directory.resolve("blocks-back");
        run("volume", "read", "kept-blocks", "0", blocksBack.toString())
                .with("--bytes", String.valueOf(Files.size(blocks)))
                .json();
        assertThat(Files.mismatch(blocksBack, blocks)).isEqualTo(-1);
        CLUSTER.startNode((LOST + 1) % 5);
    }

    /** Returns the fragments of these volumes on a node's disk. */
    private static Map<RecordKey, Bytes> fragments(int node, Set<String> volumes) throws Exception {
        Set<Integer> numbers = CLUSTER.client().volumes().stream()
                .filter(volume -> volumes.contains(volume.name()))
                .map(VolumeInfo::id)
                .collect(Collectors.toSet());
        Map<RecordKey, Bytes> found = new HashMap<>();
        CLUSTER.edit(node, editor -> {
            for (RecordKind kind : List.of(RecordKind.EXTENT, RecordKind.PASIS_VERSION)) {
                for (RecordKey key : editor.list(kind)) {
                    if (numbers.contains(key.block().volume())
                            && editor.read(key) instanceof Loaded.Found(var _, var _, Bytes fragment)
                            && !fragment.isEmpty()) {
                        found.put(key, fragment);
                    }
                }
            }
        });
        return found;
    }

    private static Path file(Path path, int bytes) throws IOException {
        byte[] content = new byte[bytes];
        new Random(LiveCluster.SEED + bytes).nextBytes(content);
        return Files.write(path, content);
    }

    private void comesBack(Path source, String name) throws IOException {
        try (var files = Files.list(source)) {
            for (Path file : files.toList()) {
                Path back = directory.resolve("back-" + name + "-" + file.getFileName());
                run("get", "fresh-objects/" + file.getFileName(), back.toString())
                        .json();
                assertThat(Files.mismatch(back, file))
                        .as("%s of %s", file, name)
                        .isEqualTo(-1);
            }
        }
    }

    private static JsonNode stat() {
        return stat("fresh-objects");
    }

    private static JsonNode stat(String volume) {
        return run("volume", "stat", volume).go().printed();
    }

    private static CommandRun run(String... arguments) {
        return new CommandRun(CLUSTER, arguments);
    }
}
