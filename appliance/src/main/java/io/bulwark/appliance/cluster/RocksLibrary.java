package io.bulwark.appliance.cluster;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import org.rocksdb.NativeLibraryLoader;
import org.rocksdb.RocksDB;

/**
 * RocksDB's native library in the process of a member. By itself RocksDB unpacks it among the temporary files and has the JVM delete it at an
 * ordinary end, which members do not have: they are killed, and halt when they leave.
 */
final class RocksLibrary {
    private static boolean loaded;

    private RocksLibrary() {}

    /** Loads it, if it is not loaded, and leaves no file behind: what is loaded needs none. */
    static synchronized void load() throws IOException {
        if (loaded) {
            return;
        }
        Path directory = Files.createTempDirectory("bulwark-rocksdb-");
        try {
            NativeLibraryLoader.getInstance().loadLibrary(directory.toString());
        } finally {
            try (var files = Files.newDirectoryStream(directory)) {
                for (Path file : files) {
                    Files.delete(file);
                }
            }
            Files.delete(directory);
        }
        RocksDB.loadLibrary();
        loaded = true;
    }
}
