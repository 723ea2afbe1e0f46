package io.bulwark.appliance;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.StandardCopyOption;
import java.nio.file.attribute.FileTime;
import java.nio.file.attribute.PosixFilePermissions;
import java.time.Instant;
import java.util.ArrayList;
import java.util.List;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import java.util.stream.Stream;
import org.jspecify.annotations.NullMarked;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/**
 * The script {@code bulwark} in a small clone, with a Maven and a Java that only record their calls: when it builds,
 * and with which flags it starts Java.
 */
@NullMarked
class LauncherTest {
    private static final int UNAVAILABLE = 69;
    private static final int BUILD_FAILED = 70;

    /** A cache begins with zeros until it is complete. */
    private static final byte[] COMPLETE = {(byte) 0xA2, (byte) 0xAB, 0x0B, (byte) 0xF0};

    @TempDir
    Path directory = Path.of("");

    private Path clone = Path.of("");
    private Path source = Path.of("");

    private record Run(int exitCode, String out, String err) {}

    @BeforeEach
    void makeClone() throws IOException {
        clone = directory.resolve("cl\u00f6ne");
        source = Files.createDirectories(clone.resolve("appliance/src/main/java"))
                .resolve("Main.java");
        Files.writeString(source, "class Main {}");
        Files.writeString(clone.resolve("pom.xml"), "<project/>");
        Files.writeString(clone.resolve("appliance/pom.xml"), "<project/>");
        Path launcher = Stream.of(Path.of("bulwark"), Path.of("../bulwark"))
                .filter(Files::isRegularFile)
                .findFirst()
                .orElseThrow();
        Files.copy(launcher, clone.resolve("bulwark"), StandardCopyOption.COPY_ATTRIBUTES);
        Files.createDirectory(clone.resolve("dist"));
        for (String part : List.of("dist/launch.sh", "dist/arguments.sh")) {
            Files.copy(launcher.resolveSibling(part), clone.resolve(part));
        }
        script("tools/mvn", """
            echo built >>"$CALLS"
            echo "[INFO] Building Bulwark: protocol 0.1.0-SNAPSHOT                [1/2]"
            echo "[INFO] Building Bulwark: appliance 0.1.0-SNAPSHOT               [2/2]"
            [ ! -e broken ] || { echo "[ERROR] broken"; exit 1; }
            mkdir -p appliance/target && echo jar >appliance/target/bulwark-exec.jar
            """);
        script("jdk/bin/java", """
            case "$*" in
              *jarmode=tools*) mkdir -p "${@: -1}" && cp "$3" "${@: -1}" ;;
              *) echo "java $*" ;;
            esac
            [ ! -e "$CALLS.notices" ] || { cat "$CALLS.notices"; printf 'in place'; } >&2
            """);
        Files.writeString(directory.resolve("jdk/release"), "JAVA_VERSION=\"25.0.1\"\nMODULES=\"java.base\"\n");
    }

    private void script(String name, String text) throws IOException {
        Path file = directory.resolve(name);
        Files.createDirectories(file.getParent());
        Files.writeString(file, "#!/usr/bin/env bash\n" + text);
        Files.setPosixFilePermissions(file, PosixFilePermissions.fromString("rwxr-xr-x"));
    }

    @Test
    void withoutAJarACommandSaysHowToBuildAndDoesNot() throws Exception {
        for (String command : List.of("help", "ls", "status", "simulate")) {
            Run run = run(command);
            assertThat(run.exitCode()).as(run.err()).isEqualTo(UNAVAILABLE);
            assertThat(run.err()).contains("nothing is built yet", "build`").hasLineCount(1);
        }
        assertThat(run("ls", "--json").err())
                .startsWith("{\"error\":\"nothing is built yet")
                .contains("\"code\":69}");
        assertThat(builds()).isZero();
    }

    @Test
    void upAndBuildBuildWithProgressAndOthersNeverDo() throws Exception {
        Run built = run("build");
        assertThat(built.exitCode()).as(built.err()).isZero();
        assertThat(built.err()).contains("building protocol (1 of 2)", "building appliance (2 of 2)");
        assertThat(run("help").out()).startsWith("java ").contains("-XX:+UseSerialGC", "help");

        touchAll();
        assertThat(run("help").exitCode()).isZero();
        assertThat(run("up").exitCode()).isZero();
        assertThat(run("build").exitCode()).isZero();
        assertThat(builds())
                .as("a clone that was copied has new times and the same sources")
                .isEqualTo(1);

        Files.writeString(source, "class Main { int changed; }");
        touchAll();
        assertThat(run("ls").exitCode()).isZero();
        assertThat(builds()).isEqualTo(1);
        Run up = run("up", "--detach");
        assertThat(up.out())
                .contains("-XX:MaxRAM=8g", "-XX:MaxRAMPercentage=25", "-XX:MaxHeapFreeRatio=30", "up --detach");
        assertThat(builds()).isEqualTo(2);
    }

    @Test
    void membersGetTheMemoryOfServersAndTreesNoRecording() throws Exception {
        assertThat(run("build").exitCode()).isZero();
        assertThat(run("node", "--config", "node.yaml").out()).contains("-XX:MaxRAM=4g");
        assertThat(run("s3", "--config", "s3.yaml").out()).contains("-XX:MaxRAM=4g");
        assertThat(run("s3", "list").out()).contains("-XX:+UseSerialGC").doesNotContain("-XX:MaxRAM");
        assertThat(run("get", "bucket/key").out()).contains("-XX:AOTMode=record");
        assertThat(run("get", "-r", "bucket", "there").out())
                .startsWith("java ")
                .doesNotContain("AOT");
        assertThat(run("put", "there", "bucket", "--recursive").out())
                .startsWith("java ")
                .doesNotContain("AOT");
    }

    @Test
    void anApplianceThatServedMakesTheCacheThatOthersUse() throws Exception {
        withVectors();
        assertThat(run("build").exitCode()).isZero();
        Path cache = clone.resolve("appliance/target/unpacked/server.aot");
        Path served = recordOf(run("up"));
        Path refused = recordOf(run("up"));
        assertThat(served).as("no two processes write the same file").isNotEqualTo(refused);
        assertThat(run("up", "--detach").out())
                .contains("-Dbulwark.cache=" + cache + ".")
                .doesNotContain("AOTCache");
        assertThat(run("node", "--config", "node.yaml").out()).doesNotContain("AOTCache");

        Files.write(refused, COMPLETE);
        Files.createFile(Path.of(served + ".served"));
        assertThat(run("up").out()).as("one that did not serve").doesNotContain("-XX:AOTCache=");
        Files.write(served, new byte[16]);
        assertThat(run("up").out()).as("a cache that is being written").doesNotContain("-XX:AOTCache=");
        assertThat(cache).doesNotExist();

        Files.write(served, COMPLETE);
        assertThat(run("node", "--config", "node.yaml").out()).contains("-XX:AOTCache=" + cache);
        assertThat(run("up", "--detach").out()).contains("-XX:AOTCache=" + cache, "-XX:+VerifySharedSpaces");
        assertThat(run("up").out()).doesNotContain("AOTCacheOutput");
        assertThat(served).doesNotExist();
    }

    @Test
    void aBrokenCacheIsReplacedAndLeftOversAreDeleted() throws Exception {
        withVectors();
        assertThat(run("build").exitCode()).isZero();
        Path cache = clone.resolve("appliance/target/unpacked/server.aot");
        Files.write(cache, new byte[16]);
        Path record = recordOf(run("up"));
        Path old = Files.write(cache.resolveSibling("server.aot.77-1"), COMPLETE);
        Files.setLastModifiedTime(old, FileTime.from(Instant.now().minusSeconds(3_600)));
        Files.write(record, COMPLETE);
        Files.createFile(Path.of(record + ".served"));
        assertThat(run("up").out()).contains("-XX:AOTCache=" + cache);
        assertThat(cache).hasBinaryContent(COMPLETE);
        assertThat(old).doesNotExist();
    }

    private void withVectors() throws IOException {
        Files.writeString(
                directory.resolve("jdk/release"),
                "JAVA_VERSION=\"25.0.1\"\nMODULES=\"java.base jdk.incubator.vector\"\n");
    }

    /** Returns the file in which this appliance makes a cache when it ends. */
    private static Path recordOf(Run up) {
        Matcher flag =
                Pattern.compile("-XX:AOTCacheOutput=(\\S+/server\\.aot\\.\\S+)").matcher(up.out());
        assertThat(flag.find()).as(up.out()).isTrue();
        assertThat(up.out()).doesNotContain("-XX:AOTCache=");
        return Path.of(flag.group(1));
    }

    /** Users see no notices of the JVM about its cache or about modules that incubate. */
    @Test
    void noticesOfTheJvmAreLeftOut() throws Exception {
        withVectors();
        assertThat(run("build").exitCode()).isZero();
        Files.writeString(directory.resolve("calls.notices"), """
            WARNING: Using incubator modules: jdk.incubator.vector
            it goes down
            Temporary AOTConfiguration recorded: server.aot.config
            Launching child process java to assemble AOT cache
            Picked up JAVA_TOOL_OPTIONS: -Dx
            WARNING: Using incubator modules: jdk.incubator.vector
            Reading AOTConfiguration server.aot.config and writing AOTCache server.aot
            AOTCache creation is complete: server.aot 7 bytes
            Removed temporary AOT configuration file server.aot.config
            """);
        assertThat(run("up").exitCode()).isZero();
        assertThat(run("help").err()).as("commands record no cache of servers").contains("Picked up");
        await().untilAsserted(() -> assertThat(directory.resolve("err.up")).hasContent("it goes down\nin place"));
    }

    @Test
    void optionsOfEveryCommandMayStandBeforeIt() throws Exception {
        assertThat(run("--data", "a b", "up", "--detach").out())
                .contains("-XX:MaxRAM=8g")
                .endsWith(" up --detach --data a b\n");
        assertThat(run("--json", "--profile=p", "--data=d", "node", "list").out())
                .contains("-XX:+UseSerialGC")
                .endsWith(" node list --json --profile=p --data=d\n");
        assertThat(run("--data", "d", "ls", "--", "-name").out()).endsWith(" ls --data d -- -name\n");
        assertThat(run("--data").out()).endsWith(" --data\n");
    }

    @Test
    void aBuildThatFailsShowsItsLog() throws Exception {
        Files.createFile(clone.resolve("broken"));
        Run run = run("up");
        assertThat(run.exitCode()).isEqualTo(BUILD_FAILED);
        assertThat(run.err()).contains("[ERROR] broken", "the build failed; the whole log is ");
        assertThat(run.out()).isEmpty();
    }

    /** Later than all that was built: as a copy of the clone has them. */
    private void touchAll() throws IOException {
        FileTime later = FileTime.from(Instant.now().plusSeconds(60));
        for (Path file : List.of(source, clone.resolve("pom.xml"), clone.resolve("appliance/pom.xml"))) {
            Files.setLastModifiedTime(file, later);
        }
    }

    private int builds() throws IOException {
        Path calls = directory.resolve("calls");
        return Files.exists(calls) ? Files.readAllLines(calls).size() : 0;
    }

    private Run run(String... arguments) throws Exception {
        List<String> command = new ArrayList<>(List.of(clone.resolve("bulwark").toString()));
        command.addAll(List.of(arguments));
        ProcessBuilder builder = new ProcessBuilder(command);
        builder.environment().keySet().removeIf(name -> name.startsWith("BULWARK_"));
        builder.environment().put("BULWARK_JAVA_HOME", directory.resolve("jdk").toString());
        builder.environment().put("CALLS", directory.resolve("calls").toString());
        builder.environment().merge("PATH", directory.resolve("tools").toString(), (path, tools) -> tools + ":" + path);
        Path err = directory.resolve("err." + arguments[0]);
        Process process = builder.redirectError(err.toFile()).start();
        process.getOutputStream().close();
        String out = new String(process.getInputStream().readAllBytes(), StandardCharsets.UTF_8);
        return new Run(process.waitFor(), out, Files.readString(err));
    }
}
