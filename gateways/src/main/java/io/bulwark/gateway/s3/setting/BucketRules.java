package io.bulwark.gateway.s3.setting;

import io.bulwark.gateway.s3.acl.AccessControlList;
import io.bulwark.gateway.s3.cors.CorsRules;
import io.bulwark.gateway.s3.lifecycle.LifecycleRules;
import io.bulwark.gateway.s3.policy.BucketPolicy;
import java.util.Optional;

/**
 * Settings of one bucket that every request needs.
 *
 * @param access empty for a bucket that was not made with S3: then the rights of Bulwark alone count
 */
public record BucketRules(
        Optional<AccessRules> access,
        Optional<BucketPolicy> policy,
        Optional<CorsRules> cors,
        Optional<LifecycleRules> lifecycle) {
    /** Owner as documents name him who have to name one, for buckets that were not made with S3. */
    public static final String NO_OWNER = "bulwark";

    /** Returns the canonical user ID of the owner. */
    public String owner() {
        return access.map(AccessRules::owner).orElse(NO_OWNER);
    }

    /** Returns the access control list of the bucket. */
    public AccessControlList acl() {
        return access.map(AccessRules::acl).orElseGet(() -> AccessControlList.ownedBy(NO_OWNER));
    }

    public Ownership ownership() {
        return access.flatMap(AccessRules::ownership)
                .orElse(access.isPresent() ? Ownership.OBJECT_WRITER : Ownership.BUCKET_OWNER_ENFORCED);
    }

    public PublicAccessBlock block() {
        return access.flatMap(AccessRules::block).orElse(PublicAccessBlock.NONE);
    }
}
