package io.bulwark.console.accesskey;

import io.bulwark.client.AccessKeys;
import io.bulwark.console.http.ApiException;
import io.bulwark.protocol.id.PrincipalId;
import io.bulwark.protocol.metadata.AccessKey;
import io.bulwark.protocol.metadata.Names;
import java.time.Instant;
import java.util.List;
import org.jspecify.annotations.Nullable;

/**
 * An access key without its secret.
 *
 * @param person client on whose behalf gateways act
 * @param limits places that it reaches; empty for all that the person may reach
 * @param expires null for never
 * @param sealedFor clients that can read the secret: gateways, and the operator who keeps the secrets
 */
record AccessKeyView(
        String id,
        String name,
        String person,
        List<Place> limits,
        @Nullable Instant expires,
        List<String> sealedFor) {
    /**
     * Part of a bucket.
     *
     * @param prefix of the objects' keys; null or empty for the whole bucket
     */
    record Place(@Nullable String bucket, @Nullable String prefix) {
        AccessKey.Limit limit() {
            String named = bucket == null ? "" : bucket;
            String under = prefix == null ? "" : prefix;
            Names.problemOfName(named).ifPresent(problem -> {
                throw ApiException.badField("limits", "\"" + named + "\" is no name of a bucket: " + problem);
            });
            if (!under.isEmpty()) {
                Names.problemOfKey(under).ifPresent(problem -> {
                    throw ApiException.badField("limits", "a prefix is wrong: " + problem);
                });
            }
            return new AccessKey.Limit(named, under);
        }

        /** Returns it as people write it: the bucket, a slash, and the prefix. */
        public String text() {
            return bucket + "/" + prefix;
        }
    }

    /**
     * A new key with its secret.
     *
     * @param secret shown this once
     */
    record Issued(AccessKeyView key, String secret) {
        /** Names the key, never the secret. */
        @Override
        public String toString() {
            return key.id();
        }
    }

    static AccessKeyView of(AccessKeys.Entry entry) {
        return new AccessKeyView(
                entry.key().id(),
                entry.key().name(),
                entry.key().person().toString(),
                entry.key().limits().stream()
                        .map(limit -> new Place(limit.bucket(), limit.prefix()))
                        .toList(),
                entry.expires().orElse(null),
                entry.readers().stream().map(PrincipalId::toString).toList());
    }
}
