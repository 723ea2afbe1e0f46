package io.bulwark.protocol.metadata;

import io.bulwark.protocol.id.PrincipalId;

/**
 * Source of the ids, version numbers, room and time that commands draw. Ordered commands draw from the state as a whole,
 * entries of a log from its {@link Grant}. So an entry meets the same supply whenever it is executed.
 */
interface Supply {
    long nowMillis();

    long nextInode();

    long nextVersion();

    /** Refuses bytes that do not fit into the quota of a volume. */
    void requireRoom(Volumes.Entry volume, long added);

    /** Refuses bytes that do not fit into the quota of a bucket. */
    void requireRoom(Bucket bucket, long added);

    /** Refuses inline bytes when the state has no room for more of them. */
    void requireInline(PrincipalId owner);

    /** Refuses an owner without room for more state. */
    void requireWeight(PrincipalId owner);
}
