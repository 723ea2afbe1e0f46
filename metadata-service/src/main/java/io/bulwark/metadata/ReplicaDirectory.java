package io.bulwark.metadata;

import io.bulwark.metadata.log.AppliedLog;
import io.bulwark.metadata.log.Durably;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.stream.Stream;

/**
 * What a replica keeps where, and which engine that belongs to.
 *
 * <pre>
 * log-N, snapshot-N, incarnation, damaged    of engines with incarnations
 * pages/, promises/                          of the engine after the proactive recovery paper
 * moved                                      an empty file: the latter counts, the former is only kept
 * </pre>
 */
public record ReplicaDirectory(Path path) {
    public Path pages() {
        return path.resolve("pages");
    }

    public Path promises() {
        return path.resolve("promises");
    }

    private Path moved() {
        return path.resolve("moved");
    }

    /** Whether an engine with incarnations has kept a history here. */
    public boolean hasHistory() throws IOException {
        if (!Files.isDirectory(path)) {
            return false;
        }
        try (Stream<Path> files = Files.list(path)) {
            return files.anyMatch(AppliedLog::isLog);
        }
    }

    /** Whether the engine after the proactive recovery paper has run here, and so promised something. */
    public boolean hasPromised() {
        return Files.exists(promises());
    }

    /** Whether its state was made from the history of an engine with incarnations. */
    public boolean isMoved() {
        return Files.exists(moved());
    }

    /** Returns once it is durable. */
    void setMoved(boolean isMoved) throws IOException {
        if (isMoved) {
            Durably.replace(moved());
        } else if (Files.deleteIfExists(moved())) {
            Durably.syncDirectory(path);
        }
    }

    /**
     * To be called before an engine with incarnations starts here.
     *
     * @throws IOException if the directory belongs to the other engine
     */
    public void requireForIncarnations() throws IOException {
        if (hasPromised()) {
            throw new IOException(path + " belongs to the engine bft, and cannot be read by another");
        }
        if (isMoved()) {
            throw new IOException(path + " is on its way to the engine bft: `bulwark replica move --to bft` brings it"
                    + " there, `bulwark replica move --to bft-smart` takes it back");
        }
    }

    /**
     * To be called before the engine after the proactive recovery paper starts here.
     *
     * @throws IOException if the directory belongs to another engine
     */
    public void requireForPromises() throws IOException {
        if (hasHistory() && !isMoved()) {
            throw new IOException(path + " was written by the engine bft-smart; `bulwark replica move --to bft` moves"
                    + " what all replicas have to the engine bft");
        }
    }
}
