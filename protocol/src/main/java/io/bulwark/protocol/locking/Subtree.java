package io.bulwark.protocol.locking;

import io.bulwark.protocol.wire.WireReader;
import io.bulwark.protocol.wire.WireWriter;

/**
 * Unit of locking: all keys of a bucket that begin with a prefix.
 *
 * @param prefix empty for the whole bucket
 */
public record Subtree(String bucket, String prefix) implements Comparable<Subtree> {
    /** Maximum length of either part on the wire, in bytes. */
    public static final int PART_BYTES_MAX = 1_024;

    public boolean contains(String inBucket, String key) {
        return bucket.equals(inBucket) && key.startsWith(prefix);
    }

    public boolean overlaps(Subtree other) {
        return bucket.equals(other.bucket) && (prefix.startsWith(other.prefix) || other.prefix.startsWith(prefix));
    }

    public void write(WireWriter out) {
        out.string(bucket).string(prefix);
    }

    public static Subtree read(WireReader in) {
        return new Subtree(in.string(PART_BYTES_MAX), in.string(PART_BYTES_MAX));
    }

    @Override
    public int compareTo(Subtree other) {
        int order = bucket.compareTo(other.bucket);
        return order == 0 ? prefix.compareTo(other.prefix) : order;
    }

    @Override
    public String toString() {
        return bucket + "/" + prefix;
    }
}
