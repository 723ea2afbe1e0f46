package io.bulwark.gateway.s3.request;

import io.bulwark.gateway.s3.access.AccessKey;
import io.bulwark.protocol.id.PrincipalId;
import java.util.Optional;

/**
 * Sender of a request.
 *
 * @param person the principal for whom the gateway acts
 * @param key the key that signed; empty for an anonymous request
 */
public record Caller(PrincipalId person, Optional<AccessKey> key) {
    /** Throws {@code AccessDenied} unless the limits of the access key include the bucket as a whole. */
    public void requireBucket(String bucket) {
        if (key.isPresent() && !key.get().isAllowed(bucket)) {
            throw denied();
        }
    }

    /** Throws {@code AccessDenied} unless the limits of the access key include the object. */
    public void requireObject(String bucket, String objectKey) {
        if (key.isPresent() && !key.get().isAllowed(bucket, objectKey)) {
            throw denied();
        }
    }

    private static S3Exception denied() {
        return new S3Exception(403, "AccessDenied", "The access key is limited to other buckets or prefixes.");
    }
}
