package io.bulwark.protocol.cluster;

import java.util.Arrays;
import java.util.Locale;
import java.util.Optional;

/** Time of the verification that a write is complete and not poisonous (lazy verification paper, 3 and 5.2). The order is part of the formats. */
public enum Verification {
    /** Nodes verify before a write is over. FP has no other. */
    WRITE_TIME,
    /** Readers verify, on every read. */
    READ_TIME,
    /** Nodes verify in the background; a reader that needs it earlier verifies itself. */
    LAZY,
    /** Never: a new version takes the place of the old one at once. For measuring only, as a faulty client can destroy data. */
    NONE;

    /** Returns the name as people write it. */
    public String text() {
        return name().toLowerCase(Locale.ROOT).replace('_', '-');
    }

    /** The inverse of {@link #text}. */
    public static Optional<Verification> of(String text) {
        return Arrays.stream(values()).filter(each -> each.text().equals(text)).findFirst();
    }
}
