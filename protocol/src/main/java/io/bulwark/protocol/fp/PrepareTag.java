package io.bulwark.protocol.fp;

import io.bulwark.protocol.id.BlockId;
import io.bulwark.protocol.id.PrincipalId;
import io.bulwark.protocol.kernel.Target;
import io.bulwark.protocol.mac.TagKeys;
import io.bulwark.protocol.wire.Bytes;
import io.bulwark.protocol.wire.WireWriter;

/**
 * Input of the nonces and the MACs of PREPARE (thesis lines 1401, 1405 and 1501). The MAC's input carries a type tag,
 * volume and block, epoch, the slots of both nodes, the writer and its session. A MAC is therefore good for one
 * direction, one epoch, one sender and one of its sessions only. The nonce carries tag, block and timestamp and nothing
 * else. Every prepare of a version at a node, by anyone, in any epoch, therefore gives the same nonce.
 */
public final class PrepareTag {
    /** The writer tag of the MACs that nodes give to each other for REPAIR. */
    public static final PrincipalId REPAIR = PrincipalId.NOBODY;

    private static final int NONCE_TAG = 0x21;
    private static final int PREPARE_TAG = 0x22;
    private static final int REPAIR_TAG = 0x23;

    private PrepareTag() {}

    /** Line 1401: MAC_ii(tag, volume, block, t, fpcc), 32 bytes. */
    public static Bytes nonce(TagKeys keys, BlockId block, Timestamp version) {
        WireWriter out = new WireWriter(BlockId.BYTES + 512).u8(NONCE_TAG);
        block.write(out);
        version.write(out);
        return keys.own(out.toBytes());
    }

    /**
     * Returns the input of MAC_ij.
     *
     * @param giver the block, the epoch, and the slot i of the node that prepared
     * @param receiver the slot j of the node that will check it
     * @param writer the client that may commit with it, or {@link #REPAIR}
     * @param session in which the writer prepared and may commit; 0 for {@link #REPAIR}. A leftover of a closed session
     *     is dropped where MACs of it can never be enough, whatever the writer prepares in another
     */
    public static Bytes input(
            Target giver, int receiver, PrincipalId writer, long session, Timestamp version, Bytes nonce) {
        WireWriter out = new WireWriter(Target.BYTES + 512).u8(writer.equals(REPAIR) ? REPAIR_TAG : PREPARE_TAG);
        giver.write(out);
        out.u8(receiver);
        writer.write(out);
        out.i64(session);
        version.write(out);
        return out.raw(nonce).toBytes();
    }
}
