package io.bulwark.protocol.extent;

/** Result of a node's check of a referenced extent. The order is part of the wire format. */
public enum CompletionResult {
    /** It was there. */
    HELD,
    /** It was missing, and is there now. */
    COMPLETED,
    /** It was damaged or another version, and is there now. */
    REPAIRED,
    /** 2f+1 holders never stored it: its writer left it incomplete. Repair stops. */
    INCOMPLETE,
    /** The extent was freed meanwhile. */
    FREED,
    /** Too few good fragments could be read from the others now. */
    UNAVAILABLE,
    /** The disk is full, or failed. */
    NO_SPACE,
    /** Not asked by the node itself, or not for its slot and epoch. */
    REFUSED,
    /** It was here, and is known to be valid now. */
    VERIFIED,
    /** No block encodes to what its writer made of it. It is never repaired again. */
    POISONOUS,
    /** It is missing, and waits for its turn of dissemination. In the archive class only. */
    LACKING,
    /** It was here, and is not known to be delivered yet. In the archive class only. */
    UNDELIVERED
}
