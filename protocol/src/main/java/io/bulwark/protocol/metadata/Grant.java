package io.bulwark.protocol.metadata;

import io.bulwark.protocol.id.PrincipalId;
import io.bulwark.protocol.locking.LogEntry;
import io.bulwark.protocol.locking.LogLimits;
import io.bulwark.protocol.wire.MalformedException;
import io.bulwark.protocol.wire.WireReader;
import io.bulwark.protocol.wire.WireWriter;
import java.util.SortedMap;
import java.util.TreeMap;

/**
 * Supply that a log took out of the state when it began. An entry draws ids by its position. Its text of a refusal names
 * nothing that others change. The rest of the ids never returns; the rest of the room does when the log closes.
 */
final class Grant implements Supply {
    /** Versions that one entry makes at most: a rename makes one, and a delete marker. */
    static final int VERSIONS_PER_ENTRY = 2;

    /** Time of an entry at most after its lock. */
    static final long SPAN_MILLIS = 24 * 3_600_000L;

    /** All logs together draw at most this part of what is free. */
    private static final int SHARE_OF_ALL = 4;

    /** One log draws at most this part of what is left of it, so that the next finds some. */
    private static final int SHARE_OF_ONE = 16;

    final long lockedMillis;
    final long firstInode;
    final long firstVersion;

    /** Room that is left of the volume, of the state and of each bucket, in bytes. */
    long volumeBytes;

    long weight;
    /** Lets entries add inline bytes, within the weight. */
    boolean inline;

    final SortedMap<String, Long> buckets;

    private int entries;
    private long lastMillis;
    private int versions;

    private Grant(long lockedMillis, long firstInode, long firstVersion, SortedMap<String, Long> buckets) {
        this.lockedMillis = lockedMillis;
        this.firstInode = firstInode;
        this.firstVersion = firstVersion;
        this.buckets = buckets;
        lastMillis = lockedMillis;
    }

    /** Takes blocks of ids out of the totals. */
    static Grant of(Totals totals) {
        Grant grant = new Grant(totals.agreedMillis, totals.lastInode + 1, totals.lastVersion + 1, new TreeMap<>());
        totals.lastInode += LogLimits.ENTRIES_MAX;
        totals.lastVersion += (long) VERSIONS_PER_ENTRY * LogLimits.ENTRIES_MAX;
        return grant;
    }

    /**
     * Returns the room that a new log may draw.
     *
     * @param free room that is neither used nor drawn by any log
     * @param escrow room that all logs may draw already
     */
    static long escrow(long free, long escrow) {
        return Math.max(0, ((free + escrow) / SHARE_OF_ALL - escrow) / SHARE_OF_ONE);
    }

    /** Begins an entry. */
    void begin(LogEntry entry) {
        entries++;
        versions = 0;
        lastMillis = Math.max(lastMillis, Math.min(entry.atMillis(), lockedMillis + SPAN_MILLIS));
    }

    /** Refuses an entry beyond the last one that finds ids. */
    void requireIds() {
        refuseUnless(entries <= LogLimits.ENTRIES_MAX, "a log has at most " + LogLimits.ENTRIES_MAX + " entries");
    }

    /** Refuses an entry that may add more to the state than is left. */
    void requireWeight(long added) {
        refuseUnless(added <= weight, "an entry of weight " + added);
    }

    @Override
    public long nowMillis() {
        return lastMillis;
    }

    @Override
    public long nextInode() {
        return firstInode + entries - 1;
    }

    @Override
    public long nextVersion() {
        return firstVersion + (long) VERSIONS_PER_ENTRY * (entries - 1) + versions++;
    }

    @Override
    public void requireRoom(Volumes.Entry volume, long added) {
        refuseUnless(added <= volumeBytes, added + " bytes more in the volume");
    }

    @Override
    public void requireRoom(Bucket bucket, long added) {
        refuseUnless(added <= buckets.getOrDefault(bucket.name, 0L), added + " bytes more in the bucket");
    }

    @Override
    public void requireInline(PrincipalId owner) {
        CommandRefusal.refuseUnless(inline, MetadataError.NOT_INLINE, "the metadata were half full");
    }

    @Override
    public void requireWeight(PrincipalId owner) {
        requireWeight(Weight.markerMax());
    }

    private static void refuseUnless(boolean condition, String detail) {
        CommandRefusal.refuseUnless(condition, MetadataError.LOG_EXHAUSTED, detail);
    }

    void write(WireWriter out) {
        out.i64(lockedMillis).i64(firstInode).i64(firstVersion);
        out.i64(volumeBytes)
                .i64(weight)
                .bool(inline)
                .i32(entries)
                .i64(lastMillis)
                .u16(buckets.size());
        buckets.forEach((bucket, left) -> out.string(bucket).i64(left));
    }

    static Grant read(WireReader in) {
        Grant grant = new Grant(in.nonNegative64(), in.nonNegative64(), in.nonNegative64(), new TreeMap<>());
        grant.volumeBytes = in.nonNegative64();
        grant.weight = in.nonNegative64();
        grant.inline = in.bool();
        grant.entries = in.i32(0, Integer.MAX_VALUE);
        grant.lastMillis = in.nonNegative64();
        int count = in.count16(LogLimits.SUBTREES_MAX);
        for (int i = 0; i < count; i++) {
            String bucket = in.string(Names.NAME_LENGTH_MAX);
            if (!grant.buckets.isEmpty() && bucket.compareTo(grant.buckets.lastKey()) <= 0) {
                throw new MalformedException("buckets out of order");
            }
            grant.buckets.put(bucket, in.nonNegative64());
        }
        return grant;
    }
}
