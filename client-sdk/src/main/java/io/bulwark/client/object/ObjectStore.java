package io.bulwark.client.object;

/** Dependencies of reading and writing objects. */
public record ObjectStore(Metadata metadata, Sessions sessions, ExtentAccess extents, ByteBudget budget) {}
