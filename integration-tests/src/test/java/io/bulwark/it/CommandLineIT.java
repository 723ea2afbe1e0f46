package io.bulwark.it;

import static org.assertj.core.api.Assertions.assertThat;

import io.bulwark.appliance.cli.BulwarkCommand;
import java.io.ByteArrayOutputStream;
import java.io.IOException;
import java.io.InputStream;
import java.io.PrintStream;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.StandardCopyOption;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.Random;
import java.util.zip.ZipFile;
import org.jspecify.annotations.NullMarked;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.RegisterExtension;
import org.junit.jupiter.api.io.TempDir;
import tools.jackson.databind.JsonNode;
import tools.jackson.databind.json.JsonMapper;

/**
 * Interface on which scripts rely: JSON on standard output, exit codes, errors on standard error that name the problem.
 */
@NullMarked
class CommandLineIT {
    private static final JsonMapper JSON = JsonMapper.builder().build();
    private static final int DONE = 0;
    private static final int FAILED = 1;
    private static final int USAGE = 2;
    private static final int UNAVAILABLE = 69;

    @RegisterExtension
    static final LiveCluster CLUSTER = LiveCluster.shared();

    private record Run(int exitCode, String out, String err) {
        JsonNode json() {
            return JSON.readTree(out);
        }
    }

    @Test
    void aScriptStoresFindsAndReadsFiles(@TempDir Path directory) throws IOException {
        byte[] content = new byte[(1 << 20) + 1];
        new Random(LiveCluster.SEED).nextBytes(content);
        Path file = Files.write(directory.resolve("boat.bin"), content);
        Files.writeString(directory.resolve("note.txt"), "a note");
        Files.createDirectory(directory.resolve("empty"));

        assertThat(run("mb", "photos").exitCode()).isEqualTo(DONE);
        JsonNode put = run("put", file.toString(), "photos/2026/").json();
        assertThat(put.get("key").asString()).isEqualTo("2026/boat.bin");
        assertThat(put.get("bytes").asLong()).isEqualTo(content.length);
        Path back = directory.resolve("back.bin");
        assertThat(run("get", "photos/2026/boat.bin", back.toString()).exitCode())
                .isEqualTo(DONE);
        assertThat(Files.readAllBytes(back)).isEqualTo(content);
        Files.delete(back);
        assertThat(run("stat", "photos/2026/boat.bin").json().get("bytes").asLong())
                .isEqualTo(content.length);

        JsonNode synced = run("sync", directory.toString(), "photos/tree").json();
        assertThat(synced.get("stored").asLong()).isEqualTo(2);
        assertThat(synced.get("emptyDirectories").asLong()).isEqualTo(1);
        assertThat(run("stat", "photos/tree/note.txt").json().get("contentType").asString())
                .isEqualTo("text/plain");
        assertThat(run("sync", directory.toString(), "photos/tree")
                        .json()
                        .get("unchanged")
                        .asLong())
                .isEqualTo(2);
        JsonNode copied = run("cp", "-r", "photos/tree", "photos/again").json();
        assertThat(copied.get("stored").asLong()).isEqualTo(2);
        assertThat(run("cp", "-r", "photos/tree", "photos/again", "--dry-run")
                        .json()
                        .get("changed")
                        .asLong())
                .as("nothing is new")
                .isZero();
        assertThat(run("cp", "-r", "photos/tree", "photos/tree/in-itself").exitCode())
                .isEqualTo(USAGE);
        assertThat(run("rm", "-r", "photos/again").exitCode()).isEqualTo(DONE);
        assertThat(run("cp", "photos/tree/note.txt", "photos/copy").exitCode()).isEqualTo(DONE);
        assertThat(run("mv", "photos/copy", "photos/moved").exitCode()).isEqualTo(DONE);
        List<String> names = new ArrayList<>();
        run("ls", "photos")
                .json()
                .forEach(entry -> names.add((entry.has("prefix") ? entry.get("prefix") : entry.get("key")).asString()));
        assertThat(names).containsExactlyInAnyOrder("2026/", "tree/", "moved");

        JsonNode verified = run("verify", "photos").json();
        assertThat(verified.get("objects").asLong()).isEqualTo(4);
        assertThat(verified.get("unreadable").size()).isZero();
        JsonNode status = run("status").json();
        assertThat(status.toString()).contains("photos", "replica-3", "node-4");

        assertThat(run("rb", "photos").exitCode()).as("a bucket with objects").isEqualTo(FAILED);
        assertThat(run("rm", "-r", "photos").exitCode()).isEqualTo(DONE);
        assertThat(run("rb", "photos").exitCode()).isEqualTo(DONE);
    }

    @Test
    void whatFailsSaysWhatAndWhy(@TempDir Path directory) throws IOException {
        Path file = Files.writeString(directory.resolve("file"), "content");
        assertThat(run("mb", "errors").exitCode()).isEqualTo(DONE);
        fails(FAILED, "nowhere", "ls", "nowhere");
        fails(FAILED, "nowhere", "put", file.toString(), "nowhere/key");
        fails(FAILED, "absent", "get", "errors/absent", directory.resolve("out").toString());
        assertThat(directory.resolve("out")).doesNotExist();
        fails(USAGE, "character 1 is 'N'; allowed are a-z, 0-9", "mb", "No_Such_Name");
        fails(USAGE, "3 to 63 characters", "mb", "n".repeat(10_000));
        fails(USAGE, "allowed are a-z, 0-9", "mb", "bell\u0007");
        fails(USAGE, "allowed are a-z, 0-9", "put", file.toString(), "Bad_Name/key");
        fails(USAGE, "control character U+0007", "put", file.toString(), "errors/bell\u0007");
        fails(USAGE, "character 5 is the control character", "ls", "errors/bell\u0007");
        fails(USAGE, "character 4 is '_'", "volume", "create", "bad_name");
        fails(USAGE, "character 7 is '_'", "grant", "client_3", "read");
        fails(USAGE, "1024", "put", file.toString(), "errors/" + "k".repeat(10_000));
        fails(
                USAGE,
                "1024",
                "get",
                "errors/" + "k".repeat(10_000),
                directory.resolve("out").toString());
        fails(USAGE, "name the object", "get", "errors/");
        fails(USAGE, "nodes", "volume", "create", "wide", "--faults", "3");
        fails(USAGE, "unknown", "--no-such-option");
        fails(USAGE, "--parallel", "verify", "errors", "--parallel", "0");
        fails(USAGE, "no node 9", "node", "stop", "9");
        Path elsewhere = directory.resolve("elsewhere");
        Run unreached = captured("ls", "--data", elsewhere.toString());
        assertThat(unreached.exitCode()).isEqualTo(UNAVAILABLE);
        assertThat(unreached.err()).contains("bulwark up");
        Run running = captured("up", "--data", CLUSTER.root().toString());
        assertThat(running.exitCode()).isEqualTo(FAILED);
        assertThat(running.err()).contains("already runs");
        assertThat(captured("ls", "--client", elsewhere.toString()).exitCode()).isEqualTo(UNAVAILABLE);
        Run tooFew = captured("up", "--data", elsewhere.toString(), "--nodes", "3");
        assertThat(tooFew.exitCode()).isEqualTo(USAGE);
    }

    @Test
    void objectsAtTheEdgesOfABlockComeBackAsTheyWere(@TempDir Path directory) throws IOException {
        assertThat(run("mb", "edges").exitCode()).isEqualTo(DONE);
        int[] sizes = {0, 1, 1 << 20, (1 << 20) + 1};
        for (int size : sizes) {
            byte[] content = new byte[size];
            new Random(LiveCluster.SEED + size).nextBytes(content);
            Path file = Files.write(directory.resolve("file-" + size), content);
            assertThat(run("put", file.toString(), "edges/" + size)
                            .json()
                            .get("bytes")
                            .asLong())
                    .isEqualTo(size);
            Path back = directory.resolve("back");
            assertThat(run("get", "edges/" + size, back.toString()).exitCode()).isEqualTo(DONE);
            assertThat(Files.readAllBytes(back)).as("%d bytes", size).isEqualTo(content);
        }
        JsonNode verified = run("verify", "edges").json();
        assertThat(verified.get("objects").asLong()).isEqualTo(sizes.length);
        assertThat(verified.get("unreadable").size()).isZero();
    }

    @Test
    void aRangeIsWithinTheObjectOrRefused(@TempDir Path directory) throws IOException {
        Path file = Files.writeString(directory.resolve("file"), "content");
        Path nothing = Files.createFile(directory.resolve("nothing"));
        Path back = directory.resolve("back");
        assertThat(run("mb", "parts").exitCode()).isEqualTo(DONE);
        assertThat(run("put", file.toString(), "parts/key").exitCode()).isEqualTo(DONE);
        assertThat(run("put", nothing.toString(), "parts/empty").exitCode()).isEqualTo(DONE);
        fails(FAILED, "7 bytes", "get", "parts/key", back.toString(), "--range", "7-");
        fails(FAILED, "begins at byte 100", "get", "parts/key", "-", "--range", "100-200");
        fails(USAGE, "ends before", "get", "parts/key", back.toString(), "--range", "3-2");
        assertThat(back).doesNotExist();
        assertThat(run("get", "parts/key", back.toString(), "--range", "6-100").exitCode())
                .isEqualTo(DONE);
        assertThat(back).hasContent("t");
        assertThat(run("get", "parts/empty", back.toString(), "--range", "0-").exitCode())
                .isEqualTo(DONE);
        assertThat(back).isEmptyFile();
    }

    @Test
    void aBucketWithAProtocolHasAVolumeOfItsOwn() {
        JsonNode made = run("mb", "careful", "--protocol", "pasis").json();
        assertThat(made.get("volume").asString()).isEqualTo("careful");
        assertThat(run("volume", "list").json().toString()).contains("careful", "pasis", "default");
        fails(FAILED, "a volume careful exists", "mb", "careful", "--protocol", "pasis");
        fails(FAILED, "careful", "mb", "careful", "--protocol", "pasis", "--volume", "other");
        assertThat(run("volume", "list").json().toString())
                .as("the volume of a bucket that was not made")
                .doesNotContain("\"other\"");
        assertThat(run("rb", "careful").exitCode()).isEqualTo(DONE);
        assertThat(run("volume", "remove", "careful").exitCode()).isEqualTo(DONE);
    }

    @Test
    void aCopyOfTheClientsFilesHasItsOwnKeys(@TempDir Path directory) throws IOException {
        Path copy = directory.resolve("k\u00f6pie");
        Files.createDirectories(copy.resolve("keys"));
        for (String name :
                List.of("client.properties", "genesis.properties", "keys/client-0.pem", "keys/client-0.keys")) {
            Files.copy(CLUSTER.root().resolve(name), copy.resolve(name), StandardCopyOption.COPY_ATTRIBUTES);
        }
        assertThat(Files.readString(copy.resolve("client.properties")))
                .doesNotContain(CLUSTER.root().toString());
        Run run = captured("ls", "--json", "--data", copy.toString());
        assertThat(run.exitCode()).as(run.err()).isEqualTo(DONE);
        Files.delete(copy.resolve("keys/client-0.pem"));
        assertThat(captured("ls", "--json", "--data", copy.toString()).err())
                .contains("there is no identity at " + copy.resolve("keys/client-0.pem"));
    }

    @Test
    void anArchiveForSupportHasTheStatus(@TempDir Path directory) throws IOException {
        Path file = directory.resolve("support.zip");
        assertThat(run("support", "--out", file.toString()).json().get("parts").has("status.json"))
                .isTrue();
        try (ZipFile zip = new ZipFile(file.toFile());
                InputStream status = zip.getInputStream(zip.getEntry("status.json"))) {
            assertThat(new String(status.readAllBytes(), StandardCharsets.UTF_8))
                    .contains("node-4", "replica-3");
        }
    }

    @Test
    void theConsoleShowsWhatStatusShows() throws Exception {
        ConsoleUser user = CLUSTER.console();
        JsonNode shown = user.get("/api/v1/status");
        assertThat(shown.get("nodes").size()).isEqualTo(5);
        assertThat(shown.get("nodes").get(0).get("state").asString()).isNotEmpty();
        assertThat(shown.get("replicas").size()).isEqualTo(4);
        JsonNode groups = user.get("/api/v1/groups?limit=1000").get("items");
        JsonNode listed = JSON.readTree(run("node", "list", "--groups").out());
        assertThat(groups.size()).isPositive().isEqualTo(listed.size());
        for (int i = 0; i < groups.size(); i++) {
            for (String field : new String[] {"volume", "group", "epoch", "holders", "fresh", "unconfirmed"}) {
                assertThat(groups.get(i).get(field))
                        .as(field)
                        .isEqualTo(listed.get(i).get(field));
            }
        }
    }

    private static void fails(int exitCode, String saying, String... arguments) {
        Run run = run(arguments);
        assertThat(run.exitCode())
                .as("%s: %s", Arrays.toString(arguments), run.err())
                .isEqualTo(exitCode);
        assertThat(run.out()).isEmpty();
        if (arguments[0].startsWith("-")) {
            assertThat(run.err()).as(Arrays.toString(arguments)).containsIgnoringCase(saying);
            return;
        }
        JsonNode failure = JSON.readTree(run.err().lines().toList().getLast());
        assertThat(failure.get("error").asString())
                .as(Arrays.toString(arguments))
                .containsIgnoringCase(saying);
        assertThat(failure.get("code").asInt()).isEqualTo(exitCode);
    }

    private static Run run(String... arguments) {
        List<String> all = new ArrayList<>(Arrays.asList(arguments));
        if (!arguments[0].startsWith("-")) {
            all.addAll(List.of("--json", "--data", CLUSTER.root().toString()));
        }
        return captured(all.toArray(String[]::new));
    }

    private static Run captured(String... arguments) {
        ByteArrayOutputStream out = new ByteArrayOutputStream();
        ByteArrayOutputStream err = new ByteArrayOutputStream();
        PrintStream realOut = System.out;
        PrintStream realErr = System.err;
        try (PrintStream ownOut = new PrintStream(out, true, StandardCharsets.UTF_8);
                PrintStream ownErr = new PrintStream(err, true, StandardCharsets.UTF_8)) {
            System.setOut(ownOut);
            System.setErr(ownErr);
            int code = BulwarkCommand.run(arguments);
            return new Run(code, out.toString(StandardCharsets.UTF_8), err.toString(StandardCharsets.UTF_8));
        } finally {
            System.setOut(realOut);
            System.setErr(realErr);
        }
    }
}
