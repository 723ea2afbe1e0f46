package io.bulwark.protocol.epoch;

import io.bulwark.protocol.cluster.Protocol;
import io.bulwark.protocol.id.BlockId;
import io.bulwark.protocol.wire.Message;

/**
 * A node asks its own server of registers to see to a block before an epoch of its group is confirmed (docs/decisions/0016, registers). It
 * never travels, and is taken from the node itself only.
 *
 * @param protocol that of the block's volume, whose server is asked
 */
public record SettleRequest(Protocol protocol, BlockId block, long epoch) implements Message {
    /** Returns whether a message asks the server of this protocol, which is that of all versioned ones, to settle a block. */
    public static boolean isFor(Protocol protocol, Message message) {
        return message instanceof SettleRequest settle && settle.protocol.isVersioned() == protocol.isVersioned();
    }

    /** Callback with the result. */
    public interface SettleCallback {
        void settled(boolean done, long nowMillis);
    }
}
