package io.bulwark.transport.identity;

import io.bulwark.transport.file.UnusableFileException;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.attribute.PosixFilePermission;
import java.nio.file.attribute.PosixFilePermissions;
import java.util.Set;

/** Files that only their owner may read, mode 0600. */
public final class SecretFile {
    private static final Set<PosixFilePermission> OWNER_ONLY = PosixFilePermissions.fromString("rw-------");

    private SecretFile() {}

    /**
     * Checks that the file exists and is closed to others.
     *
     * @throws UnusableFileException if others may open it; the message says what to do
     * @throws IOException if it is missing, or the system cannot tell
     */
    public static void check(Path file) throws IOException {
        Set<PosixFilePermission> permissions;
        try {
            permissions = Files.getPosixFilePermissions(file);
        } catch (UnsupportedOperationException e) {
            return; // No such permissions on this file system.
        }
        if (!OWNER_ONLY.containsAll(permissions)) {
            throw new UnusableFileException(file + " is accessible to others ("
                    + PosixFilePermissions.toString(permissions) + "); run: chmod 600 " + file);
        }
    }
}
