package io.bulwark.gateway.s3.permission;

import io.bulwark.gateway.s3.acl.Permission;
import java.util.Arrays;
import java.util.Optional;
import java.util.Set;
import java.util.stream.Collectors;

/**
 * Action that is judged before an operation: by the policy under its name, by the access control list of the bucket or
 * object under a permission. Those without a permission are the owner's.
 */
public enum Action {
    DELETE_BUCKET("DeleteBucket", Target.BUCKET),
    LIST_BUCKET("ListBucket", Target.BUCKET, Permission.READ),
    LIST_BUCKET_VERSIONS("ListBucketVersions", Target.BUCKET, Permission.READ),
    LIST_BUCKET_MULTIPART_UPLOADS("ListBucketMultipartUploads", Target.BUCKET, Permission.READ),
    GET_BUCKET_LOCATION("GetBucketLocation", Target.BUCKET),
    GET_BUCKET_ACL("GetBucketAcl", Target.BUCKET, Permission.READ_ACP),
    PUT_BUCKET_ACL("PutBucketAcl", Target.BUCKET, Permission.WRITE_ACP),
    GET_BUCKET_POLICY("GetBucketPolicy", Target.BUCKET),
    PUT_BUCKET_POLICY("PutBucketPolicy", Target.BUCKET),
    DELETE_BUCKET_POLICY("DeleteBucketPolicy", Target.BUCKET),
    GET_BUCKET_POLICY_STATUS("GetBucketPolicyStatus", Target.BUCKET),
    GET_BUCKET_CORS("GetBucketCORS", Target.BUCKET),
    PUT_BUCKET_CORS("PutBucketCORS", Target.BUCKET),
    GET_LIFECYCLE_CONFIGURATION("GetLifecycleConfiguration", Target.BUCKET),
    PUT_LIFECYCLE_CONFIGURATION("PutLifecycleConfiguration", Target.BUCKET),
    GET_BUCKET_VERSIONING("GetBucketVersioning", Target.BUCKET),
    PUT_BUCKET_VERSIONING("PutBucketVersioning", Target.BUCKET),
    GET_BUCKET_TAGGING("GetBucketTagging", Target.BUCKET),
    PUT_BUCKET_TAGGING("PutBucketTagging", Target.BUCKET),
    GET_BUCKET_OBJECT_LOCK_CONFIGURATION("GetBucketObjectLockConfiguration", Target.BUCKET),
    PUT_BUCKET_OBJECT_LOCK_CONFIGURATION("PutBucketObjectLockConfiguration", Target.BUCKET),
    GET_ENCRYPTION_CONFIGURATION("GetEncryptionConfiguration", Target.BUCKET),
    GET_BUCKET_PUBLIC_ACCESS_BLOCK("GetBucketPublicAccessBlock", Target.BUCKET),
    PUT_BUCKET_PUBLIC_ACCESS_BLOCK("PutBucketPublicAccessBlock", Target.BUCKET),
    GET_BUCKET_OWNERSHIP_CONTROLS("GetBucketOwnershipControls", Target.BUCKET),
    PUT_BUCKET_OWNERSHIP_CONTROLS("PutBucketOwnershipControls", Target.BUCKET),
    GET_BUCKET_SETTING("GetBucketNotification", Target.BUCKET),
    PUT_BUCKET_NOTIFICATION("PutBucketNotification", Target.BUCKET),
    GET_OBJECT("GetObject", Target.OBJECT, Permission.READ),
    GET_OBJECT_VERSION("GetObjectVersion", Target.OBJECT, Permission.READ),
    GET_OBJECT_ATTRIBUTES("GetObjectAttributes", Target.OBJECT, Permission.READ),
    GET_OBJECT_ACL("GetObjectAcl", Target.OBJECT, Permission.READ_ACP),
    PUT_OBJECT_ACL("PutObjectAcl", Target.OBJECT, Permission.WRITE_ACP),
    GET_OBJECT_TAGGING("GetObjectTagging", Target.OBJECT),
    PUT_OBJECT_TAGGING("PutObjectTagging", Target.OBJECT),
    DELETE_OBJECT_TAGGING("DeleteObjectTagging", Target.OBJECT),
    GET_OBJECT_RETENTION("GetObjectRetention", Target.OBJECT),
    PUT_OBJECT_RETENTION("PutObjectRetention", Target.OBJECT),
    GET_OBJECT_LEGAL_HOLD("GetObjectLegalHold", Target.OBJECT),
    PUT_OBJECT_LEGAL_HOLD("PutObjectLegalHold", Target.OBJECT),
    BYPASS_GOVERNANCE_RETENTION("BypassGovernanceRetention", Target.KEY),
    PUT_OBJECT("PutObject", Target.KEY, Permission.WRITE),
    DELETE_OBJECT("DeleteObject", Target.KEY, Permission.WRITE),
    DELETE_OBJECT_VERSION("DeleteObjectVersion", Target.KEY, Permission.WRITE),
    ABORT_MULTIPART_UPLOAD("AbortMultipartUpload", Target.KEY, Permission.WRITE),
    LIST_MULTIPART_UPLOAD_PARTS("ListMultipartUploadParts", Target.KEY, Permission.READ);

    private static final String PREFIX = "s3:";

    /** Thing whose access control list counts, and whose name the policy sees. */
    enum Target {
        BUCKET,
        /** The name of an object, judged by the bucket's list. */
        KEY,
        OBJECT
    }

    private final String policyName;
    private final Target target;
    private final Optional<Permission> permission;

    Action(String policyName, Target target) {
        this.policyName = PREFIX + policyName;
        this.target = target;
        this.permission = Optional.empty();
    }

    Action(String policyName, Target target, Permission permission) {
        this.policyName = PREFIX + policyName;
        this.target = target;
        this.permission = Optional.of(permission);
    }

    /** Names of all actions in policies. */
    public static Set<String> names() {
        return Arrays.stream(values()).map(Action::policyName).collect(Collectors.toUnmodifiableSet());
    }

    String policyName() {
        return policyName;
    }

    Target target() {
        return target;
    }

    Optional<Permission> permission() {
        return permission;
    }
}
