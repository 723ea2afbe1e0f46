package io.bulwark.it;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import io.bulwark.appliance.control.ControlRequest;
import io.bulwark.appliance.control.ControlSocket;
import io.bulwark.protocol.id.PrincipalId;
import java.io.IOException;
import java.io.OutputStream;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.stream.Collectors;
import java.util.stream.Stream;
import java.util.zip.Deflater;
import java.util.zip.ZipEntry;
import java.util.zip.ZipOutputStream;
import org.jspecify.annotations.NullMarked;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.condition.EnabledIfSystemProperty;
import org.junit.jupiter.api.io.TempDir;

/** Makes the data directory that {@link OlderData} unpacks: no test, but run as one. */
@NullMarked
@EnabledIfSystemProperty(
        named = "bulwark.older.store",
        matches = ".+",
        disabledReason =
                "makes the stored data directory of an older build, when -Dbulwark.older.store=DIRECTORY says where to")
class StoreOlderDataIT {
    private static final int HEAP_MEBIBYTES = 512;
    private static final Duration PATIENCE = Duration.ofMinutes(5);

    @TempDir
    Path scratch = Path.of("");

    @Test
    void store() throws Exception {
        Path target = Files.createDirectories(Path.of(System.getProperty("bulwark.older.store")));
        Build older = Build.older();
        Path root = Files.createDirectories(scratch.resolve("data"));
        run(older.java(HEAP_MEBIBYTES), OlderContents.class.getName(), "identities", root.toString());
        Process up = started(
                older.bulwark(HEAP_MEBIBYTES),
                "up",
                "--processes",
                "--nodes",
                Integer.toString(OlderContents.NODES),
                "--replicas",
                Integer.toString(OlderContents.REPLICAS),
                "--port-base",
                Integer.toString(OlderData.PORT_BASE),
                "--data",
                root.toString());
        try {
            await().atMost(PATIENCE).until(() -> answers(root) || !up.isAlive());
            run(older.bulwark(HEAP_MEBIBYTES), "replica", "recover", "1", "--data", root.toString());
            clientFiles(root);
            String contents = target.resolve("contents.json").toString();
            run(
                    older.java(HEAP_MEBIBYTES),
                    OlderContents.class.getName(),
                    "fill",
                    root.toString(),
                    contents,
                    older.name());
            run(older.bulwark(HEAP_MEBIBYTES), "status", "--data", root.toString());
            run(older.bulwark(HEAP_MEBIBYTES), "down", "--data", root.toString());
            assertThat(up.waitFor()).isZero();
        } finally {
            up.destroy();
            up.waitFor();
        }
        pack(root, target.resolve("data.zip"));
    }

    /** Whether the cluster answers, as any build says it. */
    private static boolean answers(Path root) {
        try {
            return ControlSocket.isServed(root)
                    && ControlSocket.ask(root, ControlRequest.of("status")).body().get("cluster") != null;
        } catch (IOException e) {
            return false;
        }
    }

    private static Process started(List<String> java, String... arguments) throws IOException {
        List<String> words = new ArrayList<>(java);
        words.addAll(List.of(arguments));
        return new ProcessBuilder(words)
                .inheritIO()
                .redirectInput(ProcessBuilder.Redirect.PIPE)
                .start();
    }

    private static void run(List<String> java, String... arguments) throws IOException, InterruptedException {
        assertThat(started(java, arguments).waitFor())
                .as("%s", List.of(arguments))
                .isZero();
    }

    /** As the operator has one. */
    private static void clientFiles(Path root) throws IOException {
        String operators = Files.readString(root.resolve("client.properties"));
        for (PrincipalId client :
                List.of(OlderContents.WRITER, OlderContents.REVOKED, OlderContents.ROTATED, OlderContents.GUEST)) {
            String own = operators.replace("client-0", client.toString());
            if (client.equals(OlderContents.GUEST)) {
                own = own.lines().filter(line -> !line.startsWith("key-ring")).collect(Collectors.joining("\n"));
            }
            Files.writeString(root.resolve(client + ".properties"), own);
        }
        String rotated = OlderContents.ROTATED.toString();
        Files.writeString(
                root.resolve(rotated + "-next.properties"),
                operators.replace("client-0", rotated).replace(rotated + ".pem", rotated + "-next.pem"));
    }

    private static void pack(Path root, Path target) throws IOException {
        try (OutputStream file = Files.newOutputStream(target);
                ZipOutputStream zip = new ZipOutputStream(file);
                Stream<Path> all = Files.walk(root)) {
            zip.setLevel(Deflater.BEST_COMPRESSION);
            for (Path each : all.filter(Files::isRegularFile).sorted().toList()) {
                if (isKept(root.relativize(each))) {
                    zip.putNextEntry(new ZipEntry(root.relativize(each).toString()));
                    zip.write(moved(root, each));
                    zip.closeEntry();
                }
            }
        }
    }

    /** Not what says what happened, or is there while somebody runs. */
    private static boolean isKept(Path file) {
        String name = file.getFileName().toString();
        return !file.startsWith("logs") && !name.equalsIgnoreCase("lock") && !name.startsWith("LOG");
    }

    /** In configurations, paths become relative to their file: nobody has the directory where it was made. */
    private static byte[] moved(Path root, Path file) throws IOException {
        Path within = root.relativize(file);
        if (within.startsWith("config")) {
            return Files.readString(file).replace(root + "/", "../").getBytes(StandardCharsets.UTF_8);
        }
        return within.getNameCount() == 1
                ? Files.readString(file).replace(root + "/", "").getBytes(StandardCharsets.UTF_8)
                : Files.readAllBytes(file);
    }
}
