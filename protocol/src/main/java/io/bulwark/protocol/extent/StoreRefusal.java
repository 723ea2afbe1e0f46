package io.bulwark.protocol.extent;

/** Reason why a node did not store. The order is part of the wire format. */
public enum StoreRefusal {
    /** The group is in another epoch, the answer's. */
    WRONG_EPOCH,
    /** The node does not hold this slot. */
    NOT_HOLDER,
    /** The replicas know no such object volume. */
    NO_VOLUME,
    /** The sender is not the owner of the id. */
    NOT_OWNER,
    /** The replicas know no such session. */
    NO_SESSION,
    SESSION_CLOSED,
    /** The fragment or the block is not consistent with the checksum, or longer than the volume's blocks. */
    INCONSISTENT,
    /** Another content was stored, or is referenced, under this id. */
    OTHER_CONTENT,
    /** The extent was freed. */
    FREED,
    /** The owner's unreferenced bytes on this node are at their bound. Passes when they are referenced or freed. */
    LIMIT,
    /** The disk is full. */
    NO_SPACE,
    /** The disk failed. */
    DEVICE_FAILED,
    /** No reference to it is known here, and fewer than f+1 other slots say that they hold it. Passes when one is. */
    UNREFERENCED
}
