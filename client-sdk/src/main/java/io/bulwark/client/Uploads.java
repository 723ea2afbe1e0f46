package io.bulwark.client;

import java.io.InputStream;
import java.util.List;

/**
 * Multipart uploads of a bucket. The parts of an object may come in any order, from several clients, and over days.
 * Completion makes the object visible in one ordered step and moves no bytes.
 *
 * <pre>{@code
 * Upload upload = bucket.uploads().begin("film.mkv", PutOptions.DEFAULT);
 * UploadedPart first = bucket.uploads().put(upload, 1, firstHalf, PutOptions.DEFAULT);
 * UploadedPart second = bucket.uploads().put(upload, 2, secondHalf, PutOptions.DEFAULT);
 * bucket.uploads().complete(upload, List.of(first.id(), second.id()), PutOptions.DEFAULT);
 * }</pre>
 *
 * <p>Parts count against the quotas and stay until the upload is completed or aborted; a bucket with uploads cannot be
 * deleted. All methods may be called from any thread. An upload that was completed or aborted gets a {@link
 * io.bulwark.client.error.NoSuchUploadException}.
 */
public interface Uploads {
    /** Begins an upload; the attributes of the options are those of the object to be. */
    Upload begin(String key, PutOptions options);

    /**
     * Puts the remaining bytes of the stream as a part, and leaves it open. It replaces the part of this number.
     *
     * @param number 1 to {@link PartId#NUMBER_MAX}
     * @param options their attributes are those of the part; their precondition must be none
     */
    UploadedPart put(Upload upload, int number, InputStream content, PutOptions options);

    /** Puts a part as above, and again by itself where nothing has happened yet. */
    UploadedPart put(Upload upload, int number, byte[] content, PutOptions options);

    /** Makes bytes of an object a part. Within a volume no bytes move. */
    UploadedPart copy(Upload upload, int number, ObjectSlice slice, PutOptions options);

    /**
     * Returns a page of the parts, by number.
     *
     * @param afterNumber the last of the page before; 0 to begin
     * @param limit 1 to 1,000
     */
    PartPage parts(Upload upload, int afterNumber, int limit);

    /**
     * Returns a page of the uploads that were neither completed nor aborted, by key and then by id.
     *
     * @param afterKey with {@code afterUpload} the last of the page before; empty to begin
     * @param afterUpload 0 to go on behind all uploads of that key
     * @param limit 1 to 1,000
     */
    UploadPage list(String prefix, String afterKey, long afterUpload, int limit);

    Upload find(String key, long id);

    /**
     * Makes an object of these parts, whose numbers ascend; parts that are not named are freed. After an unknown outcome
     * the same call is safe for an hour: it returns what the first one did.
     *
     * @param options their precondition is checked in the same ordered step; their attributes are added to those that
     *     the upload began with
     */
    ObjectInfo complete(Upload upload, List<PartId> parts, PutOptions options);

    /** Ends the upload and frees its parts. */
    void abort(Upload upload);
}
