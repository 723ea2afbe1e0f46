package io.bulwark.storage.node;

import io.bulwark.protocol.id.PrincipalId;
import io.bulwark.protocol.wire.Message;

/**
 * One task of a shard, until all its effects are complete: only then its memory counts as free. Confined to the shard's
 * thread.
 */
final class ShardTask {
    private final Reply reply;
    private final Runnable released;
    private int holds;

    /** Destination of an answer under the request's id. */
    interface Reply {
        Reply NONE = (to, requestId, message) -> false;

        /** Returns whether the message answers this request; then it was sent, or dropped. */
        boolean send(PrincipalId to, long requestId, Message message);
    }

    ShardTask(Reply reply, Runnable released) {
        this.reply = reply;
        this.released = released;
    }

    Reply reply() {
        return reply;
    }

    void hold() {
        holds++;
    }

    void release() {
        if (--holds == 0) {
            released.run();
        } else if (holds < 0) {
            throw new IllegalStateException("released more often than held");
        }
    }
}
