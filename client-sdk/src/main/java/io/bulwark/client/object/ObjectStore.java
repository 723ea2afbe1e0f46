package io.bulwark.client.object;

/** What reading and writing objects needs. */
public record ObjectStore(Metadata metadata, Sessions sessions, ExtentAccess extents, ByteBudget budget) {}
