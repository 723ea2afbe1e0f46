package io.bulwark.protocol.metadata;

/** Treatment of the version that a put replaces in a bucket. The order is on the wire. */
public enum Versioning {
    /** A put replaces the object, a delete removes it. */
    LATEST_ONLY,
    /** Every version stays until it is deleted by its number; a plain delete adds a delete marker. */
    KEEP_ALL
}
