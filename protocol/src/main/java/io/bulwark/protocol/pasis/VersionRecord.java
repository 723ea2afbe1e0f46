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
 * The meta data of one stored version; its fragment is stored with it.
 *
 * @param sender the authenticated party that brought it, who is charged for it and accused if it is poisonous; nobody if this
 *     node made the fragment itself
 * @param verified whether it is known to be complete and not poisonous
 */
record VersionRecord(ValidatingTimestamp timestamp, PrincipalId sender, boolean verified) {
    private static final int FORMAT = 1;

    VersionRecord asVerified() {
        return new VersionRecord(timestamp, sender, true);
    }

    RecordKey key(BlockId block) {
        return new RecordKey(RecordKind.PASIS_VERSION, block, timestamp.name().encoded());
    }

    Bytes encoded() {
        WireWriter out = new WireWriter(64 + timestamp.crossChecksum().length()).u8(FORMAT);
        timestamp.write(out);
        sender.write(out);
        return out.bool(verified).toBytes();
    }

    static VersionRecord decode(Bytes encoded) {
        WireReader in = new WireReader(encoded);
        int format = in.u8();
        if (format != FORMAT) {
            throw new MalformedException("version record of format " + format);
        }
        VersionRecord record = new VersionRecord(ValidatingTimestamp.readWritten(in), PrincipalId.read(in), in.bool());
        in.end();
        return record;
    }

    /**
     * What a node knows of a block beside the versions that it holds; only stored where those do not tell.
     *
     * @param collected all before this may have been collected
     * @param time the greatest logical time that was ever accepted here, unsigned
     */
    record Floor(ValidatingTimestamp collected, long time) {
        static final Floor NONE = new Floor(ValidatingTimestamp.NONE, 0);

        static RecordKey key(BlockId block) {
            return RecordKey.of(RecordKind.PASIS_VERSION, block);
        }

        Bytes encoded() {
            WireWriter out = new WireWriter(64 + collected.crossChecksum().length()).u8(FORMAT);
            collected.write(out);
            return out.i64(time).toBytes();
        }

        static Floor decode(Bytes encoded) {
            WireReader in = new WireReader(encoded);
            int format = in.u8();
            if (format != FORMAT) {
                throw new MalformedException("floor record of format " + format);
            }
            Floor floor = new Floor(ValidatingTimestamp.read(in), in.i64());
            in.end();
            return floor;
        }
    }
}
