package io.bulwark.protocol.metadata;

/**
 * What the state takes up, at least as many bytes as in a snapshot. Quotas count the bytes of objects, which may be
 * empty and many; without this bound one writer could make a state that no replica can hold, copy or start from again.
 * Replicas count the same, since it decides on commands.
 */
final class Weight {
    /** From here on nothing is accepted that adds to the state; deleting and closing go on. */
    static final long BYTES_MAX = 512L << 20;

    static final int SESSION_BYTES = 256;
    static final int INTERVAL_BYTES = 64;
    static final int RESULT_BYTES = 64;
    static final int INODE_BYTES = 256;
    static final int RANGE_BYTES = 64;
    static final int LINK_BYTES = 128;
    static final int BUCKET_BYTES = 512;

    private final long max;
    private long bytes;

    Weight(long max) {
        this.max = max;
    }

    void add(long added) {
        bytes += added;
    }

    long bytes() {
        return bytes;
    }

    void requireRoom() {
        Refusal.unless(
                bytes < max, MetadataError.LIMIT_REACHED, "the metadata hold " + bytes + " of " + max + " bytes");
    }
}
