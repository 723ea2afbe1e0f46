package io.bulwark.client.object;

/** What reading and writing objects needs. */
public record ObjectStore(Metadata metadata, Sessions sessions, ExtentAccess extents, ByteBudget budget) {
    /** Blocks of one object under way at most. */
    static final int WINDOW_BLOCKS = 8;
}
