package io.bulwark.appliance.cli;

import io.bulwark.appliance.control.ApplianceStatus;
import io.bulwark.appliance.support.SupportArchive;
import io.bulwark.appliance.support.Surroundings;
import io.bulwark.transport.file.OutputFile;
import java.io.ByteArrayOutputStream;
import java.io.IOException;
import java.nio.file.Path;
import java.nio.file.attribute.FileTime;
import java.time.Instant;
import java.time.ZoneOffset;
import java.time.format.DateTimeFormatter;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.concurrent.Callable;
import org.jspecify.annotations.Nullable;
import picocli.CommandLine.Command;
import picocli.CommandLine.Mixin;
import picocli.CommandLine.Option;

/** {@code bulwark support}. */
@Command(
        name = "support",
        description = {
            "Write an archive for people who help: status, logs, versions, limits and configuration.",
            "It holds no keys, passwords or tokens, and at most 20 MiB before compression; look at it before you send"
                    + " it."
        })
final class SupportCommand implements Callable<Integer> {
    private static final DateTimeFormatter STAMP =
            DateTimeFormatter.ofPattern("yyyyMMdd-HHmmss", Locale.ROOT).withZone(ZoneOffset.UTC);

    @Mixin
    private final ClusterAccess access = new ClusterAccess();

    @Option(
            names = "--out",
            paramLabel = "FILE.zip",
            description = "The archive (default: bulwark-support-TIME.zip in the current directory).")
    private @Nullable Path out;

    @Override
    public Integer call() throws IOException {
        Instant now = Instant.now();
        Path file = (out == null ? Path.of("bulwark-support-" + STAMP.format(now) + ".zip") : out).toAbsolutePath();
        Path data = access.global().data();
        ByteArrayOutputStream content = new ByteArrayOutputStream();
        Map<String, Integer> parts;
        try (SupportArchive archive = new SupportArchive(content, FileTime.from(now))) {
            archive.add("versions.txt", () -> Surroundings.versions(List.of(new BulwarkVersion().getVersion())));
            archive.add("environment.txt", () -> Surroundings.environment(System.getenv()));
            archive.add("limits.txt", () -> Surroundings.limits(data));
            archive.add("status.json", this::status);
            archive.addDirectory(data);
            parts = archive.parts();
        }
        OutputFile.writeSecret(file, content.toByteArray());
        access.global()
                .print(
                        new ArchiveView(file.toString(), content.size(), parts),
                        "Wrote " + file + " (" + Text.bytes(content.size()) + ", "
                                + Text.count(parts.size(), "part")
                                + "). It holds names of your buckets and hosts; look at it before you send it."
                                + (parts.keySet().stream().anyMatch(part -> part.startsWith("logs/"))
                                        ? ""
                                        : "\nIt holds no logs, as " + data.resolve("logs")
                                                + " has none: `up` in the foreground logs to its terminal."));
        return 0;
    }

    private String status() {
        ApplianceStatus status = StatusCommand.ask(access);
        return GlobalOptions.toJson(status);
    }

    private record ArchiveView(String file, int bytes, Map<String, Integer> parts) {}
}
