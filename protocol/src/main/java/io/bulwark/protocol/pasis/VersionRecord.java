package io.bulwark.protocol.pasis;

import io.bulwark.protocol.effect.RecordKey;
import io.bulwark.protocol.effect.RecordKind;
import io.bulwark.protocol.id.BlockId;
import io.bulwark.protocol.id.PrincipalId;
import io.bulwark.protocol.wire.Bytes;
import io.bulwark.protocol.wire.MalformedException;
import io.bulwark.protocol.wire.WireReader;
import io.bulwark.protocol.wire.WireWriter;

/**
 * Meta data of one stored version; its fragment is stored with it.
 *
 * @param sender the authenticated party that brought it, which is charged for it and accused if it is poisonous; nobody
 *     if this node rebuilt the fragment itself
 * @param session the sender's, in which it arrived; 0 if there was none
 * @param taken the epoch in which this node took the slot for which it keeps it
 * @param verified whether it is known to be complete and not poisonous
 */
public record VersionRecord(
        ValidatingTimestamp timestamp, PrincipalId sender, long session, long taken, boolean verified) {
    private static final int FORMAT = 1;

    /** One whose fragment this node made itself. */
    static VersionRecord made(ValidatingTimestamp timestamp, long taken, boolean verified) {
        return new VersionRecord(timestamp, PrincipalId.NOBODY, 0, taken, verified);
    }

    VersionRecord asVerified() {
        return new VersionRecord(timestamp, sender, session, taken, true);
    }

    RecordKey key(BlockId block) {
        return new RecordKey(RecordKind.PASIS_VERSION, block, timestamp.name().encoded());
    }

    Bytes encoded() {
        WireWriter out = new WireWriter(80 + timestamp.crossChecksum().length()).u8(FORMAT);
        timestamp.write(out);
        sender.write(out);
        return out.i64(session).i64(taken).bool(verified).toBytes();
    }

    /**
     * Reads what {@link #encoded} wrote.
     *
     * @throws MalformedException if it is nothing of that
     */
    public static VersionRecord decode(Bytes encoded) {
        WireReader in = new WireReader(encoded);
        int format = in.u8();
        if (format != FORMAT) {
            throw new MalformedException("version record of format " + format);
        }
        ValidatingTimestamp timestamp = ValidatingTimestamp.readWritten(in);
        PrincipalId sender = PrincipalId.read(in);
        VersionRecord record = new VersionRecord(timestamp, sender, in.i64(), readTaken(in), in.bool());
        in.end();
        return record;
    }

    private static long readTaken(WireReader in) {
        long taken = in.nonNegative64();
        if (taken < 1) {
            throw new MalformedException("a slot taken in epoch " + taken);
        }
        return taken;
    }

    /**
     * Knowledge of a node about a block beside the versions that it holds; only stored if they do not imply it.
     *
     * @param taken as in {@link VersionRecord}
     * @param collected all before this may have been collected
     * @param time the greatest logical time that was ever accepted here, unsigned
     */
    public record Floor(ValidatingTimestamp collected, long time, long taken) {
        static RecordKey key(BlockId block) {
            return RecordKey.of(RecordKind.PASIS_VERSION, block);
        }

        Bytes encoded() {
            WireWriter out = new WireWriter(72 + collected.crossChecksum().length()).u8(FORMAT);
            collected.write(out);
            return out.i64(time).i64(taken).toBytes();
        }

        /**
         * Reads what {@link #encoded} wrote.
         *
         * @throws MalformedException if it is nothing of that
         */
        public static Floor decode(Bytes encoded) {
            WireReader in = new WireReader(encoded);
            int format = in.u8();
            if (format != FORMAT) {
                throw new MalformedException("floor record of format " + format);
            }
            Floor floor = new Floor(ValidatingTimestamp.read(in), in.i64(), readTaken(in));
            in.end();
            return floor;
        }
    }
}
