package io.bulwark.transport.file;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.LinkOption;
import java.nio.file.NoSuchFileException;
import java.nio.file.Path;
import java.nio.file.attribute.BasicFileAttributes;
import java.nio.file.attribute.FileTime;
import java.nio.file.attribute.PosixFileAttributes;
import java.nio.file.attribute.PosixFilePermission;
import java.util.Set;
import org.jspecify.annotations.Nullable;

/**
 * Attributes that a written file gets before it takes its name.
 *
 * @param modified null for the time of writing
 * @param permissions null for those of the file that it replaces, else those that the umask gives
 */
public record TargetAttributes(
        @Nullable FileTime modified, @Nullable Set<PosixFilePermission> permissions) {
    public static final TargetAttributes NONE = new TargetAttributes(null, null);

    /** Sets them on a file. */
    public void applyTo(Path file) throws IOException {
        applyTo(file, null);
    }

    /** Sets them on the part that is going to replace another file, if there is one. */
    void applyTo(Path part, @Nullable BasicFileAttributes there) throws IOException {
        if (permissions != null && OutputFile.hasModes(part)) {
            Files.setPosixFilePermissions(part, permissions);
        } else if (there instanceof PosixFileAttributes known && known.isRegularFile()) {
            OutputFile.keepOwnerAndMode(part, known);
        }
        if (modified != null) {
            Files.setLastModifiedTime(part, modified);
        }
    }

    /** Returns the attributes of the file itself, also if it is a link; null if there is none. */
    static @Nullable BasicFileAttributes unfollowed(Path file) throws IOException {
        try {
            return OutputFile.hasModes(file)
                    ? Files.readAttributes(file, PosixFileAttributes.class, LinkOption.NOFOLLOW_LINKS)
                    : Files.readAttributes(file, BasicFileAttributes.class, LinkOption.NOFOLLOW_LINKS);
        } catch (NoSuchFileException e) {
            return null;
        }
    }
}
