package io.bulwark.metadata.log;

import java.io.IOException;
import java.nio.ByteBuffer;
import java.nio.channels.FileChannel;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.StandardCopyOption;
import java.nio.file.StandardOpenOption;

/** Files that are there whole, and still there after a power cut, or not at all. */
public final class Durably {
    private Durably() {}

    /** Writes beside, syncs, renames, syncs the directory. */
    public static void replace(Path file, ByteBuffer... content) throws IOException {
        Path beside = file.resolveSibling(file.getFileName() + ".tmp");
        try (FileChannel channel = FileChannel.open(
                beside, StandardOpenOption.CREATE, StandardOpenOption.TRUNCATE_EXISTING, StandardOpenOption.WRITE)) {
            for (ByteBuffer part : content) {
                while (part.hasRemaining()) {
                    channel.write(part);
                }
            }
            channel.force(true);
        }
        Files.move(beside, file, StandardCopyOption.ATOMIC_MOVE, StandardCopyOption.REPLACE_EXISTING);
        Path directory = file.toAbsolutePath().getParent();
        if (directory != null) {
            syncDirectory(directory);
        }
    }

    /** What was made, renamed or removed in this directory is so after a power cut, too. */
    public static void syncDirectory(Path directory) throws IOException {
        try (FileChannel channel = FileChannel.open(directory, StandardOpenOption.READ)) {
            channel.force(true);
        }
    }
}
