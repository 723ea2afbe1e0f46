package io.bulwark.metadata.pages;

import io.bulwark.protocol.fingerprint.Hashes;
import io.bulwark.protocol.state.PageBatch;
import io.bulwark.protocol.wire.Bytes;
import io.bulwark.transport.file.AtomicFile;
import io.bulwark.transport.file.Directories;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.StandardCopyOption;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Set;
import org.rocksdb.WALRecoveryMode;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Makes a store from the correct pages of one that cannot be opened, and from nothing else: no checkpoint. The pages
 * are in blob files and in logs; each has its digest beside it, so that nothing else is needed to find them. The
 * damaged store stays beside the new one, as {@code pages-damaged}, until {@link #forget}; never more than one.
 */
public final class PageSalvage {
    private static final Logger LOG = LoggerFactory.getLogger(PageSalvage.class);
    private static final long BATCH_BYTES = 8 << 20;

    private PageSalvage() {}

    /** Takes a salvage back that was interrupted while it put the new store in the place of the damaged one. */
    public static void resume(Path directory) throws IOException {
        if (!Files.exists(directory) && Files.exists(moveAside(directory))) {
            AtomicFile.move(moveAside(directory), directory);
        }
    }

    /** Puts another store in the place of the damaged one in this directory, and opens it. */
    public static RocksPageStore salvage(Path directory) throws IOException {
        Path made = directory.resolveSibling(directory.getFileName() + "-new");
        try (RocksPageStore store = withLogsOf(directory, made)) {
            store.write(new PageBatch(
                    Map.of(), Map.of(), List.of(), Map.of(), store.checkpoints().keySet(), true, false));
            long pages = 0;
            for (Path file : Directories.files(directory, ".blob")) {
                pages += copy(file, store);
            }
            store.write(new PageBatch(Map.of(), Map.of(), List.of(), Map.of(), Set.of(), false, true));
            LOG.error(
                    "{} pages of {}, and those of its logs, are kept; the damaged files are kept in {} until this "
                            + "replica has the state of a checkpoint again",
                    pages,
                    directory,
                    moveAside(directory));
        }
        Directories.delete(moveAside(directory));
        AtomicFile.move(directory, moveAside(directory));
        AtomicFile.move(made, directory);
        return RocksPageStore.open(directory);
    }

    /** The state is here again: what was damaged is of no use any more. */
    public static void forget(Path directory) throws IOException {
        Directories.delete(moveAside(directory));
    }

    private static Path moveAside(Path directory) {
        return directory.resolveSibling(directory.getFileName() + "-damaged");
    }

    /** Returns a new store with the content of the damaged one's logs: RocksDB replays them by itself. */
    private static RocksPageStore withLogsOf(Path damaged, Path made) throws IOException {
        create(made);
        for (Path log : Directories.files(damaged, ".log")) {
            Files.copy(log, made.resolve(log.getFileName()), StandardCopyOption.REPLACE_EXISTING);
        }
        try {
            return RocksPageStore.open(made, WALRecoveryMode.SkipAnyCorruptedRecords);
        } catch (IOException e) {
            LOG.error("the logs of {} cannot be replayed; their records are fetched", damaged, e);
            create(made);
            return RocksPageStore.open(made);
        }
    }

    private static void create(Path made) throws IOException {
        Directories.delete(made);
        RocksPageStore.open(made).close();
    }

    private static long copy(Path file, RocksPageStore store) throws IOException {
        long copied = 0;
        Map<Bytes, Bytes> found = new HashMap<>();
        long bytes = 0;
        try (BlobScan scan = new BlobScan(file)) {
            while (scan.next()) {
                Bytes digest = scan.key();
                Bytes page = scan.value();
                if (!Hashes.sha256(page).equals(digest)) {
                    continue;
                }
                scan.skip();
                found.put(digest, page);
                copied++;
                bytes += page.length();
                if (bytes > BATCH_BYTES) {
                    store.write(put(found));
                    found.clear();
                    bytes = 0;
                }
            }
        }
        store.write(put(found));
        return copied;
    }

    private static PageBatch put(Map<Bytes, Bytes> pages) {
        return new PageBatch(pages, Map.of(), List.of(), Map.of(), Set.of(), false, false);
    }
}
