package io.bulwark.protocol.kernel;

import io.bulwark.protocol.id.BlockId;
import io.bulwark.protocol.wire.MalformedException;
import io.bulwark.protocol.wire.WireReader;
import io.bulwark.protocol.wire.WireWriter;

/**
 * Fields of every request and every answer: the block, its placement group's epoch, and the slot of the node that is
 * asked or answers. An answer counts only under the epoch and the slot that its operation asked. 34 bytes on the wire.
 */
public record Target(BlockId block, long epoch, int slot) {
    public static final int BYTES = BlockId.BYTES + 9;

    public Target {
        if (epoch < 1 || slot < 0 || slot > 254) {
            throw new IllegalArgumentException("no such target: epoch " + epoch + ", slot " + slot);
        }
    }

    public void write(WireWriter out) {
        block.write(out);
        out.i64(epoch).u8(slot);
    }

    public static Target read(WireReader in) {
        try {
            return new Target(BlockId.read(in), in.i64(), in.u8());
        } catch (IllegalArgumentException e) {
            throw new MalformedException(e);
        }
    }

    @Override
    public String toString() {
        return block + "@" + epoch + "." + slot;
    }
}
