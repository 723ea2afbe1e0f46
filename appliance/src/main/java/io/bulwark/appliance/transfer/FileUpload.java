package io.bulwark.appliance.transfer;

import io.bulwark.client.Bucket;
import io.bulwark.client.CopyOptions;
import io.bulwark.client.ObjectInfo;
import io.bulwark.client.Precondition;
import io.bulwark.client.ProgressListener;
import io.bulwark.client.PutOptions;
import io.bulwark.client.error.NoSuchKeyException;
import io.bulwark.client.error.PreconditionFailedException;
import io.bulwark.protocol.object.ObjectAttributes;
import io.bulwark.transport.file.FileChangedException;
import java.io.IOException;
import java.io.InputStream;
import java.io.InterruptedIOException;
import java.io.UncheckedIOException;
import java.nio.file.Path;
import java.time.Instant;
import java.util.Optional;
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
        return put(file, key, Optional.empty(), options, listener);
    }

    /**
     * Puts a regular file in the place of an object. If that has the same content, as after a change of the mode alone, no
     * bytes are stored.
     *
     * @param replaced the object
     * @throws IOException as {@link #put} does
     */
    public ObjectInfo replace(Path file, ObjectInfo replaced, PutOptions options, TransferListener listener)
            throws IOException {
        return put(file, replaced.key(), Optional.of(replaced), options, listener);
    }

    private ObjectInfo put(
            Path file, String key, Optional<ObjectInfo> replaced, PutOptions options, TransferListener listener)
            throws IOException {
        TreeFile before = settled(file, key);
        boolean young = before.facts().isYoungAt(Instant.now());
        String digest = young ? "" : digest(before);
        if (!digest.isEmpty()) {
            FileFacts facts = before.facts().withSha256(digest);
            Optional<ObjectInfo> same = replaced.filter(object -> object.length() == before.bytes()
                            && FileFacts.of(object).sha256().equals(digest))
                    .flatMap(object -> withFacts(object, facts, options));
            if (same.isPresent()) {
                listener.onBytes(before.bytes());
                return same.get();
            }
            try {
                ObjectInfo stored = put(before, key, options.withProperties(merged(facts, options)), listener);
                return before.isUnchanged() ? stored : replace(stored, before, options, listener);
            } catch (FileChangedException e) {
                // As if it had changed during the first reading.
            }
        }
        FileFacts facts = bucket.isEncrypting() && !young
                ? before.facts()
                : before.facts().withoutChanged();
        PutOptions watched = options.withProgress(watching(options.progress(), listener));
        return bucket.put(key, file, watched.withProperties(merged(facts, options)));
    }

    /** Gives an object other attributes; returns nothing if it is not there any more. */
    private Optional<ObjectInfo> withFacts(ObjectInfo object, FileFacts facts, PutOptions options) {
        SortedMap<String, String> properties = new TreeMap<>(object.properties());
        properties.keySet().removeAll(FileFacts.NAMES);
        properties.putAll(merged(facts, options));
        ObjectAttributes attributes = new ObjectAttributes(options.contentType(), object.tags(), properties);
        try {
            return Optional.of(bucket.copy(
                    object.key(),
                    object.version(),
                    bucket,
                    object.key(),
                    CopyOptions.DEFAULT
                            .withAttributes(attributes)
                            .withPrecondition(Precondition.ifVersion(object.version()))));
        } catch (PreconditionFailedException | NoSuchKeyException e) {
            return Optional.empty();
        }
    }

    /** Replaces an object whose SHA-256 may be that of another content, as the file changed between the two readings. */
    private ObjectInfo replace(ObjectInfo stored, TreeFile file, PutOptions options, TransferListener listener) {
        PutOptions once = options.withProgress(watching(options.progress(), listener))
                .withProperties(merged(file.facts().withoutChanged(), options))
                .withPrecondition(Precondition.ifVersion(stored.version()));
        try {
            return bucket.put(stored.key(), file.file(), once);
        } catch (PreconditionFailedException e) {
            return stored; // Another client has replaced it.
        }
    }

    private ObjectInfo put(TreeFile file, String key, PutOptions options, TransferListener listener)
            throws IOException {
        if (file.bytes() < ResumableUpload.RESUMABLE_BYTES || file.facts().changed() == null) {
            return bucket.put(key, file.file(), options.withProgress(watching(options.progress(), listener)));
        }
        return new ResumableUpload(bucket)
                .put(
                        file,
                        key,
                        options,
                        () -> PutOptions.DEFAULT.withProgress(watching(ProgressListener.NONE, listener)),
                        listener);
    }

    /** Returns the file once a later change would have another time; or as it is then, if it still changes. */
    private static TreeFile settled(Path file, String key) throws IOException {
        TreeFile found = TreeFile.of(file, key);
        Instant now = Instant.now();
        if (!found.facts().isYoungAt(now)) {
            return found;
        }
        try {
            Thread.sleep(found.facts().tickMillis());
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
            throw new InterruptedIOException("interrupted before the reading of a file");
        }
        return TreeFile.of(file, key);
    }

    /** Puts the rest of a stream, which has no attributes. */
    public ObjectInfo put(InputStream content, String key, PutOptions options, TransferListener listener) {
        return bucket.put(key, content, options.withProgress(watching(options.progress(), listener)));
    }

    /** Puts the rest of a stream in the place of an object's bytes from an offset on. */
    public ObjectInfo overwrite(
            InputStream content, String key, long offset, PutOptions options, TransferListener listener) {
        return bucket.overwrite(key, offset, content, options.withProgress(watching(options.progress(), listener)));
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
