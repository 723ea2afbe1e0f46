package io.bulwark.protocol.metadata;

import io.bulwark.protocol.metadata.Bucket.Link;
import io.bulwark.protocol.object.ObjectLock;
import io.bulwark.protocol.object.Retention;

/**
 * Rules of object lock, by agreed time (docs/decisions/0027). Buckets with object lock keep all versions, so that only a
 * deletion by version can remove a locked one.
 */
final class ObjectLocks {
    private ObjectLocks() {}

    /** Returns the lock of a new version: the wanted one, or the retention that the bucket gives. */
    static ObjectLock ofNew(Bucket bucket, ObjectLock wanted, long now) {
        if (!bucket.settings().objectLock()) {
            CommandRefusal.refuseUnless(
                    wanted.isNone(), MetadataError.BAD_BUCKET_STATE, "bucket " + bucket.name + " has no object lock");
            return ObjectLock.NONE;
        }
        if (wanted.retention().mode() == Retention.Mode.NONE) {
            return new ObjectLock(bucket.settings().retention().from(now), wanted.legalHold());
        }
        checkEnd(wanted.retention(), now);
        return wanted;
    }

    /**
     * Refuses to delete a locked version.
     *
     * @param bypass whether an administrator of the bucket passes over governance
     */
    static void requireDeletable(Link link, boolean bypass, long now) {
        ObjectLock lock = link.state().lock();
        CommandRefusal.refuseUnless(!lock.legalHold(), MetadataError.OBJECT_LOCKED, "a legal hold is on it");
        Retention retention = lock.retention();
        CommandRefusal.refuseUnless(
                !retention.isInForce(now) || (bypass && retention.mode() == Retention.Mode.GOVERNANCE),
                MetadataError.OBJECT_LOCKED,
                "retention " + retention.mode() + " until " + retention.untilMillis() + ", the agreed time is " + now);
    }

    /**
     * Refuses a weaker retention in the place of one in force.
     *
     * @param bypass whether an administrator of the bucket passes over governance
     */
    static void requireReplaceable(Retention old, Retention next, boolean bypass, long now) {
        if (next.mode() != Retention.Mode.NONE) {
            checkEnd(next, now);
        }
        boolean prolongs = next.mode() == old.mode() && next.untilMillis() >= old.untilMillis();
        CommandRefusal.refuseUnless(
                !old.isInForce(now) || prolongs || (bypass && old.mode() == Retention.Mode.GOVERNANCE),
                MetadataError.OBJECT_LOCKED,
                "retention " + old.mode() + " until " + old.untilMillis() + ", the agreed time is " + now);
    }

    private static void checkEnd(Retention retention, long now) {
        CommandRefusal.refuseUnless(
                retention.isInForce(now) && retention.untilMillis() <= MetadataStateMachine.TIME_MILLIS_MAX,
                MetadataError.BAD_ARGUMENT,
                "retention until " + retention.untilMillis() + ", the agreed time is " + now);
    }
}
