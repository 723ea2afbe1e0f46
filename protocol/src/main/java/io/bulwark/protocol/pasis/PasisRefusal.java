package io.bulwark.protocol.pasis;

/** Reason for which a node refused. The order is part of the wire format. */
public enum PasisRefusal {
    /** The fragment is not what the cross-checksum has for this slot. */
    INCONSISTENT,
    /** This node has found out that the version is poisonous. */
    POISONOUS,
    /** The time is more than 2^16 above what b + 1 of N - b nodes have; ask again. */
    FAR,
    /** The sender has too many possible versions of this block here, and verifying it freed none; ask again. */
    BLOCK_LIMIT,
    /** The sender has too many possible versions here; ask again. */
    CLIENT_LIMIT,
    /** The history pool is full, and verifying blocks freed nothing; ask again. */
    POOL,
    /** Too few nodes hold the version for it to have been complete when this was asked. */
    NOT_FOUND,
    /** 2f + 1 replicas say that the writer's session is closed. */
    SESSION_CLOSED,
    /** 2f + 1 replicas do not know the writer's session. */
    SESSION_UNKNOWN,
    /** The sender may not do this here, or is no holder of the block's group. */
    NO_GRANT,
    /** The node serves another epoch of the group, which the refusal names. */
    OTHER_EPOCH,
    /** This node does not hold this slot, or there is no such block. */
    WRONG_SLOT,
    /** No space on the device. */
    NO_SPACE,
    /** The device failed. */
    DEVICE,
    /** Too much is waiting here already, or was asked for lately; ask again. */
    BUSY
}
