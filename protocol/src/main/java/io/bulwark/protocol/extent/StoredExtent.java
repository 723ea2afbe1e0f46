package io.bulwark.protocol.extent;

import io.bulwark.protocol.extent.ExtentRecord.HeldExtent;
import io.bulwark.protocol.fingerprint.Checksum;
import io.bulwark.protocol.id.BlockId;
import io.bulwark.protocol.wire.Bytes;
import java.util.Optional;

/** Whole fragment of an extent as a record on disk holds it, for tools that inspect disks offline. */
public record StoredExtent(int slot, Checksum checksum, Bytes fragment, Delivery delivery) {
    /** Returns the pin of a version that the metadata refer to: all holders have it, or fetch it. */
    public static Optional<Bytes> referencedPin(BlockId block, Bytes meta) {
        return ExtentRecord.decode(block, meta) instanceof HeldExtent held && held.referenced()
                ? Optional.of(held.checksum().pin())
                : Optional.empty();
    }

    /** Returns the pin of a version that this node has decoded, and found poisonous. */
    public static Optional<Bytes> poisonousPin(BlockId block, Bytes meta) {
        return ExtentRecord.decode(block, meta) instanceof ExtentRecord.Poisonous poisonous
                ? Optional.of(poisonous.pin())
                : Optional.empty();
    }

    /** Returns whether the fragment has the length and the hash under which it was stored. */
    private boolean isGood() {
        return fragment.length() == checksum.length() && checksum.matches(slot, fragment);
    }

    /** Returns what a record says of itself; the fragment may be damaged. */
    public static Optional<StoredExtent> unchecked(BlockId block, Bytes meta, Bytes fragment) {
        return ExtentRecord.decode(block, meta) instanceof HeldExtent held
                ? Optional.of(new StoredExtent(held.slot(), held.checksum(), fragment, held.delivery()))
                : Optional.empty();
    }

    /** Nothing if the record holds no fragment, or none that has the hash under which it was stored. */
    public static Optional<StoredExtent> read(BlockId block, Bytes meta, Bytes fragment) {
        return unchecked(block, meta, fragment).filter(StoredExtent::isGood);
    }
}
