package io.bulwark.it;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.concurrent.TimeUnit;
import java.util.stream.Stream;
import org.jspecify.annotations.NullMarked;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/**
 * The archive of {@code ./bulwark dist} runs where no Java is: an appliance starts, stores and returns a file. It takes some minutes, since
 * the archive of 200 MB has a runtime and a cache that are made with a running appliance.
 */
@Tag("nightly")
@NullMarked
class DistributionIT {
    private static final Path ROOT = Path.of("..").toAbsolutePath().normalize();
    private static final long MINUTES_MAX = 10;

    /** All that the launcher calls, and tar with what it calls. */
    private static final List<String> TOOLS =
            List.of("bash", "cat", "dirname", "find", "grep", "gzip", "mktemp", "readlink", "rm", "sh", "tar");

    @TempDir
    private Path directory;

    @Test
    void itRunsWhereNoJavaIs() throws Exception {
        String made =
                run(Map.of("BULWARK_NO_BUILD", "1"), ROOT.resolve("bulwark").toString(), "dist");
        Path archive = Path.of(
                made.substring(made.lastIndexOf('\n', made.length() - 2) + 1).strip());
        Map<String, String> bare = Map.of("PATH", tools().toString());
        assertThat(Files.exists(tools().resolve("java"))).isFalse();
        run(bare, "tar", "-xzf", archive.toString(), "-C", directory.toString());
        Path home;
        try (Stream<Path> entries = Files.list(directory)) {
            home = entries.filter(entry -> Files.exists(entry.resolve("bin/bulwark")))
                    .findFirst()
                    .orElseThrow();
        }
        String bulwark = home.resolve("bin/bulwark").toString();
        String data = directory.resolve("data").toString();
        Path file = Files.write(directory.resolve("file"), new byte[3 << 20]);
        Path copy = directory.resolve("copy");
        int port = LiveCluster.freePortBase(5, 4);
        try {
            run(bare, bulwark, "up", "--detach", "--data", data, "--port-base", String.valueOf(port));
            run(bare, bulwark, "mb", "moved", "--data", data);
            run(bare, bulwark, "put", file.toString(), "moved/file", "--data", data);
            run(bare, bulwark, "get", "moved/file", copy.toString(), "--data", data);
            assertThat(Arrays.equals(Files.readAllBytes(copy), Files.readAllBytes(file)))
                    .isTrue();
            // The JVM tells why it does not take a cache, if it is told to.
            String why = run(
                    Map.of("PATH", tools().toString(), "BULWARK_JAVA_OPTIONS", "-XX:AOTMode=on"),
                    bulwark,
                    "ls",
                    "moved",
                    "--data",
                    data);
            assertThat(why).as("the cache of classes is taken").contains("file");
        } finally {
            run(bare, bulwark, "down", "--data", data);
        }
    }

    /** A directory with these tools and no other. */
    private Path tools() throws IOException {
        Path tools = directory.resolve("tools");
        if (Files.isDirectory(tools)) {
            return tools;
        }
        Files.createDirectory(tools);
        for (String tool : TOOLS) {
            Path found = Arrays.stream(
                            Objects.requireNonNull(System.getenv("PATH")).split(":"))
                    .map(place -> Path.of(place, tool))
                    .filter(Files::isExecutable)
                    .findFirst()
                    .orElseThrow(() -> new AssertionError("no " + tool));
            Files.createSymbolicLink(tools.resolve(tool), found.toRealPath());
        }
        return tools;
    }

    private String run(Map<String, String> environment, String... command) throws Exception {
        List<String> found = new ArrayList<>(List.of(command));
        if (!command[0].contains("/")) {
            found.set(0, tools().resolve(command[0]).toString());
        }
        ProcessBuilder builder = new ProcessBuilder(found).directory(directory.toFile());
        builder.redirectErrorStream(true);
        builder.environment().remove("JAVA_HOME");
        builder.environment().remove("BULWARK_JAVA_HOME");
        builder.environment().putAll(environment);
        Path log = Files.createTempFile(directory, "output", ".log");
        Process process = builder.redirectOutput(log.toFile()).start();
        boolean ended = process.waitFor(MINUTES_MAX, TimeUnit.MINUTES);
        process.destroyForcibly();
        String output = Files.readString(log, StandardCharsets.UTF_8);
        assertThat(ended).as("%s ends:\n%s", found, output).isTrue();
        assertThat(process.exitValue()).as("%s:\n%s", found, output).isZero();
        return output;
    }
}
