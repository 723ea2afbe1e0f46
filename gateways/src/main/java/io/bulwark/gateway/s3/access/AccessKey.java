package io.bulwark.gateway.s3.access;

import io.bulwark.protocol.id.PrincipalId;
import java.util.List;

/**
 * One access key with its secret.
 *
 * @param id the public part, 16 to 128 letters and digits
 * @param secret key of the signatures
 * @param person the principal for whom requests with this key are made
 * @param limits the places that the key reaches; empty for all that the person may reach
 */
public record AccessKey(String id, String secret, PrincipalId person, List<Limit> limits) {
    public AccessKey {
        limits = List.copyOf(limits);
    }

    /**
     * Part of a bucket.
     *
     * @param prefix of the object keys; empty for the whole bucket
     */
    public record Limit(String bucket, String prefix) {}

    /** Returns whether requests about this bucket as a whole are inside the limits. */
    public boolean isAllowed(String bucket) {
        return limits.isEmpty()
                || limits.stream().anyMatch(limit -> limit.bucket().equals(bucket));
    }

    /** Returns whether requests about this object are inside the limits. */
    public boolean isAllowed(String bucket, String key) {
        return limits.isEmpty()
                || limits.stream().anyMatch(limit -> limit.bucket().equals(bucket) && key.startsWith(limit.prefix()));
    }

    @Override
    public String toString() {
        return id + " of " + person;
    }
}
