package io.bulwark.client.object;

/** Dependencies of reading and writing objects. */
public record ObjectStore(Metadata metadata, SessionPool sessions, ExtentAccess extents, ByteBudget budget) {}
