package io.bulwark.client;

/**
 * Operations of a client that its logs could take, since it was connected.
 *
 * @param logged number of those that a log took, in one round trip
 * @param ordered number of those that were ordered all the same
 */
public record LockUse(long logged, long ordered) {}
