package io.bulwark.it;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;
import static org.awaitility.Awaitility.await;

import io.bulwark.appliance.drill.Lie;
import io.bulwark.client.Bulwark;
import io.bulwark.client.Volume;
import io.bulwark.client.error.NotPermittedException;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.Random;
import org.jspecify.annotations.NullMarked;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.RegisterExtension;
import org.junit.jupiter.api.io.TempDir;
import tools.jackson.databind.JsonNode;

/** A volume under PASIS with lazy verification, by the command line, on files, while one node is down and then while one lies. */
@NullMarked
@Tag("long")
class PasisIT {
    private static final int BLOCK_BYTES = 32 << 10;
    private static final int FAULTY = 12;
    private static final int OTHER = 13;

    @RegisterExtension
    static final LiveCluster CLUSTER = LiveCluster.embedded(5);

    @TempDir
    Path directory = Path.of("");

    @Test
    void filesComeBackWhileANodeIsDownAndWhileOneLies() throws Exception {
        JsonNode made = run("volume", "create", "fresh", "--blocks", "200", "--protocol", "pasis", "--faults", "1")
                .with("--data-fragments", "2")
                .with("--verification", "lazy")
                .with("--block-size", String.valueOf(BLOCK_BYTES))
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
        assertThat(run("status").go().out()).contains("pasis b=1 m=2 n=5 lazy");

        // Nodes that other tests have stopped and started may have something to compare still.
        CLUSTER.awaitFullFaults(volume -> volume.name().equals("fresh"));
        CLUSTER.stopNode(1);
        Path second = file("second", 9 * BLOCK_BYTES);
        write(second, 10);
        comesBack(second, 10);
        assertThat(stat().get("faultsLeft").asInt()).isZero();
        CLUSTER.startNode(1);

        // Every position lies once, while all others answer with versions written after the last lie.
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
    void filesComeBackWheneverTheyAreVerified() throws Exception {
        for (String when : List.of("read-time", "write-time", "none")) {
            // Once as replication.
            String fragments = when.equals("write-time") ? "1" : "2";
            run("volume", "create", when, "--blocks", "50", "--protocol", "pasis", "--verification", when)
                    .with("--block-size", String.valueOf(BLOCK_BYTES), "--data-fragments", fragments)
                    .json();
            for (int rewrite = 0; rewrite < 3; rewrite++) {
                Path file = file(when + rewrite, 5 * BLOCK_BYTES + 77);
                write(when, file, 3);
                comesBack(when, file, 3);
            }
        }
    }

    @Test
    void wholeCopiesComeBackWhileANodeIsDownAndWhileOneLies() throws Exception {
        JsonNode made = run("volume", "create", "copies", "--blocks", "50", "--protocol", "masking", "--faults", "1")
                .with("--block-size", String.valueOf(BLOCK_BYTES))
                .json();
        assertThat(made.get("protocol").asString()).isEqualTo("masking");
        assertThat(made.get("fragments").asInt()).isEqualTo(5);
        assertThat(run("status").go().out()).contains("masking b=1 n=5");
        Path first = file("copied", 5 * BLOCK_BYTES + 77);
        write("copies", first, 0);
        comesBack("copies", first, 0);
        for (int node = 0; node < 5; node++) {
            CLUSTER.stopNode(node);
            Path second = file("copied-" + node, 3 * BLOCK_BYTES);
            write("copies", second, 10);
            comesBack("copies", second, 10);
            CLUSTER.startNode(node);
        }
        await().untilAsserted(() -> {
            JsonNode versions = run("volume", "stat", "copies").go().printed().get("versions");
            assertThat(versions.get("unverified").asLong()).isZero();
        });
        CLUSTER.lie(2, Lie.GARBLE);
        comesBack("copies", first, 0);
        write("copies", first, 20);
        comesBack("copies", first, 20);
    }

    @Test
    void whatIsNeverVerifiedHoldsNoObjects() {
        CommandRun objects = run("volume", "create", "careless", "--protocol", "pasis")
                .with("--verification", "none")
                .go();
        assertThat(objects.exitCode()).isEqualTo(2);
        assertThat(objects.err()).contains("keeps no objects");
    }

    @Test
    void aWriterOfPoisonIsSuspendedUntilAnOperatorLiftsIt() throws Exception {
        run("volume", "create", "poisoned", "--blocks", "50", "--protocol", "pasis", "--faults", "1")
                .with("--verification", "lazy", "--block-size", String.valueOf(BLOCK_BYTES))
                .json();
        CLUSTER.grant(FAULTY);
        CLUSTER.grant(OTHER);
        try (Bulwark other = CLUSTER.freshClient(OTHER);
                Bulwark suspended = CLUSTER.freshClient(FAULTY);
                PoisonousClient faulty = new PoisonousClient(CLUSTER, FAULTY, "poisoned")) {
            await().until(() -> faulty.poison(3, 1) >= 4);
            await().untilAsserted(() ->
                    assertThat(run("principal", "suspended").json()).hasSize(1));
            JsonNode entry = run("principal", "suspended").json().get(0);
            assertThat(entry.get("client").asString()).isEqualTo("client-" + FAULTY);
            assertThat(entry.get("suspended").asBoolean()).isTrue();
            assertThat(entry.get("reports").size()).isGreaterThanOrEqualTo(2);
            assertThat(entry.get("reports").get(0).get("found").asString()).contains("poisonous version");
            isProvenWithoutTheCluster(entry.get("fault").asLong());
            // Its open session is closed as soon as the nodes learn of the suspension; no node accepts what it sends
            // then.
            await().until(() -> faulty.poison(4, 1) == 0);

            Volume volume = suspended.volume("poisoned");
            byte[] block = content(1, BLOCK_BYTES);
            assertThatThrownBy(() -> volume.writeBlock(1, block))
                    .isInstanceOf(NotPermittedException.class)
                    .hasMessageContaining("poisonous version")
                    .hasMessageContaining("an operator lifts it");
            other.volume("poisoned").writeBlock(2, block);
            assertThat(volume.readBlock(2)).isEqualTo(block);

            run("principal", "lift", "client-" + FAULTY).json();
            volume.writeBlock(1, block);
            assertThat(other.volume("poisoned").readBlock(1)).isEqualTo(block);
            assertThat(run("principal", "suspended").json()).isEmpty();
            assertThat(run("audit", "list").json().toString()).contains("principal lift client-" + FAULTY);
        }
    }

    /** The reports are exported, and checked against the genesis file alone. */
    private void isProvenWithoutTheCluster(long fault) throws IOException {
        JsonNode shown = run("evidence", "show", String.valueOf(fault)).json();
        assertThat(shown.get("about").asString()).isEqualTo("client-" + FAULTY);
        Path file = directory.resolve("evidence.txt");
        run("evidence", "export", String.valueOf(fault), file.toString()).json();
        JsonNode verified = new CommandRun(directory, "evidence", "verify", file.toString())
                .with("--genesis", CLUSTER.root().resolve("genesis.properties").toString())
                .json();
        assertThat(verified).isEqualTo(shown);
        assertThat(verified.get("valid").asBoolean()).isTrue();
        assertThat(verified.get("reports").size()).isGreaterThanOrEqualTo(2);
        assertThat(run("evidence", "list").json().toString()).contains("client-" + FAULTY);
        Files.writeString(file, Files.readString(file).replace("Accused: client-" + FAULTY, "Accused: client-1"));
        CommandRun changed = run("evidence", "verify", file.toString()).go();
        assertThat(changed.exitCode()).isEqualTo(1);
        assertThat(changed.printed().get("valid").asBoolean()).isFalse();
    }

    private Path file(String name, int bytes) throws IOException {
        return Files.write(directory.resolve(name), content(bytes + name.hashCode(), bytes));
    }

    private static byte[] content(long what, int bytes) {
        byte[] content = new byte[bytes];
        new Random(LiveCluster.SEED + what).nextBytes(content);
        return content;
    }

    private void write(Path file, long block) throws IOException {
        write("fresh", file, block);
    }

    private void write(String volume, Path file, long block) throws IOException {
        JsonNode written = run("volume", "write", volume, String.valueOf(block), file.toString())
                .json();
        assertThat(written.get("bytes").asLong()).isEqualTo(Files.size(file));
    }

    private void comesBack(Path file, long block) throws IOException {
        comesBack("fresh", file, block);
    }

    private void comesBack(String volume, Path file, long block) throws IOException {
        Path back = directory.resolve("back");
        Files.deleteIfExists(back);
        run("volume", "read", volume, String.valueOf(block), back.toString())
                .with("--bytes", String.valueOf(Files.size(file)))
                .json();
        assertThat(Files.mismatch(back, file)).as("%s at block %d", file, block).isEqualTo(-1);
    }

    private static JsonNode stat() {
        return run("volume", "stat", "fresh").go().printed();
    }

    private static CommandRun run(String... arguments) {
        return new CommandRun(CLUSTER, arguments);
    }
}
