package io.bulwark.protocol.extent;

/** Reason why a node does not send a version. The order is part of the wire format. */
public enum ReadRefusal {
    /** The group is in another epoch, the answer's. */
    WRONG_EPOCH,
    /** The node does not hold this slot. */
    NOT_HOLDER,
    /** The replicas know no such object volume. */
    NO_VOLUME,
    /** The asker has no read grant on the volume. */
    NOT_PERMITTED,
    /** Never stored here. */
    NONE,
    /** Another version was stored here. */
    OTHER_VERSION,
    /** It was stored, but what the disk has is not it any more; the node repairs it. */
    DAMAGED,
    /** The extent was freed. */
    FREED,
    /** Its fragments match their checksum and give no block that encodes to it: its writer lied, and nobody will ever read it. */
    POISONOUS,
    /**
     * The fragment is not here, which proves nothing: the node took its slot recently and has not yet rebuilt older
     * data.
     */
    NOT_REPAIRED
}
