package io.bulwark.appliance.transfer;

import io.bulwark.client.Bucket;
import io.bulwark.client.ObjectInfo;
import java.io.IOException;
import java.time.Instant;

/**
 * Comparison of a file with an object.
 *
 * <pre>
 * size differs                                        different
 * with checksum: SHA-256 differs                      different, else the same
 * time of modification differs                        different
 * time of the inode's change as the object keeps it   the same: nobody can set this time
 * the object keeps the SHA-256                        it decides
 * else                                                different for an upload, the same for a download
 * </pre>
 *
 * The last line is for objects that other programs have put. An upload gives them the properties that they lack.
 */
final class FileComparison {
    private final Bucket bucket;
    private final boolean checksum;
    private final RateLimit limit;

    /** Result of a comparison. */
    enum Difference {
        NONE,
        ATTRIBUTES,
        CONTENT
    }

    FileComparison(Bucket bucket, TransferSettings settings) {
        this.bucket = bucket;
        this.checksum = settings.checksum();
        this.limit = settings.limits().down();
    }

    /** Returns whether an object still holds the file. */
    boolean isStored(TreeFile file, ObjectInfo object) throws IOException {
        if (object.length() != file.bytes()) {
            return false;
        }
        if (checksum) {
            return isSameContent(file, object);
        }
        FileFacts kept = FileFacts.of(object);
        FileFacts now = file.facts();
        if (!FileFacts.isSameTime(now.modified(), kept.modified()) || (now.mode() >= 0 && now.mode() != kept.mode())) {
            return false;
        }
        if (now.changed() == null || now.changed().equals(kept.changed())) {
            return true;
        }
        return !kept.sha256().isEmpty() && isSameContent(file, object);
    }

    /** Returns what a file lacks to be the object. */
    Difference ofDownload(ObjectInfo object, TreeFile file) throws IOException {
        if (object.length() != file.bytes()) {
            return Difference.CONTENT;
        }
        FileFacts kept = FileFacts.of(object);
        FileFacts now = file.facts();
        boolean sameTime = FileFacts.isSameTime(now.modified(), modified(object));
        boolean sameMode = kept.mode() < 0 || now.mode() < 0 || now.mode() == kept.mode();
        Difference unlessContent = sameTime && sameMode ? Difference.NONE : Difference.ATTRIBUTES;
        if (checksum || !kept.sha256().isEmpty()) {
            boolean untouched = !checksum
                    && sameTime
                    && now.changed() != null
                    && now.changed().equals(kept.changed());
            return untouched || isSameContent(file, object) ? unlessContent : Difference.CONTENT;
        }
        return sameTime ? unlessContent : Difference.CONTENT;
    }

    /** Returns the time that a file gets that is written from this object. */
    static Instant modified(ObjectInfo object) {
        Instant kept = FileFacts.of(object).modified();
        return kept == null ? object.modified() : kept;
    }

    private boolean isSameContent(TreeFile file, ObjectInfo object) throws IOException {
        return ContentDigest.of(file.file()).equals(ContentDigest.of(bucket, object, limit));
    }
}
