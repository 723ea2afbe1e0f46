package io.bulwark.client;

import io.bulwark.protocol.metadata.BucketChange;
import io.bulwark.protocol.metadata.Versioning;
import io.bulwark.protocol.object.Retention;
import java.io.InputStream;
import java.io.OutputStream;
import java.nio.channels.ReadableByteChannel;
import java.nio.file.Path;
import java.util.List;
import java.util.Optional;
import java.util.SortedMap;
import java.util.concurrent.CompletableFuture;
import java.util.function.Supplier;
import java.util.stream.Stream;

/**
 * A store of named, versioned byte streams. Objects are atomic: one appears in one ordered step when all of its blocks
 * are safely stored. A reader gets exactly the bytes of one version or a {@link
 * io.bulwark.client.error.BulwarkException}.
 *
 * <pre>{@code
 * try (Bulwark client = Bulwark.connect(Path.of("client.properties"))) {
 *     Bucket photos = client.createBucket("photos");
 *     photos.put("2026/boat.jpg", Path.of("boat.jpg"), PutOptions.DEFAULT.withContentType("image/jpeg"));
 *     photos.readTo("2026/boat.jpg", Path.of("copy.jpg"));
 *     try (Stream<ObjectInfo> all = photos.stream("2026/")) {
 *         all.forEach(object -> System.out.println(object.key() + " " + object.length()));
 *     }
 * }
 * }</pre>
 *
 * <p>Blocks of one object travel in parallel, within a bound on the bytes in flight per object and per client. All
 * methods may be called from any thread. The forms that end in {@code Async} run on a virtual thread and return at
 * once; cancelling their future interrupts the operation. Interrupting a thread in the other forms does the same, and
 * throws a {@link io.bulwark.client.error.CancelledException}.
 */
public interface Bucket {
    /** Names the null version of a key in the place of a version's number. */
    long NULL_VERSION = Versioning.NULL_VERSION;

    String name();

    /** Returns the bucket's current metadata. */
    BucketInfo info();

    /**
     * Hints that this client is about to use all keys with a prefix alone, and often. It then locks them as soon as it can,
     * so that its operations there take one round trip. Others who come all the same wait for some milliseconds, and take
     * the lock away. Nothing else depends on it.
     */
    void lock(String prefix);

    /** Takes the hint of {@link #lock} back: others find the keys free. */
    void unlock(String prefix);

    /** Returns whether this client encrypts the objects that it puts. */
    default boolean isEncrypting() {
        return false;
    }

    /**
     * Puts the remaining bytes of the stream, and leaves it open. There is no retry, as the stream cannot be read
     * twice.
     *
     * @return the version that was made
     */
    ObjectInfo put(String key, InputStream content, PutOptions options);

    /** Puts the remaining bytes of the channel, and leaves it open. */
    ObjectInfo put(String key, ReadableByteChannel content, PutOptions options);

    /**
     * Puts a regular file as it is at one moment, with the length it has when it is opened, even if it grows. A file
     * that changes during the read is read again, a few times. Then an {@link java.io.UncheckedIOException} reports it,
     * and nothing was put.
     */
    ObjectInfo put(String key, Path file, PutOptions options);

    ObjectInfo put(String key, byte[] content, PutOptions options);

    default ObjectInfo put(String key, Path file) {
        return put(key, file, PutOptions.DEFAULT);
    }

    default ObjectInfo put(String key, byte[] content) {
        return put(key, content, PutOptions.DEFAULT);
    }

    default ObjectInfo put(String key, InputStream content) {
        return put(key, content, PutOptions.DEFAULT);
    }

    default ObjectInfo put(String key, ReadableByteChannel content) {
        return put(key, content, PutOptions.DEFAULT);
    }

    /**
     * A stream whose content becomes the object when it is closed; if anything fails before, there is no object.
     * {@link ObjectOutputStream#abort} gives it up.
     */
    ObjectOutputStream newOutputStream(String key, PutOptions options);

    default ObjectOutputStream newOutputStream(String key) {
        return newOutputStream(key, PutOptions.DEFAULT);
    }

    /** A stream over one version, which reads ahead; a failure comes out of {@code read} as an unchecked exception. */
    InputStream get(String key, GetOptions options);

    default InputStream get(String key) {
        return get(key, GetOptions.DEFAULT);
    }

    /**
     * Finds a version, to be judged by its metadata before its bytes are read.
     *
     * @param version 0 for the latest
     * @throws io.bulwark.client.error.NoSuchKeyException if there is no such object
     */
    StoredObject open(String key, long version);

    /** All bytes, for objects that fit into an array. */
    byte[] getBytes(String key, GetOptions options);

    default byte[] getBytes(String key) {
        return getBytes(key, GetOptions.DEFAULT);
    }

    /** Writes the bytes to the stream, and leaves it open. Returns what was read. */
    ObjectInfo readTo(String key, OutputStream target, GetOptions options);

    /**
     * Writes the bytes to a file. A regular file is replaced whole or not at all, and keeps its mode; symbolic links are followed; pipes
     * and devices are written into.
     */
    ObjectInfo readTo(String key, Path target, GetOptions options);

    default ObjectInfo readTo(String key, OutputStream target) {
        return readTo(key, target, GetOptions.DEFAULT);
    }

    default ObjectInfo readTo(String key, Path target) {
        return readTo(key, target, GetOptions.DEFAULT);
    }

    /**
     * Returns the metadata of the latest version.
     *
     * @throws io.bulwark.client.error.NoSuchKeyException if there is no such object
     */
    default ObjectInfo head(String key) {
        return head(key, 0);
    }

    /**
     * Returns the metadata of a version.
     *
     * @param version 0 for the latest
     */
    ObjectInfo head(String key, long version);

    /**
     * Asks each holder of the object's extents for its fragment, and judges it.
     *
     * @param version 0 for the latest
     * @param firstExtent counted from 0
     * @param count how many extents at most, 1 to {@link FragmentMap#EXTENTS_MAX}
     */
    FragmentMap fragments(String key, long version, long firstExtent, int count);

    /** One page of the objects, in the order of the bytes of their keys. */
    ObjectPage list(ListOptions options);

    /** Returns the first page of all objects. */
    default ObjectPage list() {
        return list(ListOptions.DEFAULT);
    }

    /** All objects whose key begins so, page by page as they are asked for. */
    Stream<ObjectInfo> stream(String prefix);

    /** All objects whose key begins so, page by page as they are asked for. */
    default Iterable<ObjectInfo> all(String prefix) {
        return () -> stream(prefix).iterator();
    }

    /** All versions of all objects whose key begins so: by key, newest first. */
    Stream<VersionInfo> versions(String prefix);

    /**
     * All versions of all objects whose key begins so, behind one version in the order of {@link #versions(String)}.
     *
     * @param afterKey the key of that version
     * @param beforeVersion the number of that version; 0 to go on with the next key
     */
    Stream<VersionInfo> versions(String prefix, String afterKey, long beforeVersion);

    /** One page of the versions of all objects: by key, newest first. */
    VersionPage listVersions(VersionListOptions options);

    /**
     * Deletes an object; in a bucket that keeps versions by a delete marker on top.
     *
     * @throws io.bulwark.client.error.NoSuchKeyException if there is no such object
     */
    default void delete(String key) {
        delete(key, DeleteOptions.DEFAULT);
    }

    /** Removes just this version, for good. */
    default void delete(String key, long version) {
        delete(key, DeleteOptions.DEFAULT.withVersion(version));
    }

    /**
     * Deletes an object or a version.
     *
     * @throws io.bulwark.client.error.NoSuchKeyException if there is no such object
     * @throws io.bulwark.client.error.ObjectLockedException if the version is locked
     */
    DeletedObject delete(String key, DeleteOptions options);

    /**
     * Replaces the user's tags of a version. The reserved ones stay ({@link ReservedTags}).
     *
     * @param version 0 for the latest
     * @throws io.bulwark.client.error.InvalidRequestException if a tag has a reserved name
     */
    void setTags(String key, long version, SortedMap<String, String> tags);

    /**
     * Replaces all tags of a version, also the reserved ones, if they are still those that the caller has read.
     *
     * @throws io.bulwark.client.error.PreconditionFailedException if they are others
     */
    void replaceTags(String key, long version, SortedMap<String, String> before, SortedMap<String, String> tags);

    /**
     * Replaces the retention of a version. One in force may only be prolonged.
     *
     * @param version 0 for the latest
     * @param bypassGovernance allows anything in the place of governance; needs the right to administer the bucket
     */
    void setRetention(String key, long version, Retention retention, boolean bypassGovernance);

    /**
     * Places or lifts the legal hold of a version.
     *
     * @param version 0 for the latest
     */
    void setLegalHold(String key, long version, boolean held);

    /** Changes settings of the bucket. */
    void update(BucketChange change);

    /** Returns the document of this name. */
    Optional<BucketDocument> setting(String name);

    /** Returns the names of all documents, in their order. */
    List<String> settings();

    /**
     * Puts a document in the place of the one with its name.
     *
     * @param condition on the document that it replaces; its number counts as version
     * @return the new number
     */
    long putSetting(String name, byte[] content, Precondition condition);

    /** Removes a document, if there is one. */
    void removeSetting(String name, Precondition condition);

    /**
     * Copies a version; within one volume no bytes move.
     *
     * @param version 0 for the latest
     * @return the version that was made
     */
    ObjectInfo copy(String key, long version, Bucket target, String targetKey, CopyOptions options);

    /**
     * Copies the latest version; within one volume no bytes move.
     *
     * @return the version that was made
     */
    default ObjectInfo copy(String key, Bucket target, String targetKey, Precondition precondition) {
        return copy(key, 0, target, targetKey, CopyOptions.DEFAULT.withPrecondition(precondition));
    }

    default ObjectInfo copy(String key, Bucket target, String targetKey) {
        return copy(key, target, targetKey, Precondition.NONE);
    }

    default ObjectInfo copy(String key, String targetKey) {
        return copy(key, this, targetKey, Precondition.NONE);
    }

    /** Gives the latest version another name; within one volume one step in which no bytes move. */
    ObjectInfo rename(String key, Bucket target, String targetKey, Precondition precondition);

    default ObjectInfo rename(String key, Bucket target, String targetKey) {
        return rename(key, target, targetKey, Precondition.NONE);
    }

    default ObjectInfo rename(String key, String targetKey) {
        return rename(key, this, targetKey, Precondition.NONE);
    }

    /**
     * Makes an object of slices of others in the same volume, in one ordered step in which no bytes move.
     *
     * @param options their attributes are those of the object
     * @return the version that was made
     */
    ObjectInfo compose(String key, List<ObjectSlice> slices, PutOptions options);

    /**
     * Replaces bytes of the latest version from an offset on; an object may grow at its end. Only the given bytes are stored. The
     * object changes in one step, and not at all if another client has changed it meanwhile.
     *
     * @param offset at most the length of the object
     * @param options media type and tags of the object stay if there are none; its properties are those given here
     * @return the version that was made, or the latest one if there are no bytes
     * @throws io.bulwark.client.error.PreconditionFailedException if the object has changed meanwhile
     */
    default ObjectInfo overwrite(String key, long offset, InputStream content, PutOptions options) {
        return new Overwrite(this, head(key), options).put(offset, content);
    }

    /** Returns the multipart uploads of this bucket. */
    Uploads uploads();

    /** Runs one of these operations on a virtual thread; cancelling the future interrupts it. */
    <T> CompletableFuture<T> async(Supplier<T> operation);

    default CompletableFuture<ObjectInfo> putAsync(String key, InputStream content, PutOptions options) {
        return async(() -> put(key, content, options));
    }

    default CompletableFuture<ObjectInfo> putAsync(String key, InputStream content) {
        return putAsync(key, content, PutOptions.DEFAULT);
    }

    default CompletableFuture<ObjectInfo> putAsync(String key, ReadableByteChannel content, PutOptions options) {
        return async(() -> put(key, content, options));
    }

    default CompletableFuture<ObjectInfo> putAsync(String key, ReadableByteChannel content) {
        return putAsync(key, content, PutOptions.DEFAULT);
    }

    default CompletableFuture<ObjectInfo> putAsync(String key, Path file, PutOptions options) {
        return async(() -> put(key, file, options));
    }

    default CompletableFuture<ObjectInfo> putAsync(String key, Path file) {
        return putAsync(key, file, PutOptions.DEFAULT);
    }

    default CompletableFuture<ObjectInfo> putAsync(String key, byte[] content, PutOptions options) {
        return async(() -> put(key, content, options));
    }

    default CompletableFuture<ObjectInfo> putAsync(String key, byte[] content) {
        return putAsync(key, content, PutOptions.DEFAULT);
    }

    default CompletableFuture<byte[]> getBytesAsync(String key, GetOptions options) {
        return async(() -> getBytes(key, options));
    }

    default CompletableFuture<byte[]> getBytesAsync(String key) {
        return getBytesAsync(key, GetOptions.DEFAULT);
    }

    default CompletableFuture<ObjectInfo> readToAsync(String key, OutputStream target, GetOptions options) {
        return async(() -> readTo(key, target, options));
    }

    default CompletableFuture<ObjectInfo> readToAsync(String key, OutputStream target) {
        return readToAsync(key, target, GetOptions.DEFAULT);
    }

    default CompletableFuture<ObjectInfo> readToAsync(String key, Path target, GetOptions options) {
        return async(() -> readTo(key, target, options));
    }

    default CompletableFuture<ObjectInfo> readToAsync(String key, Path target) {
        return readToAsync(key, target, GetOptions.DEFAULT);
    }

    default CompletableFuture<ObjectInfo> headAsync(String key, long version) {
        return async(() -> head(key, version));
    }

    default CompletableFuture<ObjectInfo> headAsync(String key) {
        return headAsync(key, 0);
    }

    default CompletableFuture<ObjectPage> listAsync(ListOptions options) {
        return async(() -> list(options));
    }

    default CompletableFuture<ObjectPage> listAsync() {
        return listAsync(ListOptions.DEFAULT);
    }

    default CompletableFuture<Boolean> deleteAsync(String key) {
        return async(() -> {
            delete(key);
            return true;
        });
    }

    default CompletableFuture<Boolean> deleteAsync(String key, long version) {
        return async(() -> {
            delete(key, version);
            return true;
        });
    }

    default CompletableFuture<ObjectInfo> copyAsync(String key, Bucket target, String targetKey, Precondition when) {
        return async(() -> copy(key, target, targetKey, when));
    }

    default CompletableFuture<ObjectInfo> copyAsync(String key, Bucket target, String targetKey) {
        return copyAsync(key, target, targetKey, Precondition.NONE);
    }

    default CompletableFuture<ObjectInfo> copyAsync(String key, String targetKey) {
        return copyAsync(key, this, targetKey);
    }

    default CompletableFuture<ObjectInfo> renameAsync(String key, Bucket target, String targetKey, Precondition when) {
        return async(() -> rename(key, target, targetKey, when));
    }

    default CompletableFuture<ObjectInfo> renameAsync(String key, Bucket target, String targetKey) {
        return renameAsync(key, target, targetKey, Precondition.NONE);
    }

    default CompletableFuture<ObjectInfo> renameAsync(String key, String targetKey) {
        return renameAsync(key, this, targetKey);
    }
}
