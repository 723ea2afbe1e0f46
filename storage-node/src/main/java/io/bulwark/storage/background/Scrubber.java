package io.bulwark.storage.background;

/** Scrubbers, which re-read fragments in turn. */
public enum Scrubber {
    /** Extents that the metadata references. */
    EXTENTS,
    /** Extents under lazy verification, until the others' fragments were seen to give the same block. */
    UNVERIFIED_EXTENTS,
    /** Register blocks that the node holds something of. */
    REGISTERS,
    /** Register blocks that it holds nothing of, as it may have missed their writes. */
    MISSED_REGISTERS,
    /** Register blocks that could not be made up before. */
    UNFINISHED_REGISTERS
}
