package io.bulwark.storage.store;

import java.nio.file.Path;

/**
 * Configuration of a {@link FragmentStore}.
 *
 * @param directory holds all of it; made if missing
 * @param flushIntervalMillis how long {@link Durability#INTERVAL} may keep acknowledged writes from the device
 * @param segmentBytes the size of one segment file; no fragment may be longer than it less 4 KiB
 * @param inlineBytesMax fragments up to this length live in the index and not in segments
 * @param capacityBytes the sum of all records' fragments and meta data may not grow beyond this
 * @param reserveBytes writes of fragments are refused when the file system has less space left than this
 * @param readerThreads platform threads that read
 * @param spareSegmentsMax empty segments that are kept to be overwritten, which syncs faster than growing files
 * @param writeBack records held in memory for a while before they are written: at most half the reserve, so that they
 *     always fit
 */
public record StoreConfig(
        Path directory,
        Durability durability,
        int flushIntervalMillis,
        int segmentBytes,
        int inlineBytesMax,
        long capacityBytes,
        long reserveBytes,
        int readerThreads,
        int spareSegmentsMax,
        WriteBack writeBack) {
    public static final int SEGMENT_BYTES = 64 << 20;
    public static final long RESERVE_BYTES = 64L << 20;
    private static final int SEGMENT_BYTES_MIN = 64 << 10;
    private static final int INLINE_BYTES_LIMIT = 64 << 10;

    public StoreConfig {
        if (segmentBytes < SEGMENT_BYTES_MIN || segmentBytes % RecordHeader.PAGE_BYTES != 0) {
            throw new IllegalArgumentException(
                    "segments of " + segmentBytes + " bytes: at least " + SEGMENT_BYTES_MIN + ", a multiple of 4096");
        }
        if (inlineBytesMax < 0 || inlineBytesMax > INLINE_BYTES_LIMIT) {
            throw new IllegalArgumentException("inline fragments of up to " + inlineBytesMax + " bytes");
        }
        if (flushIntervalMillis < 1 || capacityBytes < 1 || reserveBytes < 0 || readerThreads < 1) {
            throw new IllegalArgumentException("interval " + flushIntervalMillis + " ms, capacity " + capacityBytes
                    + ", reserve " + reserveBytes + ", " + readerThreads + " readers");
        }
        if (spareSegmentsMax < 0) {
            throw new IllegalArgumentException(spareSegmentsMax + " spare segments");
        }
        if (writeBack.bytesMax() > reserveBytes / 2) {
            throw new IllegalArgumentException(writeBack.bytesMax() + " bytes held in memory, with a reserve of "
                    + reserveBytes + " on the device");
        }
    }

    /** Synced writes, segments of 64 MiB, no limit but the reserve of 64 MiB. */
    public static StoreConfig standard(Path directory) {
        return new StoreConfig(
                directory,
                Durability.SYNC,
                100,
                SEGMENT_BYTES,
                4095,
                Long.MAX_VALUE,
                RESERVE_BYTES,
                4,
                4,
                WriteBack.NONE);
    }

    public StoreConfig withDurability(Durability value) {
        return new StoreConfig(
                directory,
                value,
                flushIntervalMillis,
                segmentBytes,
                inlineBytesMax,
                capacityBytes,
                reserveBytes,
                readerThreads,
                spareSegmentsMax,
                writeBack);
    }

    public StoreConfig withSegmentBytes(int value) {
        return new StoreConfig(
                directory,
                durability,
                flushIntervalMillis,
                value,
                inlineBytesMax,
                capacityBytes,
                reserveBytes,
                readerThreads,
                spareSegmentsMax,
                writeBack);
    }

    public StoreConfig withLimits(long capacity, long reserve) {
        return new StoreConfig(
                directory,
                durability,
                flushIntervalMillis,
                segmentBytes,
                inlineBytesMax,
                capacity,
                reserve,
                readerThreads,
                spareSegmentsMax,
                writeBack);
    }

    public StoreConfig withWriteBack(WriteBack value) {
        return new StoreConfig(
                directory,
                durability,
                flushIntervalMillis,
                segmentBytes,
                inlineBytesMax,
                capacityBytes,
                reserveBytes,
                readerThreads,
                spareSegmentsMax,
                value);
    }
}
