package io.bulwark.client.config;

import java.io.IOException;
import java.nio.ByteBuffer;
import java.nio.channels.FileChannel;
import java.nio.file.DirectoryIteratorException;
import java.nio.file.DirectoryStream;
import java.nio.file.Files;
import java.nio.file.NoSuchFileException;
import java.nio.file.Path;
import java.nio.file.StandardCopyOption;
import java.nio.file.StandardOpenOption;
import java.nio.file.attribute.FileTime;
import java.time.Duration;
import java.time.Instant;
import java.util.UUID;
import org.jspecify.annotations.Nullable;

/** A file in which processes of one principal keep what they learn, several at once: it is there whole, as one of them wrote it. */
final class KeptFile {
    /** What is half written is nobody's any more after so long. */
    private static final Duration LEFT_OVER = Duration.ofDays(1);

    private static final String PART = ".part";

    /** In UTF-8 with the rest below the 255 bytes that a name may have. */
    private static final int NAME_SHOWN_MAX = 40;

    private KeptFile() {}

    /** Writes beside it, under a name that is nobody else's, and takes its place; returns once that is durable. */
    static void replace(Path file, byte[] content) throws IOException {
        String before = before(file);
        removeLeftOvers(file.toAbsolutePath().getParent(), before);
        Path part = file.resolveSibling(before + UUID.randomUUID() + PART);
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

    /** How the names of its unfinished states begin: with as much of its own as leaves room for the rest, whatever characters it has. */
    private static String before(Path file) {
        StringBuilder before = new StringBuilder(".");
        String.valueOf(file.getFileName()).codePoints().limit(NAME_SHOWN_MAX).forEach(before::appendCodePoint);
        return before.append('.').toString();
    }

    /** Processes that were killed while they wrote leave these. */
    private static void removeLeftOvers(@Nullable Path directory, String before) throws IOException {
        if (directory == null) {
            return;
        }
        FileTime limit = FileTime.from(Instant.now().minus(LEFT_OVER));
        try (DirectoryStream<Path> all = Files.newDirectoryStream(directory, path -> isPart(path, before))) {
            for (Path part : all) {
                if (Files.getLastModifiedTime(part).compareTo(limit) < 0) {
                    Files.deleteIfExists(part);
                }
            }
        } catch (NoSuchFileException | DirectoryIteratorException e) {
            // Another process was here first; what is left is found the next time.
        }
    }

    private static boolean isPart(Path path, String before) {
        String name = String.valueOf(path.getFileName());
        return name.startsWith(before) && name.endsWith(PART);
    }
}
