package io.bulwark.client.object;

import io.bulwark.protocol.id.BlockId;

/** One extent could not be stored or fetched. Becomes a typed exception where the bucket and the key are known. */
public final class ExtentFailure extends RuntimeException {
    private static final long serialVersionUID = 1L;

    private final Reason reason;

    /** Why. */
    public enum Reason {
        /** Too few nodes answered in time. */
        UNAVAILABLE,
        /** The extent was freed, say f+1 nodes or more. */
        FREED,
        /** Never complete, or too many nodes lost or falsified it. */
        INCOMPLETE,
        /** No grant. */
        NOT_PERMITTED,
        /** The nodes have no space left. */
        NO_SPACE,
        /** A bound of the nodes on unreferenced bytes is reached. */
        LIMIT,
        /** The session is closed or unknown to the nodes. */
        SESSION_CLOSED,
        /** The placement group has another epoch now. */
        STALE_EPOCH
    }

    public ExtentFailure(Reason reason, BlockId block, String detail) {
        super("extent " + block + ": " + detail);
        this.reason = reason;
    }

    public Reason reason() {
        return reason;
    }
}
