package io.bulwark.protocol.cluster;

/**
 * What becomes of a version that some nodes hold and others do not, where readers and repairs do not find out. The metadata decide it once,
 * by the votes of its group's slots, and never take a decision back. The order is part of the wire format.
 */
public enum Decision {
    /** Enough consistent fragments were found: all nodes take the version. */
    RECOVERABLE,
    /** It can never be read: no node keeps it, or waits for it. */
    VOID
}
