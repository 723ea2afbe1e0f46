package io.bulwark.metadata.log;

import io.bulwark.transport.file.AtomicFile;
import java.io.IOException;
import java.nio.ByteBuffer;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.stream.Stream;
import java.util.zip.CRC32C;

/** The highest incarnation of the engine that this replica has sealed: 8 bytes and their CRC-32C. */
public final class IncarnationFile {
    private static final int BYTES = 12;
    private static final String REMEDY = ": the replica must be set up again with an empty directory";

    private final Path directory;
    private final Path file;

    public IncarnationFile(Path directory) {
        this.directory = directory;
        this.file = directory.resolve("incarnation");
    }

    /**
     * Reads the number; writes 0 if the directory has no log yet.
     *
     * @throws IOException if it cannot be read, is damaged, or is missing beside a log: this replica no longer knows what
     *     it promised
     */
    public long read() throws IOException {
        if (!Files.exists(file)) {
            try (Stream<Path> all = Files.list(directory)) {
                if (all.anyMatch(AppliedLog::isLog)) {
                    throw new IOException(file + " is missing" + REMEDY);
                }
            }
            write(0);
            return 0;
        }
        ByteBuffer content = ByteBuffer.wrap(Files.readAllBytes(file));
        if (content.remaining() != BYTES || content.getInt(8) != checksum(content.getLong(0))) {
            throw new IOException(file + " is damaged" + REMEDY);
        }
        return content.getLong(0);
    }

    /** Returns once the number is durable. */
    public void write(long incarnation) throws IOException {
        AtomicFile.replace(
                file,
                ByteBuffer.allocate(BYTES)
                        .putLong(incarnation)
                        .putInt(checksum(incarnation))
                        .flip());
    }

    private static int checksum(long incarnation) {
        CRC32C crc = new CRC32C();
        crc.update(ByteBuffer.allocate(8).putLong(incarnation).flip());
        return (int) crc.getValue();
    }
}
