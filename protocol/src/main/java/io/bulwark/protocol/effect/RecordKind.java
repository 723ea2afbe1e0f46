package io.bulwark.protocol.effect;

/** Kind of a stored record, by protocol. The order is part of the format on disk. */
public enum RecordKind {
    /** An extent's fragment (PROTOCOLS section 4). */
    EXTENT,
    /** A register block's state: latest timestamp and the list of versions (PROTOCOLS section 2). */
    REGISTER,
    /** One version of a register block: staged or committed fragment. */
    REGISTER_VERSION,
    /** A node's durable knowledge of sessions and freed ranges. */
    SESSION,
    /** One version of a register block under PASIS (PROTOCOLS section 3). */
    PASIS_VERSION,
    /** Principal that a possible version of such a block is charged to. */
    PASIS_POSSIBLE,
    /** Epochs of a volume's placement groups that a node refuses for good (PROTOCOLS section 4). */
    SEAL
}
