package io.bulwark.protocol.effect;

/** Kind of a stored record, by protocol. The order is part of the format on disk. */
public enum RecordKind {
    /** An extent's fragment (docs/protocols/extents.md). */
    EXTENT,
    /** A register block's state: latest timestamp and the list of versions (docs/protocols/fp.md). */
    REGISTER,
    /** One version of a register block: staged or committed fragment. */
    REGISTER_VERSION,
    /** A node's durable knowledge of sessions and freed ranges. */
    SESSION,
    /** One version of a register block under PASIS (docs/protocols/pasis.md). */
    PASIS_VERSION,
    /** Principal that a possible version of such a block is charged to. */
    PASIS_POSSIBLE,
    /** Epochs of a volume's placement groups that a node refuses for good (docs/protocols/extents.md). */
    SEAL;

    /** Returns the kind of the versions of register blocks, under a protocol that names versions by itself or not. */
    public static RecordKind ofVersions(boolean isVersioned) {
        return isVersioned ? PASIS_VERSION : REGISTER_VERSION;
    }
}
