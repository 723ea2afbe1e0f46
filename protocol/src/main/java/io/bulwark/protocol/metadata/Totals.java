package io.bulwark.protocol.metadata;

import io.bulwark.protocol.fingerprint.Hashes;
import io.bulwark.protocol.wire.Bytes;
import io.bulwark.protocol.wire.WireReader;
import io.bulwark.protocol.wire.WireWriter;

/** Values of which the state has only one: times, last numbers given, and counts that follow from the rest. */
final class Totals {
    static final long NEVER = Long.MAX_VALUE;

    long commands;
    long agreedMillis;
    /** The steps of agreed time, none counted as more than a few seconds. */
    long servedMillis;
    /** Digest of all submissions, times and replies so far, which replicas compare at little cost. */
    Bytes historyDigest = Bytes.of(new byte[Hashes.LENGTH]);

    int lastVolume;
    long mapVersion = 1;
    /** Sequence number of the last change of sessions. */
    long sequence;

    long lastInode;
    /** Number of the last inode or pending upload that was stored. */
    long lastArrival;

    long lastVersion;
    long lastReport;
    long lastEvidence;

    /** Weight as {@link Weight} counts it. */
    long weight;
    /** Part of the room for weight that logs may draw. */
    long weightEscrow;

    /** Position of the last event of all logs; none is reused. */
    long lastEvent;

    int openSessions;
    int inodes;
    int buckets;
    int uploads;
    /** Names that no delete marker hides. */
    long visible;

    int locks;
    int holders;
    int marks;

    /** Agreed time at which removals of faulty nodes go on. */
    long faultsDueMillis = NEVER;

    /** Agreed time at which volumes follow the threat level. */
    long threatDueMillis = NEVER;

    void write(WireWriter out) {
        out.i64(commands).i64(agreedMillis).i64(servedMillis).raw(historyDigest);
        out.i32(lastVolume).i64(mapVersion).i64(sequence).i64(lastInode).i64(lastVersion);
        out.i64(lastReport).i64(lastEvidence).i64(weight);
        out.i32(openSessions).i32(inodes).i32(buckets).i32(uploads).i64(visible);
        out.i64(lastArrival)
                .i64(lastEvent)
                .i64(weightEscrow)
                .i32(locks)
                .i32(holders)
                .i32(marks);
        out.i64(faultsDueMillis).i64(threatDueMillis);
    }

    static Totals read(WireReader in) {
        Totals totals = new Totals();
        totals.commands = in.nonNegative64();
        totals.agreedMillis = in.nonNegative64();
        totals.servedMillis = in.nonNegative64();
        // Its own bytes, so that the stored digest does not retain the whole message.
        totals.historyDigest = Bytes.of(in.raw(Hashes.LENGTH).toByteArray());
        totals.lastVolume = in.i32(0, Integer.MAX_VALUE);
        totals.mapVersion = in.nonNegative64();
        totals.sequence = in.nonNegative64();
        totals.lastInode = in.nonNegative64();
        totals.lastVersion = in.nonNegative64();
        totals.lastReport = in.nonNegative64();
        totals.lastEvidence = in.nonNegative64();
        totals.weight = in.nonNegative64();
        totals.openSessions = in.i32(0, Integer.MAX_VALUE);
        totals.inodes = in.i32(0, Integer.MAX_VALUE);
        totals.buckets = in.i32(0, Integer.MAX_VALUE);
        totals.uploads = in.i32(0, Integer.MAX_VALUE);
        totals.visible = in.nonNegative64();
        totals.lastArrival = in.nonNegative64();
        totals.lastEvent = in.nonNegative64();
        totals.weightEscrow = in.nonNegative64();
        totals.locks = in.i32(0, Integer.MAX_VALUE);
        totals.holders = in.i32(0, Integer.MAX_VALUE);
        totals.marks = in.i32(0, Integer.MAX_VALUE);
        totals.faultsDueMillis = in.nonNegative64();
        totals.threatDueMillis = in.nonNegative64();
        return totals;
    }
}
