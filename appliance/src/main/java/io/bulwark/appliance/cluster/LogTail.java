package io.bulwark.appliance.cluster;

import java.io.IOException;
import java.io.InputStream;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Optional;

/** The end of a log, for whoever waits for the process that writes it. */
final class LogTail {
    /** A longer line is not shown in full. */
    static final int READ_BYTES_MAX = 4096;

    /** Prefix of the JVM's own messages. */
    private static final String JAVA_SAYS = "WARNING: ";

    private LogTail() {}

    /** Returns the current length of the log; 0 if there is none. */
    static long length(Path log) {
        try {
            return Files.size(log);
        } catch (IOException e) {
            return 0;
        }
    }

    /** The last line behind such a length; empty if there is none. */
    static Optional<String> last(Path log, long from) {
        try (InputStream in = Files.newInputStream(log)) {
            in.skipNBytes(Math.max(from, Files.size(log) - READ_BYTES_MAX));
            return new String(in.readNBytes(READ_BYTES_MAX), StandardCharsets.UTF_8)
                    .lines()
                    .filter(line -> !line.isBlank() && !line.startsWith(JAVA_SAYS))
                    .reduce((_, last) -> last);
        } catch (IOException e) {
            return Optional.empty();
        }
    }
}
