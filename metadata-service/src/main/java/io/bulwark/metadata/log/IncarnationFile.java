package io.bulwark.metadata.log;

import java.io.IOException;
import java.nio.ByteBuffer;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.zip.CRC32C;

/** The highest incarnation of the engine that this replica has sealed: 8 bytes and their CRC-32C. */
public final class IncarnationFile {
    private static final int BYTES = 12;

    private final Path file;

    public IncarnationFile(Path directory) {
        this.file = directory.resolve("incarnation");
    }

    /**
     * Reads the number, 0 if none was ever written.
     *
     * @throws IOException if it cannot be read, or is damaged: this replica no longer knows what it promised
     */
    public long read() throws IOException {
        if (!Files.exists(file)) {
            return 0;
        }
        ByteBuffer content = ByteBuffer.wrap(Files.readAllBytes(file));
        if (content.remaining() != BYTES || content.getInt(8) != checksum(content.getLong(0))) {
            throw new IOException(file + " is damaged: the replica must be set up again with an empty directory");
        }
        return content.getLong(0);
    }

    /** Returns once the number is durable. */
    public void write(long incarnation) throws IOException {
        Durably.replace(
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
