package io.bulwark.protocol.extent;

import io.bulwark.protocol.effect.RecordKey;
import io.bulwark.protocol.effect.RecordKind;
import io.bulwark.protocol.fingerprint.Fpcc;
import io.bulwark.protocol.fingerprint.Hashes;
import io.bulwark.protocol.fingerprint.Share;
import io.bulwark.protocol.id.BlockId;
import io.bulwark.protocol.wire.Bytes;
import io.bulwark.protocol.wire.MalformedException;
import io.bulwark.protocol.wire.WireReader;
import io.bulwark.protocol.wire.WireWriter;
import java.util.List;
import org.jspecify.annotations.Nullable;

/**
 * The meta data of an extent's record on disk: version (1 byte), state (1), block (25), epoch (8), slot (1), then what the
 * state says. The record's fragment stands beside it. The block is in it so that a whole record put under another key, right
 * in itself, is known as damaged instead of passing for another version of that block.
 */
sealed interface ExtentRecord {
    /** The fragment of one version, the only one ever stored under this id. */
    record Held(
            long epoch,
            int slot,
            boolean referenced,
            Fpcc fpcc,
            @Nullable List<Bytes> cc) implements ExtentRecord {
        boolean is(Bytes pin) {
            return fpcc.pin().equals(pin);
        }

        Held asReferenced() {
            return new Held(epoch, slot, true, fpcc, cc);
        }

        /** Whether the fragment has the hash that was checked when it was stored. */
        boolean matches(Bytes fragment) {
            List<Bytes> hashes = cc == null ? fpcc.cc() : cc;
            return slot < hashes.size()
                    && fragment.length() == fpcc.length()
                    && Hashes.sha256(fragment).equals(hashes.get(slot));
        }

        Share share(Bytes fragment) {
            return new Share(fragment, cc);
        }
    }

    /** No fragment; another version was discarded, since this one is referenced. */
    record Wanted(long epoch, int slot, Bytes pin) implements ExtentRecord {}

    /** There was a record, and it cannot be read. Never written. */
    record Lost() implements ExtentRecord {}

    int VERSION = 2;

    static RecordKey key(BlockId block) {
        return RecordKey.of(RecordKind.EXTENT, block);
    }

    /** The meta data as it is written under the key of this block. */
    default Bytes encoded(BlockId block) {
        WireWriter out = new WireWriter().u8(VERSION);
        switch (this) {
            case Held held -> {
                out.u8(0);
                block.write(out);
                out.i64(held.epoch).u8(held.slot).bool(held.referenced).raw(held.fpcc.encoded());
                ExtentCodec.writeCc(held.cc, out);
            }
            case Wanted wanted -> {
                out.u8(1);
                block.write(out);
                out.i64(wanted.epoch).u8(wanted.slot).raw(wanted.pin);
            }
            case Lost _ -> throw new IllegalStateException("a lost record is not written");
        }
        return out.toBytes();
    }

    /** What the meta data found under a block's key says; lost if it says nothing, or is of another block. */
    static ExtentRecord decode(BlockId block, Bytes meta) {
        try {
            WireReader in = new WireReader(meta);
            if (in.u8() != VERSION) {
                return new Lost();
            }
            boolean wanted = in.bool();
            boolean own = BlockId.read(in).equals(block);
            long epoch = in.nonNegative64();
            int slot = in.u8();
            ExtentRecord record = wanted
                    ? new Wanted(epoch, slot, in.raw(Hashes.LENGTH))
                    : new Held(epoch, slot, in.bool(), Fpcc.decode(in), ExtentCodec.readCc(in));
            in.end();
            return own ? record : new Lost();
        } catch (MalformedException e) {
            return new Lost();
        }
    }
}
