package io.bulwark.it;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import io.bulwark.appliance.cli.BulwarkCommand;
import io.bulwark.appliance.drill.Lie;
import java.io.ByteArrayOutputStream;
import java.io.IOException;
import java.io.PrintStream;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.Random;
import org.jspecify.annotations.NullMarked;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.RegisterExtension;
import org.junit.jupiter.api.io.TempDir;
import tools.jackson.databind.JsonNode;
import tools.jackson.databind.json.JsonMapper;

/** A volume under PASIS with lazy verification, by the command line, on files, while one node is down and then while one lies. */
@NullMarked
class PasisIT {
    private static final JsonMapper JSON = JsonMapper.builder().build();
    private static final int BLOCK_BYTES = 32 << 10;

    @RegisterExtension
    static final LiveCluster CLUSTER = LiveCluster.embedded(5);

    @TempDir
    Path directory = Path.of("");

    @Test
    void filesComeBackWhileANodeIsDownAndWhileOneLies() throws Exception {
        JsonNode made = run("volume", "create", "fresh", "--blocks", "200", "--protocol", "pasis", "--faults", "1")
                .withOption("--data-fragments", "2")
                .withOption("--verification", "lazy")
                .withOption("--block-size", String.valueOf(BLOCK_BYTES))
                .json();
        assertThat(made.get("protocol").asString()).isEqualTo("pasis");
        assertThat(made.get("fragments").asInt()).isEqualTo(5);

        Path first = file("first", 20 * BLOCK_BYTES + 77);
        write(first, 0);
        comesBack(first, 0);
        await().untilAsserted(() -> {
            JsonNode versions = stat().get("versions");
            assertThat(versions.get("unverified").asLong()).isZero();
            assertThat(versions.get("verifications").asLong()
                            + versions.get("cooperative").asLong())
                    .isGreaterThanOrEqualTo(4 * 21);
        });
        Run status = run("status");
        status.go();
        assertThat(status.out).contains("pasis b=1 m=2 n=5 lazy");

        CLUSTER.stopNode(1);
        Path second = file("second", 9 * BLOCK_BYTES);
        write(second, 10);
        comesBack(second, 10);
        assertThat(stat().get("faultsLeft").asInt()).isZero();
        CLUSTER.startNode(1);

        // Every position lies once, while all others answer with what was written after the last lie.
        for (int liar = 0; liar < 5; liar++) {
            Path file = file("under-" + liar, 3 * BLOCK_BYTES);
            write(file, 40 + 10L * liar);
            write(second, 10);
            CLUSTER.lie(liar, liar % 2 == 0 ? Lie.GARBLE : Lie.SWAP);
            comesBack(file, 40 + 10L * liar);
            comesBack(second, 10);
        }
        for (int rewrite = 0; rewrite < 5; rewrite++) {
            write(second, 10);
        }
        comesBack(second, 10);
        await().untilAsserted(() ->
                assertThat(stat().get("versions").get("avoided").asLong()).isPositive());
    }

    @Test
    void whatIsNeverVerifiedHoldsNoObjects() {
        Run objects = run("volume", "create", "careless", "--protocol", "pasis").withOption("--verification", "none");
        objects.go();
        assertThat(objects.exitCode).isEqualTo(2);
        assertThat(objects.err).contains("keeps no objects");
    }

    private Path file(String name, int bytes) throws IOException {
        byte[] content = new byte[bytes];
        new Random(LiveCluster.SEED + bytes + name.hashCode()).nextBytes(content);
        return Files.write(directory.resolve(name), content);
    }

    private void write(Path file, long block) throws IOException {
        JsonNode written = run("volume", "write", "fresh", String.valueOf(block), file.toString())
                .json();
        assertThat(written.get("bytes").asLong()).isEqualTo(Files.size(file));
    }

    private void comesBack(Path file, long block) throws IOException {
        Path back = directory.resolve("back");
        Files.deleteIfExists(back);
        run("volume", "read", "fresh", String.valueOf(block), back.toString())
                .withOption("--bytes", String.valueOf(Files.size(file)))
                .json();
        assertThat(Files.mismatch(back, file)).as("%s at block %d", file, block).isEqualTo(-1);
    }

    private static JsonNode stat() {
        Run run = run("volume", "stat", "fresh");
        run.go();
        return JSON.readTree(run.out);
    }

    private static Run run(String... arguments) {
        return new Run(arguments);
    }

    /** A command line. */
    private static final class Run {
        private final List<String> arguments;
        private int exitCode;
        private String out = "";
        private String err = "";

        Run(String... arguments) {
            this.arguments = new ArrayList<>(Arrays.asList(arguments));
        }

        Run withOption(String name, String value) {
            arguments.addAll(List.of(name, value));
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
