package io.bulwark.gateway.s3.setting;

/** Limits on what access control lists and policies of a bucket may allow to everybody. */
public record PublicAccessBlock(
        boolean blockPublicAcls, boolean ignorePublicAcls, boolean blockPublicPolicy, boolean restrictPublicBuckets) {
    public static final PublicAccessBlock NONE = new PublicAccessBlock(false, false, false, false);
}
