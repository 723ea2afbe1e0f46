package io.bulwark.console.account;

import com.fasterxml.jackson.annotation.JsonValue;
import io.bulwark.console.ConsoleSettings;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.StandardOpenOption;
import java.nio.file.attribute.PosixFilePermissions;
import java.time.Clock;
import java.time.Instant;
import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.Deque;
import java.util.List;
import java.util.Locale;
import java.util.Set;
import java.util.stream.Stream;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;
import org.springframework.beans.factory.annotation.Autowired;
import org.springframework.stereotype.Component;
import tools.jackson.core.JacksonException;
import tools.jackson.databind.json.JsonMapper;

/**
 * The console's own record of sign-ins, changes of accounts, drills and recoveries that people asked for, in {@code access.log}:
 * one JSON document per line, the last one to two MiB. It is the console's word alone; commands are in the cluster's audit log.
 */
@Component
public class AccessLog {
    private static final Logger LOG = LoggerFactory.getLogger(AccessLog.class);
    private static final long FILE_BYTES_MAX = 1 << 20;
    private static final int SHOWN_MAX = 500;
    private static final int DETAIL_MAX = 200;
    private static final JsonMapper JSON = JsonMapper.builder().build();

    private final Path file;
    private final Clock clock;
    private final Deque<Entry> last = new ArrayDeque<>();

    /** Kind of an entry. */
    public enum Event {
        SIGNED_IN,
        SIGNED_OUT,
        REFUSED,
        LOCKED,
        SETUP_LINK_USED,
        ACCOUNT_CREATED,
        ACCOUNT_DEACTIVATED,
        PASSWORD_SET,
        LINK_MADE,
        TOKEN_CREATED,
        TOKEN_WITHDRAWN,
        DRILL_GIVEN,
        RECOVERY_ASKED;

        @JsonValue
        @Override
        public String toString() {
            return name().toLowerCase(Locale.ROOT).replace('_', '-');
        }
    }

    /**
     * An entry.
     *
     * @param name of the account; empty if it concerns none
     * @param address from which the request came
     */
    public record Entry(Instant at, String event, String name, String address, String detail) {}

    @Autowired
    AccessLog(ConsoleSettings settings) {
        this(settings.directory(), Clock.systemUTC());
    }

    /** Opens the log of a console's directory. */
    public AccessLog(Path directory, Clock clock) {
        this.file = directory.resolve("access.log");
        this.clock = clock;
        if (Files.exists(file)) {
            try (Stream<String> lines = Files.lines(file)) {
                lines.forEach(this::recall);
            } catch (IOException | UncheckedIOException e) {
                LOG.warn("cannot read {}: {}", file, e.toString());
            }
        }
    }

    /** Adds an entry. A log that cannot be written does not keep anybody out, but is reported. */
    public synchronized void add(Event event, String name, String address, String detail) {
        Entry entry = new Entry(
                clock.instant(),
                event.toString(),
                name,
                address,
                detail.substring(0, Math.min(DETAIL_MAX, detail.length())));
        remember(entry);
        try {
            JsonFile.makeDirectory(file.toAbsolutePath().resolveSibling("."));
            if (Files.exists(file) && Files.size(file) > FILE_BYTES_MAX) {
                Files.move(
                        file, file.resolveSibling("access.log.1"), java.nio.file.StandardCopyOption.REPLACE_EXISTING);
            }
            if (!Files.exists(file)) {
                Files.createFile(
                        file, PosixFilePermissions.asFileAttribute(PosixFilePermissions.fromString("rw-------")));
            }
            Files.write(
                    file,
                    (JSON.writeValueAsString(entry) + "\n").getBytes(StandardCharsets.UTF_8),
                    Set.of(StandardOpenOption.APPEND, StandardOpenOption.WRITE).toArray(StandardOpenOption[]::new));
        } catch (IOException e) {
            LOG.error("cannot write {}: {}", file, e.toString());
        }
    }

    /** Returns the last entries, the newest first. */
    public synchronized List<Entry> last() {
        return new ArrayList<>(last);
    }

    /** Returns the last entries of an account, the newest first. */
    public synchronized List<Entry> last(String name) {
        return last.stream().filter(entry -> entry.name.equals(name)).toList();
    }

    private synchronized void recall(String line) {
        try {
            remember(JSON.readValue(line, Entry.class));
        } catch (JacksonException e) {
            LOG.warn("{} has a line that is no entry", file);
        }
    }

    private void remember(Entry entry) {
        if (last.size() == SHOWN_MAX) {
            last.removeLast();
        }
        last.addFirst(entry);
    }
}
