package io.bulwark.appliance.boot;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.StandardCopyOption;
import java.time.Instant;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Tells whoever watches from outside, such as a container engine, whether a member does its work: a file that is written anew
 * every second, {@code ok SECONDS} or {@code bad SECONDS WHY}, with the time in seconds of the epoch. A member that hangs or is
 * gone leaves an old time in it.
 */
final class HealthFile {
    private static final Logger LOG = LoggerFactory.getLogger(HealthFile.class);
    private static final long PERIOD_MILLIS = 1_000;

    /** Asks a member by way of what its clients use. */
    interface Check {
        /** Empty if it does its work, else what hinders it. */
        String problem() throws Exception;
    }

    private final Path file;
    private final Check check;

    private HealthFile(Path file, Check check) {
        this.file = file;
        this.check = check;
    }

    /** Keeps the file, if one is given, as long as this process lives. */
    static void keep(@Nullable Path file, Check check) {
        if (file != null) {
            HealthFile kept = new HealthFile(file, check);
            Thread.ofPlatform().daemon().name("health").start(kept::run);
        }
    }

    private void run() {
        String last = "";
        try {
            while (true) {
                String problem = problem();
                if (!problem.equals(last)) {
                    LOG.info("health: {}", problem.isEmpty() ? "ok" : problem);
                    last = problem;
                }
                write(problem);
                Thread.sleep(PERIOD_MILLIS);
            }
        } catch (InterruptedException e) {
            LOG.debug("nobody is told of this member's health any more");
        }
    }

    private String problem() throws InterruptedException {
        try {
            return check.problem();
        } catch (InterruptedException e) {
            throw e;
        } catch (Exception e) {
            return String.valueOf(e.getMessage());
        }
    }

    private void write(String problem) {
        String word = problem.isEmpty() ? "ok " : "bad ";
        String line = word + Instant.now().getEpochSecond() + " " + problem.replace('\n', ' ') + "\n";
        try {
            Path part = file.resolveSibling(file.getFileName() + ".part");
            Files.writeString(part, line);
            Files.move(part, file, StandardCopyOption.ATOMIC_MOVE);
        } catch (IOException e) {
            LOG.warn("health: {} cannot be written: {}", file, e.toString());
        }
    }
}
