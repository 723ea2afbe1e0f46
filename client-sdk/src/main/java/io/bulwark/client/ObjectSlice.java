package io.bulwark.client;

/**
 * Bytes of a version of an object, to become part of another one.
 *
 * @param version 0 for the latest
 * @param length {@link #TO_END} for all bytes from the offset on
 */
public record ObjectSlice(String bucket, String key, long version, long offset, long length) {
    public static final long TO_END = Long.MAX_VALUE;

    public ObjectSlice {
        if (version < 0 || offset < 0 || length < 0) {
            throw new IllegalArgumentException("version " + version + ", " + length + " bytes from " + offset + " on");
        }
    }

    /** Returns all bytes of an object's latest version. */
    public static ObjectSlice of(String bucket, String key) {
        return new ObjectSlice(bucket, key, 0, 0, TO_END);
    }

    /** Returns all bytes of a version. */
    public static ObjectSlice of(ObjectInfo object) {
        return new ObjectSlice(object.bucket(), object.key(), object.version(), 0, TO_END);
    }

    public ObjectSlice withRange(long from, long count) {
        return new ObjectSlice(bucket, key, version, from, count);
    }
}
