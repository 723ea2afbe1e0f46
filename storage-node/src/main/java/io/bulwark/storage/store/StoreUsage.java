package io.bulwark.storage.store;

/**
 * Contents of a store, and its work since it was opened.
 *
 * @param records records of all kinds
 * @param storedBytes fragments and meta data of all records
 * @param capacityBytes the limit of {@code storedBytes}
 * @param segments segment files, spare ones included
 * @param spareSegments empty segment files kept to be overwritten
 * @param liveSegmentBytes bytes of segments that records occupy
 * @param usableBytes free space of the file system
 * @param roomBytes bytes of fragments that may still be stored, beyond the reserve. It is 0 while stores are refused
 *     for lack of space, but never because the store has failed, which is no lack of space
 * @param refuses whether stores are refused for lack of space now
 * @param damaged records that were found damaged when read, each reading counted
 * @param stores stores acknowledged as durable
 * @param refused stores refused for lack of space
 * @param batches group commits
 * @param syncs syncs of segments and of the index
 * @param moved records that compaction has moved
 * @param heldBytes acknowledged and not yet written, as the write-back cache may
 * @param diedHeld records that were deleted or replaced before they were written
 * @param failed whether the device failed and writes are refused until the store is opened again
 */
public record StoreUsage(
        long records,
        long storedBytes,
        long capacityBytes,
        int segments,
        int spareSegments,
        long liveSegmentBytes,
        long usableBytes,
        long roomBytes,
        boolean refuses,
        long damaged,
        long stores,
        long refused,
        long batches,
        long syncs,
        long moved,
        long heldBytes,
        long diedHeld,
        boolean failed) {}
