package io.bulwark.protocol.cluster;

import java.util.Locale;

/** Protocol by which a volume's blocks are read and written. The order is part of the formats. */
public enum Protocol {
    /** Fingerprinted cross-checksums: a fragment is checked before it is accepted (docs/protocols/fp.md, docs/protocols/extents.md). */
    FP,
    /** Versioned fragments whose verification can be taken off the path of writes (docs/protocols/pasis.md). */
    PASIS,
    /** Whole copies under masking quorums, at the nodes of PASIS (docs/protocols/masking.md). */
    MASKING,

    /** Fountain-coded segments of object volumes, over many slots (docs/protocols/archive.md). */
    ARCHIVE;

    /** Returns whether nodes keep the versions of a register until they know that a later one is complete. */
    public boolean isVersioned() {
        return this == PASIS || this == MASKING;
    }

    /** Returns the name as people write it. */
    public String text() {
        return name().toLowerCase(Locale.ROOT);
    }
}
