package io.bulwark.storage.store;

/** Durability of an acknowledged write. All settings survive a killed process; they differ in a power cut. */
public enum Durability {
    /** Every acknowledged write is on the device. */
    SYNC,
    /**
     * Acknowledged writes reach the device within the flush interval; a power cut loses the last ones, which counts as
     * a Byzantine fault of this node.
     */
    INTERVAL,
    /** The operating system writes when it likes; a power cut may lose anything, which counts as a Byzantine fault. */
    NONE
}
