package io.bulwark.client;

/**
 * Result of a deletion.
 *
 * @param version the number of the delete marker, or of the version that is gone; 0 if there was nothing to delete
 * @param marker whether it is a delete marker that was made or is gone
 * @param isNull whether it is the null version
 */
public record DeletedObject(long version, boolean marker, boolean isNull) {}
