package io.bulwark.protocol.cluster;

import java.util.Locale;

/** By which protocol a volume's blocks are read and written. The order is part of the formats. */
public enum Protocol {
    /** Fingerprinted cross-checksums: a fragment is checked before it is accepted (PROTOCOLS sections 2 and 4). */
    FP,
    /** Versioned fragments whose verification can be taken off the path of writes (PROTOCOLS section 3). */
    PASIS;

    /** Returns the name as people write it. */
    public String text() {
        return name().toLowerCase(Locale.ROOT);
    }
}
