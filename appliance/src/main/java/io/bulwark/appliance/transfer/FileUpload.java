package io.bulwark.appliance.transfer;

import io.bulwark.client.Bucket;
import io.bulwark.client.ObjectInfo;
import io.bulwark.client.ProgressListener;
import io.bulwark.client.PutOptions;
import java.io.IOException;
import java.io.InputStream;
import java.io.InterruptedIOException;
import java.io.UncheckedIOException;
import java.nio.file.Path;
import java.time.Instant;
import java.util.SortedMap;
import java.util.TreeMap;

/** Puts files with the properties that give them back: times, mode and SHA-256. */
public final class FileUpload {
    private final Bucket bucket;
    private final RateLimit limit;

    public FileUpload(Bucket bucket, RateLimit limit) {
        this.bucket = bucket;
        this.limit = limit;
    }

    /**
     * Puts a regular file.
     *
     * @param options whose properties count more than those of the file
     * @throws IOException if the file cannot be read; or as {@link Bucket#put(String, Path, PutOptions)} does
     */
    public ObjectInfo put(Path file, String key, PutOptions options, TransferListener listener) throws IOException {
        TreeFile before = TreeFile.of(file, key);
        FileFacts facts = before.facts();
        if (facts.isYoungAt(Instant.now())) {
            facts = facts.withoutChanged(); // A later change could have the same time, and would not be noticed.
        }
        String digest = digest(before);
        PutOptions watched = options.withProgress(watching(options.progress(), listener));
        ObjectInfo stored = bucket.put(key, file, watched.withProperties(merged(facts.withSha256(digest), options)));
        if (digest.isEmpty() || before.isUnchanged()) {
            return stored;
        }
        // The SHA-256 may be that of another content: the file changed between the two readings.
        return bucket.put(key, file, watched.withProperties(merged(before.facts().withoutChanged(), options)));
    }

    /** Puts the rest of a stream, which has no attributes. */
    public ObjectInfo put(InputStream content, String key, PutOptions options, TransferListener listener) {
        return bucket.put(key, content, options.withProgress(watching(options.progress(), listener)));
    }

    /** Returns nothing for a file that changes now, and where servers must not learn which plain content an object has. */
    private String digest(TreeFile file) throws IOException {
        if (bucket.isEncrypting()) {
            return "";
        }
        try {
            String digest = ContentDigest.once(file.file());
            return file.isUnchanged() ? digest : "";
        } catch (InterruptedIOException e) {
            throw e;
        } catch (IOException e) {
            return ""; // The put tries more often, and reports why it fails.
        }
    }

    private static SortedMap<String, String> merged(FileFacts facts, PutOptions options) {
        SortedMap<String, String> merged = new TreeMap<>(facts.toMap());
        merged.putAll(options.properties());
        return merged;
    }

    /** Slows the writer down, which reports each stored block before it takes more. */
    private ProgressListener watching(ProgressListener progress, TransferListener listener) {
        long[] reported = new long[1];
        return (done, total) -> {
            long more = done - (done < reported[0] ? 0 : reported[0]); // Less: the put begins again.
            reported[0] = done;
            progress.onProgress(done, total);
            listener.onBytes(more);
            try {
                limit.take(more);
            } catch (IOException e) {
                throw new UncheckedIOException(e);
            }
        };
    }
}
