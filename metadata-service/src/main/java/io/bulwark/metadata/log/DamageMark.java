package io.bulwark.metadata.log;

import io.bulwark.transport.file.AtomicFile;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;

/** An empty file that marks, over restarts, that this replica may have forgotten what it acknowledged. */
public final class DamageMark {
    private final Path file;

    public DamageMark(Path directory) {
        this.file = directory.resolve("damaged");
    }

    public boolean isSet() {
        return Files.exists(file);
    }

    /** Returns once it is durable. */
    public void set() throws IOException {
        AtomicFile.replace(file);
    }

    /** Must be called once the replica durably has all that it acknowledged. */
    public void clear() throws IOException {
        Files.deleteIfExists(file);
    }
}
