package io.bulwark.appliance.transfer;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;

/**
 * A regular file of a tree, or a link to one, as it was at one moment.
 *
 * @param path relative to the tree, with '/' between its names
 */
public record TreeFile(Path file, String path, long bytes, FileFacts facts) {
    static TreeFile of(Path file, String path) throws IOException {
        return new TreeFile(file, path, Files.size(file), FileFacts.of(file));
    }

    /** Returns whether size and times are still the same. */
    boolean isUnchanged() throws IOException {
        return equals(of(file, path));
    }
}
