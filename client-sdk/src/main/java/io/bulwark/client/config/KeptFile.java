package io.bulwark.client.config;

import java.io.IOException;
import java.nio.ByteBuffer;
import java.nio.channels.FileChannel;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.StandardCopyOption;
import java.nio.file.StandardOpenOption;
import java.util.UUID;

/** A file in which processes of one principal keep what they learn, several at once: it is there whole, as one of them wrote it. */
final class KeptFile {
    private KeptFile() {}

    /** Writes beside it, under a name that is nobody else's, and takes its place; returns once that is durable. */
    static void replace(Path file, byte[] content) throws IOException {
        Path part = file.resolveSibling("." + file.getFileName() + "." + UUID.randomUUID() + ".part");
        try {
            try (FileChannel channel =
                    FileChannel.open(part, StandardOpenOption.CREATE_NEW, StandardOpenOption.WRITE)) {
                ByteBuffer left = ByteBuffer.wrap(content);
                while (left.hasRemaining()) {
                    channel.write(left);
                }
                channel.force(true);
            }
            Files.move(part, file, StandardCopyOption.ATOMIC_MOVE, StandardCopyOption.REPLACE_EXISTING);
        } finally {
            Files.deleteIfExists(part);
        }
        Path directory = file.toAbsolutePath().getParent();
        if (directory != null) {
            try (FileChannel channel = FileChannel.open(directory, StandardOpenOption.READ)) {
                channel.force(true);
            }
        }
    }
}
