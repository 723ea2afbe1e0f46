package io.bulwark.protocol.fp;

/** Reason for a node's refusal. The order is part of the wire format. */
public enum FpRefusal {
    /** The fragment or the block is not consistent with the fingerprinted cross-checksum at this slot. */
    INCONSISTENT,
    /** ts is more than 2^16 above what this node has seen committed or proven; ask again. */
    FAR,
    /** The sender has too many staged versions here, or in this block here; ask again. */
    LIMIT,
    /** Fewer than m + f of the prepares carry a MAC for this node, this epoch and this sender. */
    PREPARES,
    /** 2f + 1 replicas say that the writer's session is closed. */
    SESSION_CLOSED,
    /** 2f + 1 replicas do not know the writer's session. */
    SESSION_UNKNOWN,
    /** The sender may not read here, or is no holder of the block's group. */
    NO_GRANT,
    /** The node serves another epoch of the group, which the refusal names. */
    OTHER_EPOCH,
    /** This node does not hold this slot, or there is no such block. */
    WRONG_SLOT,
    /** The node has not made up what it missed before it became a holder, or committed a version that was voided. */
    NOT_REPAIRED,
    /** The version asked for is not one that this node's own READ has proven and whose fragment it keeps. */
    NOT_PROVEN,
    /** There is no ts above this node's latest. */
    EXHAUSTED,
    /** No space on the device. */
    NO_SPACE,
    /** The device failed. */
    DEVICE,
    /** Too much is waiting here already; ask again. */
    BUSY
}
