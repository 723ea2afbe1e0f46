package io.bulwark.appliance.boot;

import io.bulwark.appliance.admin.HealthWatch;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.StandardCopyOption;
import java.time.Instant;
import java.util.Map;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Readiness as a file, for observers without HTTP such as a container engine's health check. It is rewritten every
 * second as {@code ok SECONDS} or {@code bad SECONDS WHY}, with the time in seconds of the epoch. A process that hangs
 * or has ended leaves an old time in it.
 */
final class HealthFile {
    private static final Logger LOG = LoggerFactory.getLogger(HealthFile.class);
    private static final long PERIOD_MILLIS = 1_000;

    private final Path file;
    private final HealthWatch watch;

    private HealthFile(Path file, HealthWatch watch) {
        this.file = file;
        this.watch = watch;
    }

    /** Keeps the file up to date while this process lives, if one is given. */
    static void keep(@Nullable Path file, HealthWatch watch) {
        if (file != null) {
            HealthFile kept = new HealthFile(file, watch);
            Thread.ofPlatform().daemon().name("health-file").start(kept::run);
        }
    }

    private void run() {
        try {
            while (true) {
                write(watch.problems());
                Thread.sleep(PERIOD_MILLIS);
            }
        } catch (InterruptedException e) {
            LOG.debug("health reports stopped");
        }
    }

    private void write(Map<String, String> problems) {
        String word = problems.isEmpty() ? "ok " : "bad ";
        String why = String.join("; ", problems.values()).replace('\n', ' ');
        String line = word + Instant.now().getEpochSecond() + " " + why + "\n";
        try {
            Path part = file.resolveSibling(file.getFileName() + ".part");
            Files.writeString(part, line);
            Files.move(part, file, StandardCopyOption.ATOMIC_MOVE);
        } catch (IOException e) {
            LOG.warn("health: {} cannot be written: {}", file, e.toString());
        }
    }
}
