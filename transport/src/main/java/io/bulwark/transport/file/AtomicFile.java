package io.bulwark.transport.file;

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

/**
 * Replaces and renames files atomically and durably: after a crash or a power cut a file has its old content or its new
 * one. Several processes may replace one file at the same time; it then has the content that one of them wrote.
 */
public final class AtomicFile {
    /** The ending of the names of unfinished files. */
    public static final String UNFINISHED = ".tmp";

    /** An unfinished file of this age belongs to a process that was killed. */
    private static final Duration ABANDONED = Duration.ofDays(1);

    /** In UTF-8, with the rest, below the 255 bytes that a file name may have. */
    private static final int NAME_SHOWN_MAX = 40;

    private AtomicFile() {}

    /** Writes the content to a new file beside this one, syncs it, renames it, and syncs the directory. */
    public static void replace(Path file, ByteBuffer... content) throws IOException {
        Path target = file.toAbsolutePath();
        String prefix = prefix(target);
        removeAbandoned(target.resolveSibling("."), prefix);
        Path unfinished = target.resolveSibling(prefix + UUID.randomUUID() + UNFINISHED);
        try {
            try (FileChannel channel =
                    FileChannel.open(unfinished, StandardOpenOption.CREATE_NEW, StandardOpenOption.WRITE)) {
                for (ByteBuffer part : content) {
                    while (part.hasRemaining()) {
                        channel.write(part);
                    }
                }
                channel.force(true);
            }
            move(unfinished, target);
        } finally {
            Files.deleteIfExists(unfinished);
        }
    }

    /** Renames a file or directory within one directory, over a file of that name, and syncs the directory. */
    public static void move(Path from, Path to) throws IOException {
        Files.move(from, to, StandardCopyOption.ATOMIC_MOVE, StandardCopyOption.REPLACE_EXISTING);
        syncDirectory(to.toAbsolutePath().resolveSibling("."));
    }

    /** Makes the creations, renames and deletions in this directory durable. */
    public static void syncDirectory(Path directory) throws IOException {
        try (FileChannel channel = FileChannel.open(directory, StandardOpenOption.READ)) {
            channel.force(true);
        }
    }

    private static String prefix(Path file) {
        StringBuilder prefix = new StringBuilder();
        String.valueOf(file.getFileName()).codePoints().limit(NAME_SHOWN_MAX).forEach(prefix::appendCodePoint);
        return prefix.append('.').toString();
    }

    private static void removeAbandoned(Path directory, String prefix) throws IOException {
        FileTime limit = FileTime.from(Instant.now().minus(ABANDONED));
        try (DirectoryStream<Path> all = Files.newDirectoryStream(directory, path -> isUnfinished(path, prefix))) {
            for (Path each : all) {
                if (Files.getLastModifiedTime(each).compareTo(limit) < 0) {
                    Files.deleteIfExists(each);
                }
            }
        } catch (NoSuchFileException | DirectoryIteratorException e) {
            // Another process deleted one at the same time. The next call finds the rest.
        }
    }

    private static boolean isUnfinished(Path path, String prefix) {
        String name = String.valueOf(path.getFileName());
        return name.startsWith(prefix) && name.endsWith(UNFINISHED);
    }
}
