package io.bulwark.protocol.extent;

import io.bulwark.protocol.effect.RecordKey;
import io.bulwark.protocol.effect.RecordKind;
import io.bulwark.protocol.fingerprint.Checksum;
import io.bulwark.protocol.fingerprint.Hashes;
import io.bulwark.protocol.id.BlockId;
import io.bulwark.protocol.wire.Bytes;
import io.bulwark.protocol.wire.MalformedException;
import io.bulwark.protocol.wire.WireReader;
import io.bulwark.protocol.wire.WireWriter;

/**
 * The meta data of an extent's record on disk: version (1 byte), state (1), block (25), epoch (8), slot (1), then the
 * state's content. The record's fragment is beside it. The block is included so that a whole record under a wrong key
 * is recognized as damaged. Right in itself, it could pass for another version of that block.
 */
sealed interface ExtentRecord {
    /**
     * The fragment of one version, the only one ever stored under this id.
     *
     * @param verified whether any m good fragments of it give the same block
     * @param delivery in the archive class the stage of AVID-FP, as it was told to others
     */
    record HeldExtent(long epoch, int slot, boolean referenced, boolean verified, Delivery delivery, Checksum checksum)
            implements ExtentRecord {
        /** A version that is not known to be at other slots. */
        HeldExtent(long epoch, int slot, boolean referenced, boolean verified, Checksum checksum) {
            this(epoch, slot, referenced, verified, Delivery.STORED, checksum);
        }

        boolean is(Bytes pin) {
            return checksum.pin().equals(pin);
        }

        HeldExtent asReferenced() {
            return new HeldExtent(epoch, slot, true, verified, delivery, checksum);
        }

        HeldExtent asVerified() {
            return new HeldExtent(epoch, slot, referenced, true, delivery, checksum);
        }

        HeldExtent at(Delivery stage) {
            return new HeldExtent(epoch, slot, referenced, verified, stage, checksum);
        }

        /** Returns whether the fragment has the length of this version. */
        boolean fits(Bytes fragment) {
            return fragment.length() == checksum.length();
        }

        /** Returns whether the fragment has the hash that was checked when it was stored. */
        boolean matches(Bytes fragment) {
            return fits(fragment) && checksum.matches(slot, fragment);
        }
    }

    /** No fragment; another version was discarded, since this one is referenced. */
    record WantedExtent(long epoch, int slot, Bytes pin) implements ExtentRecord {}

    /** No fragment; those of this version belong to no block. */
    record Poisonous(long epoch, int slot, Bytes pin) implements ExtentRecord {}

    /** There was a record, and it cannot be read. Never written. */
    record DamagedRecord() implements ExtentRecord {}

    int VERSION = 5;

    static RecordKey key(BlockId block) {
        return RecordKey.of(RecordKind.EXTENT, block);
    }

    /** The meta data as it is written under the key of this block. */
    default Bytes encoded(BlockId block) {
        WireWriter out = new WireWriter().u8(VERSION);
        switch (this) {
            case HeldExtent held -> {
                out.u8(0);
                block.write(out);
                out.i64(held.epoch)
                        .u8(held.slot)
                        .bool(held.referenced)
                        .bool(held.verified)
                        .u8(held.delivery.ordinal());
                out.raw(held.checksum.encoded());
            }
            case WantedExtent wanted -> {
                out.u8(1);
                block.write(out);
                out.i64(wanted.epoch).u8(wanted.slot).raw(wanted.pin);
            }
            case Poisonous poisonous -> {
                out.u8(2);
                block.write(out);
                out.i64(poisonous.epoch).u8(poisonous.slot).raw(poisonous.pin);
            }
            case DamagedRecord ignored -> throw new IllegalStateException("a lost record cannot be written");
        }
        return out.toBytes();
    }

    private static Delivery delivery(int code) {
        return switch (code) {
            case 0 -> Delivery.STORED;
            case 1 -> Delivery.READY;
            case 2 -> Delivery.DELIVERED;
            default -> throw new MalformedException("unknown stage " + code);
        };
    }

    /** Decodes the metadata under a block's key; lost if it is malformed, or belongs to another block. */
    static ExtentRecord decode(BlockId block, Bytes meta) {
        try {
            WireReader in = new WireReader(meta);
            if (in.u8() != VERSION) {
                return new DamagedRecord();
            }
            int state = in.u8();
            boolean own = BlockId.read(in).equals(block);
            long epoch = in.nonNegative64();
            int slot = in.u8();
            ExtentRecord record = switch (state) {
                case 0 -> new HeldExtent(epoch, slot, in.bool(), in.bool(), delivery(in.u8()), Checksum.decode(in));
                case 1 -> new WantedExtent(epoch, slot, in.raw(Hashes.LENGTH));
                case 2 -> new Poisonous(epoch, slot, in.raw(Hashes.LENGTH));
                default -> throw new MalformedException("unknown state " + state);
            };
            in.end();
            return own ? record : new DamagedRecord();
        } catch (MalformedException e) {
            return new DamagedRecord();
        }
    }
}
