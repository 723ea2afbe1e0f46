package io.bulwark.client;

import io.bulwark.client.error.BulwarkException;
import io.bulwark.client.error.InvalidRequestException;
import io.bulwark.client.error.Subject;
import io.bulwark.client.error.UnavailableException;
import java.io.InputStream;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;

/**
 * Change of a range of an object (e-SAFE 4, modifiable files): the new bytes become extents of their own, and one command
 * composes the object of them and of slices of the version that it had (decision 26).
 */
final class Overwrite {
    private final Bucket bucket;
    private final ObjectInfo before;
    private final PutOptions options;

    /** @param before the version that is changed */
    Overwrite(Bucket bucket, ObjectInfo before, PutOptions options) {
        this.bucket = bucket;
        this.before = before;
        this.options = options;
    }

    /** Stores the content in the place of the bytes from the offset on; returns the version as it was if there is none. */
    ObjectInfo put(long offset, InputStream content) {
        Subject subject = Subject.key(bucket.name(), before.key());
        if (offset < 0 || offset > before.length()) {
            throw new InvalidRequestException(
                    "the offset " + offset + " is not in the object, which has " + before.length() + " bytes", subject);
        }
        Uploads uploads = bucket.uploads();
        Upload upload = uploads.begin(before.key(), attributes());
        boolean completing = false;
        try {
            List<PartId> parts = new ArrayList<>();
            if (offset > 0) {
                parts.add(slice(uploads, upload, 1, 0, offset));
            }
            UploadedPart made = uploads.put(
                    upload,
                    2,
                    content,
                    PutOptions.DEFAULT
                            .withProgress(options.progress())
                            .withDeadline(options.deadline())
                            .withExpectedLength(options.expectedLength()));
            if (made.length() == 0) {
                uploads.abort(upload);
                return before;
            }
            parts.add(made.id());
            long end = offset + made.length();
            if (end < before.length()) {
                parts.add(slice(uploads, upload, 3, end, before.length() - end));
            }
            completing = true;
            Precondition same = options.precondition().equals(Precondition.NONE)
                    ? Precondition.ifVersion(before.version())
                    : options.precondition();
            return uploads.complete(upload, parts, PutOptions.DEFAULT.withPrecondition(same));
        } catch (RuntimeException e) {
            // An upload whose completion has no known outcome may be an object already.
            if (!completing || !(e instanceof UnavailableException)) {
                abort(uploads, upload, e);
            }
            throw e;
        }
    }

    private PartId slice(Uploads uploads, Upload upload, int number, long from, long count) {
        ObjectSlice slice = ObjectSlice.of(before).withRange(from, count);
        return uploads.copy(upload, number, slice, PutOptions.DEFAULT).id();
    }

    /** Media type and tags stay unless others are given, and reserved tags always. Properties may be checksums of the old content, and do not. */
    private PutOptions attributes() {
        PutOptions kept = options.withPrecondition(Precondition.NONE).withDeadline(Duration.ZERO);
        kept = kept.contentType().isEmpty() ? kept.withContentType(before.contentType()) : kept;
        return kept.withAllTags(kept.tags().isEmpty() ? before.tags() : ReservedTags.with(before.tags(), kept.tags()));
    }

    private static void abort(Uploads uploads, Upload upload, RuntimeException cause) {
        try {
            uploads.abort(upload);
        } catch (BulwarkException e) {
            cause.addSuppressed(e);
        }
    }
}
