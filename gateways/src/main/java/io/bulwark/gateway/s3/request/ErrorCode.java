package io.bulwark.gateway.s3.request;

/** Error codes of S3 that operations use, each with the status of HTTP that S3 documents for it. */
public enum ErrorCode {
    ACCESS_CONTROL_LIST_NOT_SUPPORTED(400, "AccessControlListNotSupported"),
    ACCESS_DENIED(403, "AccessDenied"),
    BAD_DIGEST(400, "BadDigest"),
    BUCKET_ALREADY_EXISTS(409, "BucketAlreadyExists"),
    BUCKET_ALREADY_OWNED_BY_YOU(409, "BucketAlreadyOwnedByYou"),
    BUCKET_NOT_EMPTY(409, "BucketNotEmpty"),
    ENTITY_TOO_LARGE(400, "EntityTooLarge"),
    ENTITY_TOO_SMALL(400, "EntityTooSmall"),
    ILLEGAL_LOCATION_CONSTRAINT(400, "IllegalLocationConstraintException"),
    INTERNAL_ERROR(500, "InternalError"),
    INVALID_ARGUMENT(400, "InvalidArgument"),
    INVALID_BUCKET_NAME(400, "InvalidBucketName"),
    INVALID_BUCKET_STATE(409, "InvalidBucketState"),
    INVALID_PART(400, "InvalidPart"),
    INVALID_PART_NUMBER(416, "InvalidPartNumber"),
    INVALID_PART_ORDER(400, "InvalidPartOrder"),
    INVALID_RANGE(416, "InvalidRange"),
    INVALID_REQUEST(400, "InvalidRequest"),
    INVALID_RETENTION_PERIOD(400, "InvalidRetentionPeriod"),
    INVALID_STORAGE_CLASS(400, "InvalidStorageClass"),
    INVALID_TAG(400, "InvalidTag"),
    KEY_TOO_LONG(400, "KeyTooLongError"),
    MALFORMED_ACL(400, "MalformedACLError"),
    MALFORMED_POLICY(400, "MalformedPolicy"),
    MALFORMED_XML(400, "MalformedXML"),
    METADATA_TOO_LARGE(400, "MetadataTooLarge"),
    METHOD_NOT_ALLOWED(405, "MethodNotAllowed"),
    MISSING_CONTENT_LENGTH(411, "MissingContentLength"),
    NOT_IMPLEMENTED(501, "NotImplemented"),
    NO_SUCH_BUCKET(404, "NoSuchBucket"),
    NO_SUCH_BUCKET_POLICY(404, "NoSuchBucketPolicy"),
    NO_SUCH_CORS_CONFIGURATION(404, "NoSuchCORSConfiguration"),
    NO_SUCH_KEY(404, "NoSuchKey"),
    NO_SUCH_LIFECYCLE_CONFIGURATION(404, "NoSuchLifecycleConfiguration"),
    NO_SUCH_OBJECT_LOCK_CONFIGURATION(404, "NoSuchObjectLockConfiguration"),
    NO_SUCH_TAG_SET(404, "NoSuchTagSet"),
    NO_SUCH_UPLOAD(404, "NoSuchUpload"),
    NO_SUCH_VERSION(404, "NoSuchVersion"),
    NO_SUCH_WEBSITE(404, "NoSuchWebsiteConfiguration"),
    OBJECT_LOCK_CONFIGURATION_NOT_FOUND(404, "ObjectLockConfigurationNotFoundError"),
    OPERATION_ABORTED(409, "OperationAborted"),
    OWNERSHIP_CONTROLS_NOT_FOUND(404, "OwnershipControlsNotFoundError"),
    PRECONDITION_FAILED(412, "PreconditionFailed"),
    QUOTA_EXCEEDED(403, "QuotaExceeded"),
    REPLICATION_NOT_FOUND(404, "ReplicationConfigurationNotFoundError"),
    ENCRYPTION_NOT_FOUND(404, "ServerSideEncryptionConfigurationNotFoundError"),
    SERVICE_UNAVAILABLE(503, "ServiceUnavailable"),
    SLOW_DOWN(503, "SlowDown"),
    STORAGE_FULL(507, "InsufficientStorage"),
    UNRESOLVABLE_EMAIL(400, "UnresolvableGrantByEmailAddress");

    private final int status;
    private final String code;

    ErrorCode(int status, String code) {
        this.status = status;
        this.code = code;
    }

    public String code() {
        return code;
    }

    public int status() {
        return status;
    }

    /** Makes the refusal with this code. */
    public S3Exception because(String message) {
        return new S3Exception(status, code, message);
    }
}
