package io.bulwark.client.object;

/** Dependencies of reading and writing objects. */
public record ObjectStore(Metadata metadata, SessionPool sessions, ExtentAccess extents, ByteBudget budget) {
    /** Returns the same with another access to extents. */
    public ObjectStore withExtents(ExtentAccess access) {
        return new ObjectStore(metadata, sessions, access, budget);
    }
}
