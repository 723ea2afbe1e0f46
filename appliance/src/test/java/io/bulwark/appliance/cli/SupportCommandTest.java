package io.bulwark.appliance.cli;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.IOException;
import java.io.RandomAccessFile;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.attribute.PosixFilePermissions;
import java.util.ArrayList;
import java.util.List;
import java.util.SortedMap;
import java.util.TreeMap;
import java.util.stream.Stream;
import java.util.zip.ZipEntry;
import java.util.zip.ZipInputStream;
import org.jspecify.annotations.NullMarked;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

@NullMarked
class SupportCommandTest {
    private static final int ARCHIVE_BYTES_MAX = 20 << 20;
    private static final int SECRET_LENGTH_MIN = 24;

    @TempDir
    Path directory = Path.of("");

    @Test
    void anArchiveTellsMuchAndHoldsNoSecret() throws IOException {
        Path data = directory.resolve("data");
        assertThat(CommandOutput.of("init", "--data", data.toString(), "--port-base", "1024")
                        .exitCode())
                .isZero();
        Files.writeString(data.resolve("logs/appliance.log"), "Console: http://h/setup?token=t0psecret0token\n");
        Files.createSymbolicLink(data.resolve("logs/link.log"), data.resolve("keys/node-0.pem"));
        Files.createSymbolicLink(data.resolve("config/link.yaml"), data.resolve("keys/node-0.keys"));

        Path file = directory.resolve("support.zip");
        CommandOutput run = CommandOutput.of("support", "--data", data.toString(), "--out", file.toString());
        assertThat(run.exitCode()).as(run.err()).isZero();
        assertThat(run.out()).doesNotContain("It holds no logs");
        assertThat(PosixFilePermissions.toString(Files.getPosixFilePermissions(file)))
                .isEqualTo("rw-------");
        SortedMap<String, String> parts = unpacked(file);
        assertThat(parts)
                .containsKeys(
                        "versions.txt",
                        "environment.txt",
                        "limits.txt",
                        "status.json",
                        "files.txt",
                        "logs/appliance.log",
                        "configuration/cluster.properties",
                        "configuration/genesis.properties",
                        "configuration/config/node-0.yaml")
                .doesNotContainKeys("logs/link.log", "configuration/config/link.yaml");
        assertThat(parts.get("versions.txt")).contains("Java 25");
        assertThat(parts.get("configuration/config/node-0.yaml")).contains("replicas:");
        assertThat(parts.get("files.txt")).contains("keys/node-0.pem");
        assertThat(parts.get("status.json")).as("nothing runs").startsWith("not available: ");
        String all = String.join("\n", parts.values());
        assertThat(all).doesNotContain("t0psecret0token", "PRIVATE KEY-----");
        List<String> secrets = secrets(data.resolve("keys"));
        assertThat(secrets).hasSizeGreaterThan(100);
        for (String secret : secrets) {
            assertThat(all).doesNotContain(secret);
        }
    }

    @Test
    void anArchiveWithoutLogsSaysWhy() {
        Path file = directory.resolve("support.zip");
        CommandOutput run = CommandOutput.of("support", "--data", directory.toString(), "--out", file.toString());
        assertThat(run.exitCode()).as(run.err()).isZero();
        assertThat(run.out()).contains("It holds no logs", "logs to its terminal");
    }

    @Test
    void longLogsAreCutToTheirEnd() throws IOException {
        Path logs = Files.createDirectories(directory.resolve("logs"));
        for (int i = 0; i < 40; i++) {
            try (RandomAccessFile log =
                    new RandomAccessFile(logs.resolve("node-" + i + ".log").toFile(), "rw")) {
                log.setLength(64L << 20);
                log.seek(64L << 20);
                log.write(("the end of " + i).getBytes(StandardCharsets.UTF_8));
            }
        }
        Path file = directory.resolve("support.zip");
        assertThat(CommandOutput.of("support", "--data", directory.toString(), "--out", file.toString())
                        .exitCode())
                .isZero();
        SortedMap<String, String> parts = unpacked(file);
        assertThat(parts.keySet().stream().filter(name -> name.startsWith("logs/")))
                .hasSize(16);
        assertThat(parts.values().stream().filter(text -> text.contains("the end of ")))
                .hasSize(16);
        assertThat(parts.values().stream().mapToInt(String::length).sum()).isLessThan(ARCHIVE_BYTES_MAX);
    }

    /** Lines of private keys, and keys of key rings. Certificates and names are public. */
    private static List<String> secrets(Path keys) throws IOException {
        List<String> secrets = new ArrayList<>();
        try (Stream<Path> files = Files.list(keys)) {
            for (Path file : files.toList()) {
                String text = Files.readString(file);
                int end = text.indexOf("-----END PRIVATE KEY-----");
                if (end >= 0) {
                    text.substring(0, end)
                            .lines()
                            .filter(line -> !line.startsWith("-----"))
                            .forEach(secrets::add);
                } else {
                    text.lines()
                            .filter(line -> line.startsWith("key.") || line.startsWith("own="))
                            .map(line -> line.substring(line.indexOf('=') + 1))
                            .forEach(secrets::add);
                }
            }
        }
        return secrets.stream()
                .filter(secret -> secret.length() >= SECRET_LENGTH_MIN)
                .toList();
    }

    private static SortedMap<String, String> unpacked(Path file) throws IOException {
        SortedMap<String, String> parts = new TreeMap<>();
        try (ZipInputStream in = new ZipInputStream(Files.newInputStream(file))) {
            for (ZipEntry entry = in.getNextEntry(); entry != null; entry = in.getNextEntry()) {
                parts.put(entry.getName(), new String(in.readAllBytes(), StandardCharsets.UTF_8));
            }
        }
        return parts;
    }
}
