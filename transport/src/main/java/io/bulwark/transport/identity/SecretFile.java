package io.bulwark.transport.identity;

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
     * @throws IOException if not; the message says what to do
     */
    public static void check(Path file) throws IOException {
        Set<PosixFilePermission> permissions;
        try {
            permissions = Files.getPosixFilePermissions(file);
        } catch (UnsupportedOperationException e) {
            return; // No such permissions on this file system.
        }
        if (!OWNER_ONLY.containsAll(permissions)) {
            throw new IOException(file + " is accessible to others (" + PosixFilePermissions.toString(permissions)
                    + "); run: chmod 600 " + file);
        }
    }
}
