package io.bulwark.it;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import io.bulwark.appliance.cli.BulwarkCommand;
import io.bulwark.appliance.drill.Lie;
import io.bulwark.protocol.effect.Verdict;
import java.io.ByteArrayOutputStream;
import java.io.IOException;
import java.io.PrintStream;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Random;
import org.jspecify.annotations.NullMarked;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.RegisterExtension;
import org.junit.jupiter.api.io.TempDir;
import tools.jackson.databind.JsonNode;
import tools.jackson.databind.json.JsonMapper;

/** Buckets under PASIS, by the command line, on files: while all is well, while one node is down, and while one lies. */
@NullMarked
class PasisObjectsIT {
    private static final JsonMapper JSON = JsonMapper.builder().build();
    private static final int FILES = 12;

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
        run("mb", "fresh", "--volume", "fresh", "--protocol", "pasis", "--faults", "1", "--data-fragments", "2")
                .with("--verification", "lazy", "--block-size", "65536")
                .json();
        run("sync", source.toString(), "fresh").json();
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
        run("sync", source.toString(), "fresh").json();
        comesBack(source, "late");
        CLUSTER.startNode(1);
        await().untilAsserted(() -> assertThat(stat().get("faultsLeft").asInt()).isOne());

        CLUSTER.lie(0, Lie.GARBLE);
        comesBack(source, "lied");
        // Whoever meets the lie first, a reader, a peer or the node's own scrubbing: the status says whose it is.
        await().untilAsserted(() -> assertThat(
                        CLUSTER.client().status().nodes().get(0).seen().keySet())
                .containsAnyOf(Verdict.CORRUPT, Verdict.DAMAGED));
        await().untilAsserted(() -> assertThat(stat().get("faultsLeft").asInt()).isOne());
        JsonNode verified = run("verify", "fresh").json();
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
        Run none = run("mb", "careless", "--volume", "careless", "--protocol", "pasis")
                .with("--verification", "none");
        none.go();
        assertThat(none.exitCode).isEqualTo(2);
        assertThat(none.err).contains("keeps no objects");
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
                run("get", "fresh/" + file.getFileName(), back.toString()).json();
                assertThat(Files.mismatch(back, file))
                        .as("%s of %s", file, name)
                        .isEqualTo(-1);
            }
        }
    }

    private static JsonNode stat() {
        Run run = run("volume", "stat", "fresh");
        run.go();
        return JSON.readTree(run.out);
    }

    private static Run run(String... arguments) {
        return new Run(List.of(arguments));
    }

    /** A command line. */
    private static final class Run {
        private final List<String> arguments;
        private int exitCode;
        private String out = "";
        private String err = "";

        Run(List<String> arguments) {
            this.arguments = new ArrayList<>(arguments);
        }

        Run with(String... more) {
            arguments.addAll(List.of(more));
            return this;
        }

        JsonNode json() {
            go();
            assertThat(exitCode).as("%s: %s", arguments, err).isZero();
            return JSON.readTree(out);
        }

        void go() {
            arguments.addAll(List.of("--json", "--data", CLUSTER.root().toString()));
            ByteArrayOutputStream outBytes = new ByteArrayOutputStream();
            ByteArrayOutputStream errBytes = new ByteArrayOutputStream();
            PrintStream realOut = System.out;
            PrintStream realErr = System.err;
            try (PrintStream ownOut = new PrintStream(outBytes, true, StandardCharsets.UTF_8);
                    PrintStream ownErr = new PrintStream(errBytes, true, StandardCharsets.UTF_8)) {
                System.setOut(ownOut);
                System.setErr(ownErr);
                exitCode = BulwarkCommand.run(arguments.toArray(String[]::new));
            } finally {
                System.setOut(realOut);
                System.setErr(realErr);
            }
            out = outBytes.toString(StandardCharsets.UTF_8);
            err = errBytes.toString(StandardCharsets.UTF_8);
        }
    }
}
