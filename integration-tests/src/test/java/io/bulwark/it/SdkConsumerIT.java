package io.bulwark.it;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.DataInputStream;
import java.io.IOException;
import java.io.OutputStream;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.security.GeneralSecurityException;
import java.security.KeyStore;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.concurrent.TimeUnit;
import java.util.stream.Stream;
import java.util.zip.ZipEntry;
import java.util.zip.ZipFile;
import javax.crypto.spec.SecretKeySpec;
import org.jspecify.annotations.NullMarked;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.RegisterExtension;
import org.junit.jupiter.api.io.TempDir;

/**
 * An application outside this build takes the SDK from a directory and runs the code of docs/sdk.md on Java 21 against a live cluster. It
 * takes most of a minute, since the command of that page builds the SDK from a copy of its sources.
 *
 * <p>The environment's {@code BULWARK_JAVA_21} names the home of a Java 21. Without it the application runs on the Java of the tests.
 */
@Tag("long")
@NullMarked
class SdkConsumerIT {
    private static final Path ROOT = Path.of("..").toAbsolutePath().normalize();
    private static final List<String> MODULES = List.of("protocol", "transport", "client-sdk");
    private static final List<String> KINDS = List.of("", "-sources");
    private static final int CLASS_FILE_OF_JAVA_21 = 65;
    private static final String PASSWORD = "correct horse";
    private static final long MINUTES_MAX = 8;

    @RegisterExtension
    static final LiveCluster CLUSTER = LiveCluster.embedded(5);

    @TempDir
    private Path directory;

    @Test
    void anApplicationOutsideTheBuildRunsThePage() throws Exception {
        Path sources = copySources();
        // No test reads the Javadoc, which would take most of the time.
        run(sources, Map.of(), "bash", "-c", deployCommand() + " -Dmaven.javadoc.skip -B -q");
        Path repository = sources.resolve("sdk-repository");
        for (String module : MODULES) {
            for (String kind : KINDS) {
                jar(repository, module, kind);
            }
            assertThat(newerClasses(jar(repository, module, ""))).as(module).isEmpty();
        }

        Path consumer = directory.resolve("consumer");
        copy(ROOT.resolve("integration-tests/sdk-consumer"), consumer, "target");
        run(
                consumer,
                Map.of("JAVA_HOME", System.getProperty("java.home")),
                "mvn",
                "-B",
                "-q",
                "-s",
                settings().toString(),
                "-Dmaven.repo.local=" + directory.resolve("m2"),
                "-Dbulwark.repository=" + repository,
                "package");

        Path files = Files.createDirectory(directory.resolve("files"));
        keys(files.resolve("photos.p12"));
        String output = run(
                consumer,
                Map.of("PHOTOS_PASSWORD", PASSWORD),
                java().resolve("bin/java").toString(),
                "-cp",
                "target/classes:target/lib/*",
                "io.bulwark.example.Tutorial",
                CLUSTER.plan().data().clientProperties().toString(),
                files.toString());
        assertThat(output).contains("docs/sdk.md ran on Java ");
        System.out.println(output.substring(output.indexOf("docs/sdk.md ran")).strip());
    }

    /** All poms, as the root names them, and the sources of the SDK: a clone in which nothing was built. */
    private Path copySources() throws IOException {
        Path target = Files.createDirectory(directory.resolve("clone"));
        Files.copy(ROOT.resolve("pom.xml"), target.resolve("pom.xml"));
        copy(ROOT.resolve(".mvn"), target.resolve(".mvn"), "");
        try (Stream<Path> modules = Files.list(ROOT)) {
            for (Path module : modules.filter(each -> Files.exists(each.resolve("pom.xml")))
                    .toList()) {
                Path copy = Files.createDirectory(target.resolve(module.getFileName()));
                Files.copy(module.resolve("pom.xml"), copy.resolve("pom.xml"));
                if (MODULES.contains(module.getFileName().toString())) {
                    copy(module.resolve("src/main"), copy.resolve("src/main"), "");
                }
            }
        }
        return target;
    }

    private static void copy(Path from, Path to, String leftOut) throws IOException {
        try (Stream<Path> files = Files.walk(from)) {
            for (Path file : files.filter(Files::isRegularFile)
                    .filter(each -> leftOut.isEmpty() || !from.relativize(each).startsWith(leftOut))
                    .toList()) {
                Path copy = to.resolve(from.relativize(file));
                Files.createDirectories(copy.getParent());
                Files.copy(file, copy);
            }
        }
    }

    private static String deployCommand() throws IOException {
        List<String> commands = Files.readAllLines(ROOT.resolve("docs/sdk.md")).stream()
                .filter(line -> line.startsWith("mvn ") && line.contains("altDeploymentRepository"))
                .toList();
        assertThat(commands).as("the command that makes the directory").hasSize(1);
        return commands.getFirst();
    }

    private static Path jar(Path repository, String module, String kind) throws IOException {
        try (Stream<Path> files = Files.list(repository.resolve("io/bulwark/" + module + "/0.1.0-SNAPSHOT"))) {
            List<Path> found = files.filter(
                            file -> file.getFileName().toString().matches(".*-[0-9]+" + kind + "[.]jar"))
                    .toList();
            assertThat(found).as("%s%s.jar", module, kind).hasSize(1);
            return found.getFirst();
        }
    }

    /** The classes that Java 21 cannot load, apart from those that only later Javas look for. */
    private static List<String> newerClasses(Path jar) throws IOException {
        List<String> newer = new ArrayList<>();
        int classes = 0;
        try (ZipFile zip = new ZipFile(jar.toFile())) {
            for (ZipEntry entry : zip.stream().map(ZipEntry.class::cast).toList()) {
                if (entry.getName().endsWith(".class") && !entry.getName().startsWith("META-INF/versions/")) {
                    classes++;
                    try (DataInputStream in = new DataInputStream(zip.getInputStream(entry))) {
                        in.readInt();
                        in.readUnsignedShort();
                        if (in.readUnsignedShort() > CLASS_FILE_OF_JAVA_21) {
                            newer.add(entry.getName());
                        }
                    }
                }
            }
        }
        assertThat(classes).as("classes of " + jar).isPositive();
        return newer;
    }

    /** Maven takes what this build has fetched from its local repository, and the rest from where it always does. */
    private Path settings() throws IOException {
        String fetched = Path.of(System.getProperty("user.home"), ".m2", "repository")
                .toUri()
                .toString();
        String repository = "<id>fetched</id><url>" + fetched + "</url>";
        return Files.writeString(directory.resolve("settings.xml"), """
            <settings>
              <profiles>
                <profile>
                  <id>fetched</id>
                  <repositories><repository>%1$s</repository></repositories>
                  <pluginRepositories><pluginRepository>%1$s</pluginRepository></pluginRepositories>
                </profile>
              </profiles>
              <activeProfiles><activeProfile>fetched</activeProfile></activeProfiles>
            </settings>
            """.formatted(repository));
    }

    private static Path java() {
        String home = System.getenv("BULWARK_JAVA_21");
        if (home == null) {
            System.out.println("LEFT OUT: a run on Java 21: BULWARK_JAVA_21 names none");
            return Path.of(System.getProperty("java.home"));
        }
        return Path.of(home);
    }

    private static void keys(Path file) throws IOException, GeneralSecurityException {
        KeyStore store = KeyStore.getInstance("PKCS12");
        store.load(null, null);
        store.setEntry(
                "2026",
                new KeyStore.SecretKeyEntry(new SecretKeySpec(new byte[32], "AES")),
                new KeyStore.PasswordProtection(PASSWORD.toCharArray()));
        try (OutputStream out = Files.newOutputStream(file)) {
            store.store(out, PASSWORD.toCharArray());
        }
    }

    private static String run(Path directory, Map<String, String> environment, String... command) throws Exception {
        ProcessBuilder builder =
                new ProcessBuilder(command).directory(directory.toFile()).redirectErrorStream(true);
        builder.environment().putAll(environment);
        Path log = directory.resolve("output.log");
        Process process = builder.redirectOutput(log.toFile()).start();
        boolean ended = process.waitFor(MINUTES_MAX, TimeUnit.MINUTES);
        process.destroyForcibly();
        String output = Files.readString(log, StandardCharsets.UTF_8);
        assertThat(ended)
                .as("%s ends:\n%s", Objects.requireNonNull(command[0]), output)
                .isTrue();
        assertThat(process.exitValue())
                .as("%s:\n%s", String.join(" ", command), output)
                .isZero();
        return output;
    }
}
