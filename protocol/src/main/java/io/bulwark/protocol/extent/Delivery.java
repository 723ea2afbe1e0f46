package io.bulwark.protocol.extent;

/**
 * Stage of a held extent of the archive class in AVID-FP (thesis figure 2.3.2), as its node keeps and tells it. A stage
 * is never taken back. The order is part of the wire format.
 */
public enum Delivery {
    /** Echo: the fragment is durable here (line 608). */
    STORED,
    /** Ready: m + f slots hold the version, or f + 1 slots are ready (lines 702 and 802). */
    READY,
    /** Verified: 2f + 1 slots are ready, hence all correct ones will be (line 805). */
    DELIVERED
}
