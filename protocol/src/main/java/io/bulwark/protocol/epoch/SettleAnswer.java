package io.bulwark.protocol.epoch;

import io.bulwark.protocol.id.BlockId;
import io.bulwark.protocol.wire.Message;
import org.jspecify.annotations.Nullable;

/**
 * Answer to {@link SettleRequest}.
 *
 * @param done whether every version here that is, or may be, complete is held as that epoch needs it
 */
public record SettleAnswer(BlockId block, boolean done) implements Message {
    /** Returns whether a message says that the block was settled. */
    public static boolean isDone(@Nullable Message answer) {
        return answer instanceof SettleAnswer settled && settled.done;
    }
}
