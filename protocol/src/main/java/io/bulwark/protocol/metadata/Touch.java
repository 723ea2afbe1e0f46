package io.bulwark.protocol.metadata;

import io.bulwark.protocol.id.PrincipalId;
import io.bulwark.protocol.locking.Subtree;

/** Part of the state that a request reads or changes, and that logs may hold or rely on. */
sealed interface Touch {
    /** All versions of one name. */
    record OfKey(String bucket, String key) implements Touch {}

    /** All names of a subtree. */
    record OfSubtree(Subtree subtree) implements Touch {}

    /** All names and the settings of a bucket. */
    record OfBucket(String bucket) implements Touch {}

    /** The placement of a volume, or the volume as a whole. */
    record OfVolume(String volume) implements Touch {}

    /** Rights and keys of a principal. The logs of doors that act for it rely on them, too. */
    record OfPrincipal(PrincipalId principal) implements Touch {}

    /** Everything that logs hold. */
    record Everything() implements Touch {}
}
